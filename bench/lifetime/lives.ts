// Markets that come and go: each is opened, traded, closed out by its holders, resolved and
// archived. Beside each market a session begins and ends.

import { ASK_TABLES, type PlaceRequest } from '../../engine/core/decide/decide.ts'
import { assert } from '../../engine/domain/assert.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { tokenSecretOf } from '../../persistence/seal.ts'
import type { ControlBody } from '../../server/exchange/sequencer/control-body.ts'
import type { RunningExchange } from '../../server/start/open.ts'
import { marketSpec, ownRequest } from '../../test/support/specs.ts'
import { DEPOSIT_RAW, profileOf, tokenIdOf, tokenNoOf } from '../report/setting.ts'

/** Lives that are under way at once. */
const AT_ONCE = 256
const SHOWN_EVERY = AT_ONCE * 100
const ACCOUNTS = 64
const SHARE_RAW = 1_000_000
const CAUGHT_UP_MS = 600_000
const { BUY, SELL } = SIDE
const { NO, YES } = OUTCOME

/** The clock of the exchange that the lives move. */
export interface LifeClock {
  nowMs: number
}

export class Lives {
  readonly #exchange: RunningExchange
  readonly #clock: LifeClock
  readonly #order = blankPlace()
  readonly #request: PlaceRequest = ownRequest(this.#order, tokenNoOf(1))
  #hashes: number

  constructor(exchange: RunningExchange, clock: LifeClock) {
    this.#exchange = exchange
    this.#clock = clock
    this.#hashes = exchange.pipeline.clearing.lastSeq
  }

  async #change(body: ControlBody): Promise<void> {
    const { sequencer } = this.#exchange.pipeline
    for (;;) {
      const { reject } = sequencer.change(() => body)
      if (reject === null) return
      await new Promise(setImmediate)
    }
  }

  async setUp(): Promise<void> {
    const { seal } = this.#exchange
    for (let profileId = 1; profileId <= ACCOUNTS; profileId++) {
      const tokenId = tokenIdOf(profileId)
      const sealedSecret = seal.seal(new Uint8Array(32), tokenSecretOf(tokenId, profileId))
      const token = { tokenId, sealedSecret, label: null, scopes: [] }
      await this.#change({
        kind: 'createProfile',
        profileId,
        profile: profileOf(profileId),
        token,
      })
      await this.#change({ kind: 'adjustBalance', profileId, collateralRaw: DEPOSIT_RAW })
    }
    await this.#exchange.pipeline.whenIdle()
  }

  /** Lives so many markets from the first to the last step. */
  async run(count: number, onProgress: (done: number) => void = () => {}): Promise<void> {
    for (let done = 0; done < count; done += AT_ONCE) {
      await this.#batch(Math.min(AT_ONCE, count - done))
      if (done % SHOWN_EVERY === 0) onProgress(done)
    }
  }

  async #batch(count: number): Promise<void> {
    const { pipeline, shards } = this.#exchange
    const { catalogue } = pipeline.clearing
    const first = catalogue.lastId + 1
    for (let marketId = first; marketId < first + count; marketId++) {
      const book = catalogue.freeBook(LIMITS.booksMax)
      shards.of(book)
      await this.#change({ kind: 'createMarket', marketId, book, market: marketSpec(marketId) })
      await this.#session(marketId)
    }
    await pipeline.whenIdle()
    for (const side of [BUY, SELL]) {
      for (let marketId = first; marketId < first + count; marketId++) {
        const one = 1 + (marketId % (ACCOUNTS - 1))
        await this.#place({ marketId, accountId: one, outcome: YES, side })
        await this.#place({ marketId, accountId: one + 1, outcome: NO, side })
      }
      await pipeline.whenIdle()
    }
    for (let marketId = first; marketId < first + count; marketId++) {
      await this.#change({
        kind: 'resolveMarkets',
        resolutions: [{ marketId, payoutNumerators: [1, 0] }],
      })
    }
    while (catalogue.count > 0) {
      this.#clock.nowMs += LIMITS.archiveEveryMs
      pipeline.tick()
      await pipeline.whenIdle()
    }
  }

  async #session(number: number): Promise<void> {
    const sessionDigest = String(number).padStart(64, '0')
    const nonce = `nonce-${number}`
    const expiresMs = this.#clock.nowMs + 86_400_000
    const nonceExpiresMs = this.#clock.nowMs + 1
    await this.#change({
      kind: 'login',
      profileId: 1 + (number % ACCOUNTS),
      ...{ sessionDigest, expiresMs, nonce, nonceExpiresMs },
    })
    await this.#change({ kind: 'logout', sessionDigest })
  }

  async #place(terms: {
    marketId: number
    accountId: number
    outcome: number
    side: number
  }): Promise<void> {
    const { pipeline } = this.#exchange
    const order = Object.assign(this.#order, terms)
    order.book = pipeline.clearing.catalogue.existing(terms.marketId).book
    order.priceTicks = 500
    order.sizeRaw = SHARE_RAW
    order.hashHigh = Math.imul(++this.#hashes, 0x9e3779b1) >>> 0
    order.hashLow = this.#hashes >>> 0
    this.#request.tokenNo = tokenNoOf(terms.accountId)
    this.#request.ownerId = terms.accountId
    const inTables = { seq: pipeline.clearing.lastSeq, hash: false, clientId: false }
    const place = (more: Partial<PlaceRequest>) =>
      pipeline.sequencer.place({ ...this.#request, ...more }, encodePlace(order))
    const first = place({})
    const refusal = first === ASK_TABLES ? place({ inTables }) : first
    assert(refusal === null, 'an order of a life passes every gate')
  }

  /** Resident memory once every thread is idle. */
  async residentBytes(): Promise<number> {
    const { pipeline, follower } = this.#exchange
    await pipeline.whenIdle()
    const shown = await follower.whenApplied(pipeline.clearing.lastSeq, CAUGHT_UP_MS)
    assert(shown, 'the follower catches up')
    globalThis.gc?.()
    return process.memoryUsage().rss
  }
}
