// What happens to accounts, money and markets of a simulated world.

import assert from 'node:assert/strict'
import { decideProfile, decideRevoke, decideToken } from '../../engine/core/decide-accounts.ts'
import { REJECT, rejectName } from '../../engine/domain/reject.ts'
import type { RareBody } from '../../server/pipeline/sequencer.ts'
import { marketSpec, profileFields } from '../support/specs.ts'
import type { Life } from './life.ts'
import { marketOfLane } from './orders.ts'
import type { Setting, Step } from './script.ts'

const MARKETS_MAX = 60
const MODES = ['post_only', 'cancel_only', 'disabled'] as const
const RATES = [300, 300, 250, 100, 1000, 1, 0]

export class Operators {
  readonly #setting: Setting
  readonly #life: Life

  constructor(setting: Setting, life: Life) {
    this.#setting = setting
    this.#life = life
  }

  #account(dice: number): number {
    return 1 + Math.floor(dice * this.#setting.accounts)
  }

  /** A refusal, or nothing, told no sooner than it may be. */
  #told(answer: Promise<unknown>): void {
    const { watch, pipeline } = this.#life
    const at = pipeline.clearing.lastSeq
    // That there was no room rests on nothing that a crash could take back.
    const tell = (result: unknown) => {
      if (result !== REJECT.OVERLOADED) watch.told(at)
    }
    this.#life.follow(answer.then(tell))
  }

  #change(body: RareBody): void {
    const { journal, pipeline } = this.#life
    const wasFree = journal.freeBytes() > 1 << 20
    const answer = pipeline.change(body)
    this.#told(answer)
    this.#life.follow(answer.then((refused) => assert(refused === 0 || !wasFree, 'there is room')))
  }

  /** Up to twice what is free, now and then exactly that, now and then more than can be. */
  adjust({ act, dice }: Step): void {
    const { changes, model, journal } = this.#life
    const profileId = this.#account(dice[0])
    const free = model.slow.cash(profileId).free
    let amount = BigInt(Math.ceil(10 ** (dice[1] * 12)))
    if (act === 'withdraw' && free < 0n) amount = 1n
    else if (act === 'withdraw')
      amount = dice[1] < 0.1 ? free : (free * BigInt(Math.ceil(dice[1] * 99))) / 90n
    else if (dice[1] > 0.97) amount = BigInt(Number.MAX_SAFE_INTEGER)
    if (amount === 0n) return
    const isShort = act === 'withdraw' && amount > free
    const isMuch = model.slow.deposits + amount > BigInt(Number.MAX_SAFE_INTEGER)
    const isTooMuch = act === 'deposit' && isMuch
    const expected = isShort ? 'INSUFFICIENT_COLLATERAL' : isTooMuch ? 'BALANCE_LIMIT' : 'NONE'
    const isLow = journal.freeBytes() < 1 << 20
    const answer = changes.adjustBalance(profileId, Number(act === 'withdraw' ? -amount : amount))
    const after = model.slow.cash(profileId).free
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      if (typeof result === 'number') assert.equal(rejectName(result), expected)
      else assert.equal(BigInt(result.freeRaw), after, 'the balance after the change')
    }
    this.#told(answer)
    this.#life.follow(answer.then(compare))
  }

  /** Trades that come are set aside or fail. */
  fault({ dice }: Step): void {
    const next = 1 + Math.floor(dice[0] * 4)
    this.#life.chain.arm({ next }, dice[1] < 0.5 ? 'RETRYING' : 'FAILED')
  }

  token({ dice }: Step, index: number): void {
    const { clearing } = this.#life.pipeline
    const profileId = this.#account(dice[0])
    const profile = clearing.accounts.byId(profileId)
    if (profile === undefined || decideToken(clearing, profile, ['trading']) !== 0) return
    const tokenId = `token of step ${index}`
    const token = { tokenId, sealedSecret: new Uint8Array(4), label: null }
    this.#change({ kind: 'createToken', profileId, token: { ...token, scopes: ['trading'] } })
  }

  /** Own tokens can be revoked, once; those of others do not exist. */
  revoke({ dice }: Step): void {
    const { pipeline, model } = this.#life
    const tokens = [...model.tokens]
    const [tokenId, token] = tokens[Math.floor(dice[0] * tokens.length)]
    const profileId = dice[1] < 0.8 ? token.profileId : this.#account(dice[1])
    const reject = decideRevoke(pipeline.clearing, profileId, tokenId)
    if (dice[1] > 0.1 && this.#isLast(token.profileId)) return
    const mayRevoke = profileId === token.profileId && !token.isRevoked
    assert.equal(reject === 0, mayRevoke, 'who may revoke a token')
    if (mayRevoke) this.#change({ kind: 'revokeToken', tokenId })
    else this.#told(pipeline.refused(reject))
  }

  #isLast(profileId: number): boolean {
    const own = [...this.#life.model.tokens.values()].filter((each) => each.profileId === profileId)
    return own.filter(({ isRevoked }) => !isRevoked).length < 2
  }

  touch({ dice }: Step): void {
    const tokens = [...this.#life.model.tokens.keys()]
    this.#change({ kind: 'touchToken', tokenId: tokens[Math.floor(dice[0] * tokens.length)] })
  }

  login({ dice }: Step, index: number): void {
    const nowMs = this.#life.pipeline.sequencer.nowMs()
    this.#change({
      kind: 'login',
      profileId: this.#account(dice[0]),
      sessionDigest: `session of step ${index}`,
      expiresMs: nowMs + 60_000,
      nonce: `nonce of step ${index}`,
      nonceExpiresMs: nowMs + 5_000,
    })
  }

  /** Of one session, now and then of all a profile has. */
  logout({ dice }: Step): void {
    const { accounts } = this.#life.pipeline.clearing
    if (dice[1] > 0.7) {
      this.#change({ kind: 'logoutEverywhere', profileId: this.#account(dice[0]) })
      return
    }
    const sessions = [...accounts.sessions()]
    const session = sessions[Math.floor(dice[0] * sessions.length)]
    this.#change({ kind: 'logout', sessionDigest: session?.digest ?? 'none' })
  }

  /** A name that may be taken, and another rate or cap. */
  edit({ dice }: Step): void {
    const { pipeline } = this.#life
    const profileId = this.#account(dice[0])
    // Nobody stays without a rank for long: such a profile trades on free markets only.
    const rate = dice[0] > 0.98 ? null : RATES[Math.floor(dice[1] * RATES.length)]
    const profile = profileFields(profileId, {
      username: `name ${Math.floor(dice[1] * 10)}`,
      rank: rate === null ? null : { id: 1, name: 'Any', feeRateBps: rate },
      feeCapBps: dice[0] < 0.2 ? 200 : null,
    })
    const before = pipeline.clearing.accounts.byId(profileId)
    const reject = decideProfile(pipeline.clearing, profile, before)
    if (reject !== 0) this.#told(pipeline.refused(reject))
    else this.#change({ kind: 'editProfile', profileId, profile, token: null })
  }

  /** The next market of the next lane; some have a deadline, some take no fees. */
  open({ dice }: Step): void {
    const { changes, model, pipeline } = this.#life
    const marketId = model.markets.length + 1
    if (marketId > MARKETS_MAX) return
    const nowMs = pipeline.sequencer.nowMs()
    const deadlineMs = dice[0] < 0.3 ? nowMs + Math.floor(dice[1] * 120_000) : null
    const takerDelayMs = dice[1] < 0.3 ? 1 + Math.floor(dice[0] * 2000) : 0
    const rules = { deadlineMs, feeEnabled: dice[1] < 0.6, minSizeRaw: 1e7, takerDelayMs }
    const spec = marketSpec(marketId, rules)
    this.#told(changes.create(spec))
  }

  /** The oldest market of the lane whose turn it is; another follows it. */
  resolve(step: Step): void {
    const { published, changes, model } = this.#life
    const lane = 1 + (model.markets.length % this.#setting.lanes)
    const marketId = marketOfLane(lane, this.#setting.lanes, model.markets.length)
    const market = published.byId(marketId)
    if (market === undefined || model.markets.length >= MARKETS_MAX) return
    this.#told(changes.resolve(market, step.dice[0] < 0.5 ? [1, 0] : [1, 1]))
    this.open(step)
  }

  /** A deadline now and then too near, now and then taken back. */
  beat({ dice }: Step): void {
    const { heartbeats, model, pipeline, journal } = this.#life
    const profileId = this.#account(dice[0])
    const nowMs = pipeline.sequencer.nowMs()
    const cancelAtMs = dice[1] < 0.2 ? null : nowMs + 4000 + Math.floor(dice[1] * 20_000)
    const isLow = journal.freeBytes() < 1 << 20
    const answer = heartbeats.beat(profileId, cancelAtMs)
    const isNear = cancelAtMs !== null && cancelAtMs < nowMs + 5000
    const isFired = model.controls.isFired(profileId)
    const compare = (result: Awaited<typeof answer>) => {
      if (isLow && result === REJECT.OVERLOADED) return
      if (isNear) assert.equal(result, REJECT.VALIDATION)
      else if (typeof result !== 'number') assert.equal(result.cancelAtMs, cancelAtMs)
      else assert(isFired && result === REJECT.HEARTBEAT_CANCELING, 'only one that is under way')
    }
    this.#told(answer)
    this.#life.follow(answer.then(compare))
  }

  /** A window of some seconds, soon; or the end of one. */
  restrict({ dice }: Step): void {
    const { modes, model, pipeline } = this.#life
    const nowMs = pipeline.sequencer.nowMs()
    const [first] = model.controls.windows
    if (first !== undefined && dice[1] < 0.3) {
      this.#told(modes.end(first.windowId))
      return
    }
    const startsAtMs = nowMs + Math.floor(dice[0] * 3000)
    const endsAtMs = startsAtMs + 1 + Math.floor(dice[1] * 5000)
    const mode = MODES[Math.floor(dice[0] * 97) % MODES.length]
    this.#told(modes.put({ mode, startsAtMs, endsAtMs, publicMessage: '' }))
  }
}
