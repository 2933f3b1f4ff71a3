// One life of the simulated exchange, from a recovery to a crash. The sequencer, pipeline,
// publisher, shards and books are real; disk and threads are simulated, and the clock is a number.

import assert from 'node:assert/strict'
import { resetMarkets } from '../../engine/core/book/market.ts'
import type { Clearing } from '../../engine/core/clearing.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { tokensOf } from '../../engine/domain/markets/market.ts'
import { ORDER_STATUSES } from '../../engine/domain/order.ts'
import { REJECT, type Reject } from '../../engine/domain/reject-precedence.ts'
import { handOver } from '../../engine/shard/hand-over.ts'
import { decodeCommand } from '../../engine/wire/codec.ts'
import { Seal } from '../../persistence/seal.ts'
import { AccountChanges, PartnerAccounts } from '../../server/api/accounts/accounts.ts'
import { OperatorChanges } from '../../server/api/accounts/services.ts'
import {
  MarketChanges,
  SeriesChanges,
  slotSpecOf,
} from '../../server/api/markets/market-changes.ts'
import { CancelEverywhere, Cancels } from '../../server/api/orders/cancels.ts'
import { CancelReplace, HeartbeatChanges } from '../../server/api/orders/services.ts'
import { PackDesk, PackQuotes } from '../../server/api/packs/packs.ts'
import { Curation } from '../../server/api/packs/services.ts'
import { Moves, MovesOnce } from '../../server/api/portfolio/services.ts'
import { TradingModeChanges } from '../../server/api/system/services.ts'
import { CoreIntake } from '../../server/edge/intake/core-intake.ts'
import { intakeProfile } from '../../server/edge/intake/intake-profile.ts'
import { Pipeline, type ShardListener } from '../../server/exchange/pipeline.ts'
import { OrderIds } from '../../server/exchange/read-model/order-ids.ts'
import { PublishedMarkets } from '../../server/exchange/read-model/published.ts'
import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import { DEADLINES_FIRST } from '../../server/exchange/sequencer/sequencer.ts'
import { Shards } from '../../server/exchange/sequencer/shard-map.ts'
import { EmbeddedChain } from '../../server/exchange/settlement/embedded-chain.ts'
import type { SettlementParts } from '../../server/exchange/settlement/mining.ts'
import type { IntakeListener } from '../../server/messages/order-intake.ts'
import { rejectName } from '../support/reject-name.ts'
import { marketSpec } from '../support/specs.ts'
import { expectedRefusal } from './gates.ts'
import { type Model, replayInto } from './model.ts'
import type { Conserves } from './money-watch.ts'
import { Replicated } from './replicated.ts'
import type { Setting } from './script.ts'
import { type SimDisk, SimJournal } from './sim-disk.ts'
import { SimThread } from './sim-thread.ts'
import { Watch } from './watch.ts'

/** With less free space than this a ring or the journal may refuse any command. */
const LOW_BYTES = LIMITS.recordBytesMax + LIMITS.ringReserveBytes + 64 * 1024
const RING_BYTES = 1 << 20
const BLOCK_MS = 500
/** Simulated markets live for moments, so no order could rest before it prices a leg. */
const PACK_TERMS = { restMs: 0, closeMs: 0 }
/** The secret of every token: a simulation does not test who has it. */
export const TOKEN_SECRET = new Uint8Array(32)

/** The state at a moment when everything was settled and durable. */
export interface Checkpoint {
  readonly seq: number
  readonly stateHash: string
  readonly model: Model
}

export interface LifeParts {
  readonly setting: Setting
  readonly disk: SimDisk
  readonly clock: { nowMs: number }
  readonly conserves: Conserves
  readonly checkpoint: Checkpoint
  /** Gets the state hash of the replay when it passes the checkpoint. */
  readonly onCheckpoint: (stateHash: string) => void
}

/** The ids of tokens depend on an address of collateral, whatever it is. */
const SLOT_SPEC_OF = slotSpecOf(`0x${'c'.repeat(40)}`)
const AUTO_REDEEM_MS = 20_000
/** What referrals earn, another rate in each life; the whole fee leaves the exchange nothing. */
const RATES_BPS = [10_000, 10_000, 10_000, 700, 0]
const MATCHED = ORDER_STATUSES.indexOf('MATCHED')
const CANCELED = ORDER_STATUSES.indexOf('CANCELED')

