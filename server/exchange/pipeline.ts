// Assembles the order path in the order of design §3 (intake → sequence → journal ∥ match → settle
// → publish), and drains it. The main thread owns everything here. A public method either answers,
// or refuses and has done nothing. A promise resolves once its answer is durable (invariant 1).

import type { Clearing } from '../../engine/core/clearing.ts'
import type { Market } from '../../engine/core/markets/catalogue.ts'
import { openedBy, replicatedBy } from '../../engine/core/markets/market-commands.ts'
import type { ControlCommand } from '../../engine/domain/command.ts'
import type { ProfileId, Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import type { FrameVisitor } from '../../engine/shard/shard-handle.ts'
import type { JournalWriter } from '../../persistence/journal/journal-port.ts'
import { FORM } from '../messages/intake-layout.ts'
import type { IntakeListener, OrderIntake } from '../messages/order-intake.ts'
import type { OrderTimes } from '../ops/order-times.ts'
import { PackSchedule } from './jobs/pack-schedule.ts'
import { SlotClock, type SlotClockParts } from './jobs/slot-clock.ts'
import { AccountQueues } from './order-entry/account-queues.ts'
import { OrderBatches } from './order-entry/order-batches.ts'
import { OrderEntry, type OrderEntryParts, TokenUses } from './order-entry/order-entry.ts'
import type { SeenLookups } from './order-entry/seen-lookups.ts'
import { UserCancels } from './order-entry/user-cancels.ts'
import { Publisher, publishedThrough } from './publisher/durable-publisher.ts'
import { ShownWaiters } from './publisher/shown-waiters.ts'
import type { OrderIds } from './read-model/order-ids.ts'
import type { PublishedMarkets } from './read-model/published.ts'
import { AheadOfTables } from './sequencer/ahead-of-tables.ts'
import type { Clock } from './sequencer/clock.ts'
import { DeadlineTimer } from './sequencer/deadline-timer.ts'
import { QuiescentPoint } from './sequencer/quiescent-point.ts'
import { Replica } from './sequencer/replica.ts'
import { byOperator, type Decision, Sequencer } from './sequencer/sequencer.ts'
import type { Shards } from './sequencer/shard-map.ts'
import { StampTimes } from './sequencer/stamp-times.ts'
import { TimeSlice } from './sequencer/time-slice.ts'
import { Mining, type SettlementParts } from './settlement/mining.ts'

/** Receives the frames of the market threads. */
export interface ShardListener {
  readonly visitor: FrameVisitor
  /** Called when frames may have come. */
  readonly onReady: () => void
}

/** The pipeline starts the threads around it, and gives each its listener at the start. */
export interface PipelineParts<
  Journal extends JournalWriter,
  Intake extends OrderIntake = OrderIntake,
> extends Pick<OrderEntryParts, 'isArchived'> {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly ids: OrderIds
  readonly clock: Clock
  /** `onDurable` is called with each new durable seq; seqs only rise. */
  readonly openJournal: (onDurable: (seq: Seq) => void) => Journal
  readonly openShards: (listener: ShardListener) => Shards
  /** Absent when signed orders never come. */
  readonly openIntake?: (listener: IntakeListener) => Intake
  /** Absent when the caller calls `tick` as time passes. */
  readonly isTimed?: boolean
  /** Milliseconds since any instant, by which time slices end. Absent when they never end. */
  readonly monotonicMs?: () => number
  /** Called with each new durable seq, after its replies went out. */
  readonly onDurable: (seq: Seq) => void
  /** Seconds the profile must wait before its next order; 0 = none. */
  readonly profileWaitSec: (profileId: ProfileId) => number
  /** Absent when main holds every order there ever was. */
  readonly lookups?: SeenLookups
  /** Absent when trades are never mined. */
  readonly settlement?: SettlementParts
  /** Absent when nobody reads tables. */
  readonly burst?: AheadOfTables
  /** Absent when no series ever runs. */
  readonly slots?: Pick<SlotClockParts, 'booksMax' | 'specOf'>
  /** Called after each drain: a command of another node that waited may be applied now. */
  readonly onDrained?: () => void
  /** Whether what is decided from the state still holds; absent when it always does. */
  readonly mayAnswer?: () => boolean
}

const SEND_AT = 64

function dueOf(part: { readonly nextDueMs: number } | null): number {
  return part?.nextDueMs ?? Number.POSITIVE_INFINITY
}

export class Pipeline<
  Journal extends JournalWriter = JournalWriter,
  Intake extends OrderIntake = OrderIntake,
> {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly ids: OrderIds
  readonly journal: Journal
  readonly sequencer: Sequencer
  readonly publisher: Publisher
  readonly shards: Shards
  readonly tokenUses: TokenUses
  readonly stampTimes = new StampTimes()
  /** Orders and cancels wait while it is on. */
  readonly quiescentPoint: QuiescentPoint
  /** Accounts whose orders and cancels wait for a replacement. */
  readonly queues = new AccountQueues()
  /** Owns each order from its request to its reply. */
  readonly orders: OrderEntry
  /** Requests that hold several orders. */
  readonly batches: OrderBatches
  readonly cancels: UserCancels
  /** Null when trades are never mined. */
  readonly mining: Mining | null
  readonly packSchedule: PackSchedule
  /** Null when no series ever runs. */
  readonly slots: SlotClock | null
  /** Null when signed orders never come. */
  readonly intake: Intake | null
  readonly #parts: PipelineParts<Journal, Intake>
  #timer: DeadlineTimer | null = null
  #isStarted = false
  #isReplica = false
  #sendDue = false
  #drainDue = false
  /** Index of the shard to drain next. */
  #drainNext = 0
  #unsent = 0
  #dueSoon = false
  readonly #drainSlice: TimeSlice
  readonly #replica: Replica
  readonly #replicaListeners: ((command: ControlCommand) => void)[] = []
  /** Reads that wait for a seq. */
  readonly shown: ShownWaiters

  constructor(parts: PipelineParts<Journal, Intake>) {
    const { clearing, published, clock, mayAnswer, monotonicMs = () => 0 } = parts
    const newSlice = () => new TimeSlice(monotonicMs)
    this.#parts = parts
    this.clearing = clearing
    this.published = published
    this.ids = parts.ids
    this.#drainSlice = newSlice()

    this.publisher = new Publisher({ clearing, published, slice: newSlice(), mayAnswer })
    this.journal = parts.openJournal((seq) => this.#durable(seq))
    this.shards = parts.openShards({ visitor: this.publisher, onReady: () => this.drain() })
    this.sequencer = new Sequencer({
      clearing,
      clock,
      journal: this.journal,
      shards: this.shards,
      slice: newSlice(),
      burst: parts.burst ?? new AheadOfTables(),
      afterStamp: (seq, kind, reason = 0) => this.#stamped(seq, kind, reason),
      onControl: (command) => this.#changed(command),
      onFired: (seq, profileIds) => this.#fired(seq, profileIds),
      chain: parts.settlement?.port.followed ?? null,
    })
    const { publisher, sequencer, shards, queues } = this
    this.quiescentPoint = new QuiescentPoint({
      isQuiescent: () => shards.areIdle,
      pause: () => this.intake?.pause(),
      resume: () => {
        this.intake?.resume()
        parts.onDrained?.()
      },
    })

    const ofMining = { clearing, publisher, sequencer, shards: shards.all }
    const onArchived = this.#archived
    this.mining = parts.settlement
      ? new Mining({ ...parts.settlement, ...ofMining, onArchived })
      : null
    this.packSchedule = new PackSchedule({ clearing, sequencer })
    this.slots = parts.slots
      ? new SlotClock({ ...parts.slots, clearing, sequencer, slice: newSlice() })
      : null
    this.tokenUses = new TokenUses(sequencer)

    const { mining, tokenUses, quiescentPoint } = this
    this.orders = new OrderEntry({ ...parts, sequencer, publisher, mining, queues, tokenUses })
    this.batches = new OrderBatches(this.orders)
    this.cancels = new UserCancels({ clearing, sequencer, publisher, quiescentPoint })
    this.intake = parts.openIntake?.(this.#intakeListener) ?? null
    this.orders.connect(this.intake)
    this.shown = new ShownWaiters(() => publishedThrough(publisher, shards.all))
    this.#replica = new Replica({
      clearing,
      shards,
      onApplied: (seq, reason) => this.#replicated(seq, reason),
      onControl: (command, apply) => this.#replicatedControl(command, apply),
    })
    publisher.connect(this.journal.durableSeq, { sequencer, mining, orders: this.orders })
  }

  /**
   * From now on commands are decided and deadlines come. Before it the market threads have taken
   * over their books, and nothing moves but by commands of another node.
   */
  start(): void {
    const { sequencer, mining, slots, packSchedule: packs } = this
    mining?.resume()
    sequencer.resume()
    if (!this.#isReplica) this.stampTimes.begin(this.clearing.lastSeq, sequencer.nowMs())
    this.#isStarted = true
    if (this.#parts.isTimed !== true) return
    this.#timer = new DeadlineTimer({
      nowMs: () => sequencer.nowMs(),
      nextMs: () => Math.min(sequencer.nextDueMs, dueOf(mining), dueOf(slots), packs.nextDueMs),
      run: () => this.tick(),
    })
  }

  /** From now on no deadline comes by the clock. */
  stopTimer(): void {
    this.#timer?.stop()
  }

  get times(): OrderTimes {
    return this.publisher.times
  }

  #stamped(seq: Seq, kind: number, reason: number): void {
    this.times.stamped(seq, kind)
    this.stampTimes.note(seq, this.clearing.lastNowMs)
    this.publisher.orderEvents.stamped(seq, reason)
    this.#sendSoon()
  }

  #fired(seq: Seq, profileIds: readonly ProfileId[]): void {
    this.publisher.whenDurable(seq, () => this.sequencer.heartbeats.ended(profileIds))
  }

  /** Shows what a control command made of markets, once that is durable. */
  #changed(command: ControlCommand): void {
    this.slots?.applied(command)
    this.mining?.port.applied(command)
    // A deadline may pass, and need capacity in its shard, before the command is durable.
    for (const { book } of openedBy(command, this.clearing.catalogue)) this.shards.of(book)
    for (const market of replicatedBy(command, this.clearing.catalogue))
      this.intake?.addMarket(market)
    const show = this.published.shownBy(command, this.clearing)
    if (show !== null) this.publisher.whenDurable(command.seq, show)
  }

  /** Until `start`, another node decides. */
  beginReplica(): void {
    this.#isReplica = true
    this.stampTimes.begin(this.clearing.lastSeq, this.clearing.lastNowMs)
  }

  /** Calls `run` with each control command of another node, when it is applied and durable. */
  listenToReplicated(run: (command: ControlCommand) => void): void {
    this.#replicaListeners.push(run)
  }

  /** Whether this node decides. */
  get isStarted(): boolean {
    return this.#isStarted
  }

  /**
   * Applies a command that another node decided, and that is durable. False if results of earlier
   * ones must come first: then it is offered again after a drain.
   */
  replicate(record: Uint8Array): boolean {
    if (this.#replica.apply(record)) return true
    // What is applied is durable: its results may be settled and published.
    this.#send()
    this.#durable(this.clearing.lastSeq)
    return this.#replica.apply(record)
  }

  /** The commands so far may be settled and published. False while the state must stay as it is. */
  batchEnded(): boolean {
    this.#send()
    return !this.quiescentPoint.isOn
  }

  #replicated(seq: Seq, reason: number): void {
    this.stampTimes.note(seq, this.clearing.lastNowMs)
    this.publisher.orderEvents.stamped(seq, reason)
    this.#sendSoon()
  }

  #replicatedControl(command: ControlCommand, apply: () => void): void {
    const { catalogue } = this.clearing
    const ended =
      command.kind === 'archiveMarket' ? catalogue.existing(command.marketId) : undefined
    apply()
    this.#changed(command)
    this.mining?.replicated(command)
    if (ended !== undefined) this.publisher.whenDurable(command.seq, () => this.#archived(ended))
    for (const run of this.#replicaListeners) run(command)
  }

  readonly #intakeListener: IntakeListener = {
    onResult: (result) => this.orders.verdict(result),
    onPart: (result, part) => this.batches.onPart(result, part),
    addressOf: ({ requestId, form }) => {
      return (form === FORM.ORDER ? this.orders : this.batches).addressOf(requestId)
    },
  }

  readonly #archived = (market: Market): void => {
    this.published.remove(market)
    this.intake?.archiveMarket(market.slug)
  }

  get durableSeq(): Seq {
    return this.publisher.durableSeq
  }

  /** How many orders, cancels and replies are under way. */
  get underWay(): number {
    const looking = this.#parts.lookups?.count ?? 0
    return this.orders.count + this.queues.waiting + looking + this.publisher.waitingCount
  }

  /** Publishes the rings to their threads once per event-loop tick, or earlier when much is in. */
  #sendSoon(): void {
    if (++this.#unsent === SEND_AT) this.#send()
    if (this.#sendDue) return
    this.#sendDue = true
    setImmediate(() => {
      this.#sendDue = false
      this.#send()
      this.#continueDue()
      this.#timer?.check()
    })
  }

  #send(): void {
    this.#unsent = 0
    this.times.handed()
    for (const shard of this.shards.all) shard.send()
    this.journal.send()
  }

  #durable(seq: Seq): void {
    this.publisher.advance(seq)
    this.drain()
    this.#parts.onDurable(seq)
  }

  /**
   * Settles what the markets answered, and publishes what is durable, for the length of one time
   * slice. The rest continues in the next event-loop tick, so that nobody waits for a sweep or a
   * wide cancel. The shards alternate in bounded parts, so no shard waits for another that is
   * always busy.
   */
  drain(): void {
    this.#drainSlice.begin()
    let idle = 0
    while (idle < this.shards.all.length) {
      if (this.#drainPart()) idle = 0
      else idle++
      if (idle > 0 || !this.#drainSlice.isOver) continue
      this.#drainSoon()
      break
    }
    this.publisher.orderEvents.flush(this.publisher.durableSeq, this.shards.all)
    this.publisher.reportAnswered()
    if (this.#isStarted) this.mining?.drained()
    this.quiescentPoint.check()
    // The cancels of a group precede whatever is decided after the fill that closes it.
    if (this.#isStarted && this.clearing.orderGroups.exceeded.size > 0) this.#emitDue()
    else this.#retryOrders()
    this.#timer?.check()
    this.shown.check()
    this.#parts.onDrained?.()
  }

  /** Drains a part of the next shard. True when the shard may have more. */
  #drainPart(): boolean {
    const shard = this.shards.all[this.#drainNext]
    const { durableSeq } = this.publisher
    this.#drainNext = (this.#drainNext + 1) % this.shards.all.length
    const settled = shard.drain(durableSeq, LIMITS.drainWorkPerLook)
    this.times.drained()
    const published = shard.publishThrough(durableSeq, LIMITS.drainWorkPerLook)
    return settled + published >= LIMITS.drainWorkPerLook
  }

  #drainSoon(): void {
    if (this.#drainDue) return
    this.#drainDue = true
    setImmediate(() => {
      this.#drainDue = false
      this.drain()
    })
  }

  /** Emits every deadline that is due; the timer calls it, or the caller. */
  tick(): void {
    this.#emitDue()
    this.slots?.tick()
    this.packSchedule.tick()
    this.mining?.tick()
  }

  #emitDue(): void {
    if (this.quiescentPoint.isOn) return
    this.sequencer.emitDue(this.sequencer.nowMs())
    this.#retryOrders()
    this.#continueDue()
  }

  /** Decides the orders that waited for a deadline, as far as it is stamped now. */
  #retryOrders(): void {
    if (this.orders.waiting > 0 && !this.quiescentPoint.isOn) this.orders.retry()
  }

  /** Deadlines that one time slice left continue in the next event-loop tick. */
  #continueDue(): void {
    if (!this.sequencer.isCut || this.#dueSoon) return
    this.#dueSoon = true
    setImmediate(() => {
      this.#dueSoon = false
      if (this.sequencer.isCut) this.#emitDue()
    })
  }

  /**
   * The one way to stamp a control command. `decide` runs at the time of the stamp, after every
   * deadline that is due. It gives the command, the refusal, or null when there is nothing to do.
   * Resolves when everything that the answer rests on is durable: with null, or with the refusal.
   * `by` names the requesting operator.
   */
  async change(decide: Decision, by?: string): Promise<Reject | null> {
    const { seq, reject } = this.sequencer.change((nowMs) => {
      const decided = decide(nowMs)
      return decided === null || decided instanceof Reject ? decided : byOperator(decided, by)
    })
    await this.durable(seq)
    return reject
  }

  /** Resolves when `seq` is durable. A refusal waits for the seq at which it was decided. */
  durable(seq?: Seq): Promise<void> {
    return this.publisher.durable(seq)
  }

  /** Returns a refusal that rests on state once the seq of its decision is durable. */
  async refused(reject: Reject): Promise<Reject> {
    await this.durable()
    return reject
  }

  /** Waits until nothing is under way: every reply went out, every market is idle and shown. */
  async whenIdle(): Promise<void> {
    while (this.underWay > 0 || !this.shards.areIdle) {
      await new Promise(setImmediate)
    }
    await this.durable()
    // Durable records are published over several event-loop ticks.
    while (!this.shards.all.every((shard) => shard.isPublished)) {
      this.drain()
      await new Promise(setImmediate)
    }
  }
}