export class Life {
  readonly model: Model
  readonly published = new PublishedMarkets()
  readonly pipeline: Pipeline<SimJournal, CoreIntake>
  readonly shards: Shards
  readonly threads: SimThread[] = []
  readonly journal: SimJournal
  readonly watch: Watch
  readonly changes: MarketChanges
  readonly series: SeriesChanges
  readonly cancels: Cancels
  readonly everywhere: CancelEverywhere
  readonly modes: TradingModeChanges
  readonly heartbeats: HeartbeatChanges
  readonly operators: OperatorChanges
  readonly accounts: AccountChanges
  readonly moves: Moves
  readonly packs: PackDesk
  readonly curation: Curation
  readonly partners: PartnerAccounts
  readonly replaces: CancelReplace
  readonly intake: CoreIntake
  readonly replicated = new Replicated()
  /** Changes without an answer. */
  openChanges = 0
  /** Commands that found the queue of their busy account full. */
  rejected = 0
  readonly recoveredHash: string
  readonly chain = new EmbeddedChain(8453)
  /** Why a thread died; the process must then stop. */
  fault: string | null = null
  hasWakeUp = false
  #lookedMs = 0
  readonly nowMs: () => number
  /** The first reason with which a promise of main was rejected. */
  failure: unknown = null
  /** True while the read tables do not answer in time. */
  readsAreLate = false
  /** Changes of markets, quotes of packs and wide cancels that have no answer yet. */
  opening = 0

  constructor(parts: LifeParts) {
    const { disk, clock } = parts
    this.nowMs = () => clock.nowMs
    this.model = parts.checkpoint.model.copy()
    const exchange = this.#recover(parts)
    const { clearing } = exchange
    this.recoveredHash = exchange.stateHash()
    const { model } = this
    this.watch = new Watch(clearing, { model, disk, conserves: parts.conserves })
    for (const { market, depth } of this.published.all()) {
      const levels = [...depth.bids(), ...depth.asks()]
      const sizeRaw = levels.reduce((sum, level) => sum + level.sizeRaw, 0)
      this.watch.publicRaw[market.marketId] = sizeRaw
    }
    this.pipeline = this.#openPipeline(clearing, parts)
    const { pipeline } = this
    this.journal = pipeline.journal
    this.shards = pipeline.shards
    for (const book of clearing.catalogue.openBooks()) {
      handOver(book, clearing.orders, this.shards.of(book))
    }
    resetMarkets()
    pipeline.start()
    assert(pipeline.intake !== null, 'orders come through the intake')
    const { intake } = pipeline
    this.intake = intake
    const seal = new Seal(new Uint8Array(32))
    this.#replicate(seal)
    this.#watchDecisions()
    const { exchangeAddress } = marketSpec(1)
    this.accounts = new AccountChanges(pipeline, seal, intake)
    this.partners = new PartnerAccounts({ pipeline, seal, intake }, exchangeAddress)
    const isSlugUsed = (slug: string) => Promise.resolve(this.model.slugs.has(slug))
    this.changes = new MarketChanges(pipeline, this.shards, isSlugUsed)
    const isPrefixUsed = (prefix: string) => {
      return Promise.resolve([...this.model.slugs].some((slug) => slug.startsWith(`${prefix}-`)))
    }
    this.series = new SeriesChanges(pipeline, SLOT_SPEC_OF, { isPrefixUsed })
    this.modes = new TradingModeChanges(this.pipeline)
    this.heartbeats = new HeartbeatChanges(this.pipeline)
    this.operators = new OperatorChanges(this.pipeline)
    this.cancels = new Cancels(this.pipeline, {
      order: (_profileId, { slot, generation }) => {
        const accountId = model.ownerOf(slot, generation)
        const status = model.wasMatched(slot, generation) ? MATCHED : CANCELED
        const row = accountId === 0 ? null : { accountId, status }
        return Promise.resolve(this.readsAreLate ? undefined : row)
      },
      // Main has every order here, so it never queries the tables.
      orderByClientId: () => Promise.resolve(undefined),
    })
    this.everywhere = new CancelEverywhere(pipeline, this.cancels)
    this.replaces = new CancelReplace(pipeline, this.cancels)
    this.packs = new PackDesk(pipeline, new PackQuotes(new Uint8Array(32)), PACK_TERMS)
    this.curation = new Curation(pipeline, this.packs, PACK_TERMS.closeMs)
    // No tables are there to give the first reply of a call again.
    this.moves = new Moves(pipeline, new MovesOnce(pipeline, () => Promise.resolve(undefined)))
  }

  #openPipeline(clearing: Clearing, parts: LifeParts): Pipeline<SimJournal, CoreIntake> {
    const { setting, disk } = parts
    return new Pipeline({
      clearing,
      published: this.published,
      ids: new OrderIds(new Uint8Array(32)),
      clock: reportedClock(this.nowMs),
      monotonicMs: () => {
        this.#lookedMs += setting.lookMs
        return this.#lookedMs
      },
      openJournal: (onDurable) =>
        new SimJournal(disk, {
          onDurable,
          onAppend: (seq, record) => this.watch.journaled(seq, record),
        }),
      openShards: (listener) => this.#shardsOf(setting.threads, listener),
      openIntake: (listener) => this.#startIntake(listener),
      onDurable: () => {},
      profileWaitSec: () => 0,
      settlement: this.#settlementOn(parts),
      slots: { booksMax: LIMITS.booksMax, specOf: SLOT_SPEC_OF },
    })
  }

  #startIntake(listener: IntakeListener): CoreIntake {
    const intake = new CoreIntake({ ...listener, domain: { name: 'Simulated', chainId: 1 } })
    this.replicated.listen(intake)
    return intake
  }

  /** Replicates to the intake what a journal held, as server/start/open.ts does. */
  #replicate(seal: Seal): void {
    this.model.tokenIds.clear()
    const { catalogue, accounts } = this.pipeline.clearing
    for (const market of catalogue.all())
      if (tokensOf(market).length > 0) this.intake.addMarket(market)
    for (let profileId = 1; profileId <= accounts.count; profileId++) {
      this.intake.putProfile(intakeProfile(accounts, seal, profileId))
    }
    for (const [tokenId, token] of this.model.tokens) {
      if (!token.isRevoked) this.replicateToken(tokenId)
    }
  }

  /** The number of a valid token, which the model receives too. */
  tokenNoOf(tokenId: string): number {
    const token = this.pipeline.clearing.accounts.tokenById(tokenId)
    assert(token !== undefined, 'a valid token is known')
    this.model.tokenIds.set(token.tokenNo, tokenId)
    return token.tokenNo
  }

  replicateToken(tokenId: string): void {
    const token = this.model.tokens.get(tokenId)
    assert(token !== undefined, 'only an existing token is replicated')
    // It was revoked before it was durable.
    if (token.isRevoked) return
    const { profileId, scopes } = token
    const account = this.model.partners.profiles.get(profileId)?.account ?? ''
    const tokenNo = this.tokenNoOf(tokenId)
    this.intake.addToken({ tokenNo, tokenId, profileId, account, scopes, secret: TOKEN_SECRET })
  }

  /** Checks each decision against the model, whoever sends the order and whenever it is decided. */
  #watchDecisions(): void {
    const { sequencer, clearing, queues } = this.pipeline
    const place = sequencer.place.bind(sequencer)
    sequencer.place = (request, record) => {
      const { order } = request
      const expected = expectedRefusal(this.model, request, sequencer.nowMs(), this.capacity)
      const before = this.watch.lines.newestOf(order.accountId)
      const refusal = place(request, record)
      // Nothing is decided yet: the same order comes again when its market's deadlines are stamped.
      if (refusal === DEADLINES_FIRST) return refusal
      this.watch.lines.decided(order, { refusal, at: clearing.lastSeq, before })
      this.checked(() => {
        if (refusal === REJECT.OVERLOADED) this.assertLow(order.book)
        else assert.equal(rejectName(refusal), expected, 'the gates answer as the model does')
      })
      return refusal
    }
    const wait = queues.wait.bind(queues)
    queues.wait = (accountId, then, run) => {
      const isTaken = wait(accountId, then, run)
      if (!isTaken) this.rejected++
      return isTaken
    }
  }

  /** A command is refused for lack of space only while there is little. */
  assertLow(book: number): void {
    const { journal, shards } = this
    const isFull = book !== 0 && shards.of(book).freeBytes() < LOW_BYTES
    const isLow = isFull || journal.freeBytes() < LOW_BYTES
    assert(isLow, 'no command is refused while there is space')
  }

  /** Lets a failed check fail the world where nothing else would report it. */
  checked(check: () => void): void {
    try {
      check()
    } catch (reason) {
      this.failure ??= reason
    }
  }

  #settlementOn({ setting, disk }: LifeParts): SettlementParts {
    const { trades } = this.model.chain
    return {
      port: this.chain,
      // Some worlds mine each trade as soon as it is settled and durable.
      blockMs: setting.accounts > 6 ? 0 : BLOCK_MS,
      // In some worlds nobody redeems but the profiles themselves.
      autoRedeemMs: setting.accounts > 2 ? AUTO_REDEEM_MS : 0,
      waiting: [...trades.keys()],
      // So few that a trade with three makers takes several commands.
      reversalLegsMax: setting.accounts > 3 ? 4 : LIMITS.reversalLegsMax,
      referralBps: RATES_BPS[disk.lastSeq % RATES_BPS.length],
      // A seed must play out the same every time.
      drawMs: (belowMs) => (disk.lastSeq * 7919) % belowMs,
      tradeOf: (tradeSeq) => {
        const isShown = !this.readsAreLate && tradeSeq <= disk.reportedSeq
        return Promise.resolve(isShown ? trades.get(tradeSeq)?.settled : undefined)
      },
    }
  }

  #shardsOf(threads: number, { visitor }: ShardListener): Shards {
    return new Shards({
      threads,
      visitor: this.watch.before(visitor),
      ringBytes: RING_BYTES,
      onReady: () => {
        this.hasWakeUp = true
      },
      onFault: (sentence) => {
        this.fault = sentence
      },
      start: (_name, rings) => {
        const thread = new SimThread(rings)
        this.threads.push(thread)
        return thread
      },
    })
  }

  /** Replays a journal as server/start/open.ts does, and the model from the checkpoint on. */
  #recover({ setting, disk, checkpoint, onCheckpoint }: LifeParts): Exchange {
    const exchange = new Exchange(new OrderTable(setting.capacity))
    const { published, model } = this
    exchange.onEvents = (...events) => published.replayedEvents(...events)
    disk.recover((record) => {
      const command = decodeCommand(record)
      exchange.apply(command)
      if (command.seq > checkpoint.seq) replayInto(model, command)
      if (command.seq === checkpoint.seq) onCheckpoint(exchange.stateHash())
      published.replayed(command, exchange.clearing)
    })
    return exchange
  }

  /** Lets a failed check at the end of a promise fail the world. */
  follow(promise: Promise<unknown>): void {
    promise.catch((reason: unknown) => {
      this.failure ??= reason
    })
  }

  /** Any answer comes only once the commands before it are durable. */
  reportsLater(answer: Promise<unknown>): void {
    const { watch, pipeline } = this
    const at = pipeline.clearing.lastSeq
    // A refusal for lack of space rests on nothing that a crash could take back.
    const report = (result: unknown) => {
      if (result !== REJECT.OVERLOADED) watch.reported(at)
    }
    this.follow(answer.then(report))
  }

  /** Nothing stops this change except a lack of space. */
  changed(answer: Promise<Reject | null>): Promise<Reject | null> {
    const wasFree = this.journal.freeBytes() > (1 << 20) - LIMITS.recordBytesMax
    this.reportsLater(answer)
    this.openChanges++
    const answered = answer.finally(() => {
      this.openChanges--
    })
    this.follow(answered.then((refused) => assert(refused === null || !wasFree, 'there is space')))
    return answer
  }

  get capacity(): number {
    return this.pipeline.clearing.orders.capacity
  }

  /** Whether a resolved market counts for a pack, or the time of an offer is over. */
  get packsAreDue(): boolean {
    const { clearing, sequencer } = this.pipeline
    const nowMs = sequencer.nowMs()
    const areOver = [...clearing.packs.offers()].some(({ expiresMs }) => expiresMs <= nowMs)
    return areOver || clearing.packs.due.size > 0
  }

  /** True when every market has answered everything, and all of it is durable. */
  get isAtRest(): boolean {
    const { queues, orders, slots, sequencer } = this.pipeline
    if (slots !== null && slots.nextDueMs <= sequencer.nowMs()) return false
    const isQuiescent = this.shards.areIdle && this.journal.waitingCount === 0
    if (this.packsAreDue) return false
    if (this.pipeline.clearing.orderGroups.exceeded.size > 0) return false
    if (queues.count > 0 || orders.reserved > 0 || this.opening > 0) return false
    // One time slice left deadlines to the next tick.
    if (sequencer.isCut) return false
    // A large amount is published in slices.
    if (!this.shards.all.every((shard) => shard.isPublished)) return false
    return (
      isQuiescent && this.model.pendingCount === 0 && this.pipeline.mining?.isRequesting === false
    )
  }

  /** The follower scores the open sample once its tables show it, now and then again. */
  score(): void {
    const { referrals } = this.model
    const isShown = referrals.openSeq > 0 && referrals.openSeq <= this.journal.durableSeq
    if (isShown && !this.readsAreLate) this.pipeline.mining?.rewards.scored(referrals.scored())
  }

  /** Main learns that frames have come, if a thread woke it up. */
  receive(): void {
    if (!this.hasWakeUp) return
    this.hasWakeUp = false
    this.pipeline.drain()
  }
}
