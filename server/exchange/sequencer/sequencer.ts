// Hot path. bench/pipeline.bench.ts
// The one place that decides and stamps. Everything from the first gate to the last ring is
// synchronous, so no decision sees half of another (invariant 2). Main's thread owns it.
// Invariants: seq counts by one. nowMs never goes back. A command is stamped only if every ring
// that it must enter has space. A command of a deadline is never stamped before that deadline, and
// no order enters a market before what is due there.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { type Amended, decideDecrease } from '../../../engine/core/decide/amend.ts'
import { decidePlace, expiresAtMs, type PlaceRequest } from '../../../engine/core/decide/decide.ts'
import { whyHeldByWallets } from '../../../engine/core/decide/money/chain-moves.ts'
import { fillRelease } from '../../../engine/core/decide/release.ts'
import { BookDeadlines } from '../../../engine/core/markets/book-deadlines.ts'
import { Deadlines, HeapPlaces } from '../../../engine/core/markets/deadlines.ts'
import { openedBy } from '../../../engine/core/markets/market-commands.ts'
import { keptAtClose } from '../../../engine/core/orders/order-groups.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { ControlCommand, Stamp } from '../../../engine/domain/command.ts'
import { CANCEL_REASONS, type CancelReason } from '../../../engine/domain/event.ts'
import type {
  AccountId,
  Book,
  MarketId,
  OrderGroupId,
  ProfileId,
  Seq,
  Slot,
} from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { SizeRaw, TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { blankCancel, scratchCancel } from '../../../engine/wire/cancel-codec.ts'
import { packControl } from '../../../engine/wire/codec.ts'
import { encodeDecrease } from '../../../engine/wire/decrease-codec.ts'
import { replacementOf, stampPlace } from '../../../engine/wire/place-codec.ts'
import {
  DECREASE_BYTES,
  KIND,
  PLACE_HEAD_BYTES,
  REPLACED_BYTES,
} from '../../../engine/wire/record-layout.ts'
import { blankRelease, scratchRelease } from '../../../engine/wire/release-codec.ts'
import type { JournalWriter } from '../../../persistence/journal/journal-port.ts'
import type { AheadOfTables } from './ahead-of-tables.ts'
import type { Clock } from './clock.ts'
import { type CancelStamper, closedBy, DueCancels, type OrderName } from './due-cancels.ts'
import { HeartbeatDeadlines } from './heartbeat-deadlines.ts'
import { Releases } from './releases.ts'
import type { TimeSlice } from './time-slice.ts'

type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never

/** A control command before it is stamped. */
export type ControlBody = Unstamped<ControlCommand>

/**
 * Decides a control command (`Sequencer.change`): returns the command, the refusal, or null for
 * nothing to do.
 */
export type Decision = (nowMs: TimeMs) => ControlBody | Reject | null

/** The same command with the name of the operator who caused it, if any. */
export function byOperator(body: ControlBody, by: string | undefined): ControlBody {
  return by === undefined ? body : { ...body, by }
}

export type { OrderName } from './due-cancels.ts'

/** A named order is entering its market, so the cancel must wait (rules §4.3). */
export const RELEASING = Symbol('an order is being released')

/** Something is due in the order's market that is not stamped yet: the order waits for it. */
export const DEADLINES_FIRST = Symbol('deadlines come first')

/** Space for the widest cancel, including frame and head. */
const CANCEL_BYTES = 1024 + LIMITS.cancelItemsMax * 8
const RELEASE_BYTES = 64 + PLACE_HEAD_BYTES
// A command that fits outside the headroom follows all due cancels: they fitted too.
assert(CANCEL_BYTES <= LIMITS.ringReserveBytes, 'a cancel that is due fits the headroom')

/** An EVM chain, whose wallets hold the funds. */
export interface FollowedChain {
  /** Whether its newest blocks are not seen, so that orders are refused. */
  isBehind(nowMs: TimeMs): boolean
}

export class Sequencer {
  readonly #clearing: Clearing
  readonly #journal: JournalWriter
  readonly #shards: { of(book: Book): ShardHandle }
  readonly #clock: Clock
  readonly #chain: FollowedChain | null
  readonly #afterStamp: (seq: Seq, kind: number, reason?: number) => void
  readonly #onControl: (command: ControlCommand) => void
  readonly #onFired: (seq: Seq, profileIds: readonly ProfileId[]) => void
  readonly #cancel = blankCancel(LIMITS.cancelItemsMax)
  readonly #release = blankRelease()
  readonly releases: Releases
  readonly #expiries = new BookDeadlines()
  readonly #burst: AheadOfTables
  /** By book. */
  readonly #marketDeadlines = new Deadlines(new HeapPlaces(LIMITS.booksMax + 1))
  readonly heartbeats = new HeartbeatDeadlines()
  readonly #dueCancels: DueCancels
  readonly #slice: TimeSlice
  /** The time at which something was found due that is not stamped yet. */
  #dueMs: TimeMs = 0
  /** The last time slice ended before everything due was stamped. */
  #isCut = false
  /** True from the first gate to the last ring. It stays true if an exception occurs in between. */
  isTorn = false
  /** False while another node decides: then every decision is refused as overload. */
  #isDeciding = false

  constructor(parts: {
    clearing: Clearing
    journal: JournalWriter
    shards: { of(book: Book): ShardHandle }
    clock: Clock
    /**
     * Called with the seq and the KIND of a command that was put into a ring, and with the reason
     * of a cancel. The owner makes the ring's contents visible to its thread within this tick.
     */
    afterStamp: (seq: Seq, kind: number, reason?: number) => void
    /** A control command was applied and put into the journal's ring. */
    onControl: (command: ControlCommand) => void
    /** The heartbeats of these profiles fired, and the seq of their last cancel is at most this. */
    onFired: (seq: Seq, profileIds: readonly ProfileId[]) => void
    /** Bounds the work on deadlines in one event-loop tick. */
    slice: TimeSlice
    burst: AheadOfTables
    /** Null when the exchange holds the funds itself. */
    chain: FollowedChain | null
  }) {
    this.#clearing = parts.clearing
    this.#journal = parts.journal
    this.#shards = parts.shards
    this.#clock = parts.clock
    this.#afterStamp = parts.afterStamp
    this.#onControl = parts.onControl
    this.#onFired = parts.onFired
    this.#slice = parts.slice
    this.#burst = parts.burst
    this.#chain = parts.chain
    this.#dueCancels = new DueCancels(parts.clearing)
    this.releases = new Releases(parts.clearing)
  }

  /** Whether `emitDue` should run again in the next event-loop tick. */
  get isCut(): boolean {
    return this.#isCut
  }

  /**
   * The sequencer's time: the clock, but never before the last command, and never before the time
   * at which something was found due. So a command that waits for ring space is not early when the
   * clock steps back.
   */
  nowMs(): TimeMs {
    return Math.max(this.#clock.nowMs(), this.#clearing.lastNowMs, this.#dueMs)
  }

  /**
   * Decides an order whose PLACE record the intake filled. Returns null, or the reason why the
   * order is not stamped: then nothing was changed.
   */
  place(
    request: PlaceRequest,
    record: Uint8Array,
  ): ReturnType<typeof decidePlace> | typeof DEADLINES_FIRST {
    const { order } = request
    const nowMs = this.#ready(order.book, record.length + REPLACED_BYTES)
    if (nowMs === null) return REJECT.OVERLOADED
    if (this.#isBehindIn(order.book, nowMs)) return this.#over(DEADLINES_FIRST)
    if (this.#chain?.isBehind(nowMs)) return this.#over(REJECT.CHAIN_BEHIND)
    const refusal = decidePlace(this.#clearing, request, nowMs)
    if (refusal !== null) return this.#over(refusal)
    order.seq = this.#clearing.lastSeq + 1
    order.nowMs = nowMs
    const stamped = order.replacedSlot === 0 ? record : replacementOf(record, order)
    stampPlace(stamped, order)
    this.#clearing.admitOrder(order)
    faultPoint('after-decide')
    if (order.expirationSec !== 0) {
      this.#expiries.add(order.book, order.slot, expiresAtMs(order.expirationSec))
    }
    this.#journal.append(order.seq, stamped)
    this.#shards.of(order.book).place(order.seq, stamped)
    this.#afterStamp(order.seq, KIND.PLACE)
    return this.#over(null)
  }

  /**
   * Cancels orders of one open book that passed `decideCancel`. Returns the seq, OVERLOADED or
   * RELEASING. With RELEASING, one of them is being released, perhaps only just now, and nothing
   * was changed.
   */
  cancel(book: Book, orders: readonly OrderName[]): Seq | Reject | typeof RELEASING {
    assert(orders.length <= LIMITS.cancelItemsMax, 'a cancel is one command')
    const bytes = 64 + orders.length * 8
    const nowMs = this.#ready(book, bytes)
    if (nowMs === null) return REJECT.OVERLOADED
    if (this.releases.among(orders).length > 0) return this.#over(RELEASING)
    return this.#over(this.#stampCancel(book, orders, 'USER', nowMs))
  }

  /**
   * Takes shares off an open order, so that `sizeRaw` may still trade (rules §4.10). Returns the
   * seq, RELEASING as for a cancel, or the refusal; then nothing was changed.
   */
  decrease(
    accountId: AccountId,
    amended: Amended,
    sizeRaw: SizeRaw,
  ): Seq | Reject | typeof RELEASING {
    const { orders, catalogue } = this.#clearing
    const { slot, generation } = amended
    const book = orders.isLive(slot, generation) ? orders.bookOf(slot) : 0
    const nowMs = this.#ready(book, DECREASE_BYTES)
    if (nowMs === null) return REJECT.OVERLOADED
    if (this.releases.among([amended]).length > 0) return this.#over(RELEASING)
    const byRaw = decideDecrease(this.#clearing, accountId, amended, sizeRaw)
    if (byRaw instanceof Reject) return this.#over(byRaw)
    const { marketId } = catalogue.ofBook(book)
    const seq = this.#clearing.lastSeq + 1
    const command = {
      kind: 'decreaseOrder',
      seq,
      nowMs,
      marketId,
      slot,
      generation,
      byRaw,
    } as const
    const record = encodeDecrease(command)
    this.#clearing.admitDecrease(command)
    this.#journal.append(seq, record)
    this.#shards.of(book).decrease(seq, record)
    // Its steps are timed as those of a cancel.
    this.#afterStamp(seq, KIND.CANCEL)
    return this.#over(seq)
  }

  /**
   * The one way to stamp a control command. `decide` runs at the time of the stamp, after every
   * deadline that is due then. It returns the command, the refusal, or null for nothing to do. The
   * cancels that the command causes follow immediately. `seq` is the seq that the answer depends
   * on; it is 0 when overloaded.
   */
  change(decide: Decision): { readonly seq: Seq; readonly reject: Reject | null } {
    const nowMs = this.#ready(0, LIMITS.recordBytesMax)
    if (nowMs === null) return { seq: 0, reject: REJECT.OVERLOADED }
    const decided = decide(nowMs)
    const isOver = decided === null || decided instanceof Reject
    const reject = isOver ? decided : this.#stampAllowed(decided, nowMs)
    if (reject === null && !this.#isCut && !this.#dueCancels.isEmpty) {
      this.#slice.begin()
      this.#emitCancels(nowMs)
    }
    return this.#over({ seq: this.#clearing.lastSeq, reject })
  }

  /**
   * From now on this node decides. Sets every deadline, and adds the cancels that a crash left
   * unstamped.
   */
  resume(): void {
    this.#isDeciding = true
    const { catalogue, chainFunds, frozen, heartbeats, orders, orderGroups, lastSeq } =
      this.#clearing
    for (const { marketId, book, status, deadlineMs } of catalogue.all()) {
      if (book === 0) continue
      if (takesOrders(status)) {
        if (deadlineMs !== null) this.#marketDeadlines.add(book, deadlineMs)
        continue
      }
      const reason = status === 'RESOLVED' ? 'MARKET_RESOLVED' : 'MARKET_LOCKED'
      this.#dueCancels.add({ reason, marketId, beforeSeq: lastSeq + 1 })
    }
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.FREE || orders.expirationSecOf(slot) === 0) continue
      this.#expiries.add(orders.bookOf(slot), slot, expiresAtMs(orders.expirationSecOf(slot)))
    }
    for (const { profileId, cancelAtMs, firedSeq } of heartbeats.all()) {
      if (firedSeq === 0) this.heartbeats.arm(profileId, cancelAtMs)
      else if (this.#cancelBefore('HEARTBEAT', [profileId], firedSeq)) {
        this.heartbeats.began(profileId)
      }
    }
    for (const { profileId, seq } of frozen.all()) {
      this.#cancelBefore('PROFILE_FROZEN', [profileId], seq)
    }
    for (const [profileId, seq] of chainFunds.short()) {
      this.#cancelBefore('FUNDS_MOVED', [profileId], seq)
    }
    orderGroups.resume()
    for (const { id, closedSeq, removedSeq, keptSeq } of orderGroups.all()) {
      if (removedSeq !== 0) this.#cancelGroup(id, removedSeq, 0)
      else if (closedSeq !== 0) this.#cancelGroup(id, closedSeq, keptSeq)
    }
    this.releases.resume()
  }

  /**
   * Emits the due deadlines for one time slice; `isCut` reports whether some are left. A command
   * that finds its market's ring full also stays due, and that market accepts no orders before it;
   * other markets continue. False when the journal is full.
   */
  emitDue(nowMs: TimeMs): boolean {
    this.#isCut = false
    // Every command passes here, and usually nothing is due: then no clock is read.
    if (this.nextDueMs > nowMs) return this.#hasCapacity(0, CANCEL_BYTES)
    this.#slice.begin()
    const isJournalFree =
      this.#closeGroups(nowMs) && this.#lockMarkets(nowMs) && this.#fireHeartbeats(nowMs)
    if (!isJournalFree) return false
    if (!this.#isCut && this.#expiries.nextMs <= nowMs) this.#cancelExpired(nowMs)
    // Every command passes here, so no closure is created for a rare case.
    if (!this.#isCut && !this.#dueCancels.isEmpty) this.#emitCancels(nowMs)
    // Releases follow the due cancels: an order that has ended no longer trades.
    if (!this.#isCut && this.releases.isDue(nowMs)) this.#emitReleases(nowMs)
    if (this.#isBehind(nowMs)) this.#dueMs = nowMs
    return this.#hasCapacity(0, CANCEL_BYTES)
  }

  /** Whether something due at this time is not stamped. */
  #isBehind(nowMs: TimeMs): boolean {
    return (
      this.#isCut ||
      !this.#dueCancels.isEmpty ||
      this.#clearing.orderGroups.exceeded.size > 0 ||
      this.releases.dueCount > 0 ||
      this.#expiries.nextMs <= nowMs
    )
  }

  /**
   * Whether an order must wait for what is due in its market. The orders of a heartbeat or a group
   * may be in any market, so while one is due every order waits. A market past its deadline refuses
   * the order itself.
   */
  #isBehindIn(book: Book, nowMs: TimeMs): boolean {
    if (!this.#isBehind(nowMs)) return false
    if (this.#clearing.orderGroups.exceeded.size > 0) return true
    if (this.heartbeats.nextMs <= nowMs || this.#expiries.nextMsOf(book) <= nowMs) return true
    const market = this.#clearing.catalogue.byBook(book)
    if (market === undefined) return false
    const { marketId } = market
    return this.#dueCancels.holds(marketId) || this.releases.isCutIn(marketId)
  }

  /** False when the journal is full. */
  #lockMarkets(nowMs: TimeMs): boolean {
    while (this.#marketDeadlines.nextMs <= nowMs) {
      if (!this.#hasCapacity(0, CANCEL_BYTES)) return false
      const { marketId, status } = this.#clearing.catalogue.ofBook(this.#marketDeadlines.pop())
      if (!takesOrders(status)) continue
      this.#stampDue({ kind: 'lockMarket', marketId }, nowMs)
      if (this.#cutsHere()) return true
    }
    return true
  }

  /** Closes the groups whose orders filled too much; false when the journal is full. */
  #closeGroups(nowMs: TimeMs): boolean {
    for (const group of this.#clearing.orderGroups.exceeded) {
      if (!this.#hasCapacity(0, CANCEL_BYTES)) return false
      const body = { groupId: group.id, keptSeq: keptAtClose(group) }
      this.#stampDue({ kind: 'closeOrderGroup', ...body }, nowMs)
      if (this.#cutsHere()) return true
    }
    return true
  }

  /** Sets `isCut` if the time slice is over. */
  #cutsHere(): boolean {
    if (this.#slice.isOver) this.#isCut = true
    return this.#isCut
  }

  /** The next time when `emitDue` has something to do; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    if (this.#isCut || !this.#dueCancels.isEmpty || this.releases.dueCount > 0) return this.#dueMs
    if (this.#clearing.orderGroups.exceeded.size > 0) return this.#dueMs
    const ordersMs = Math.min(this.#expiries.nextMs, this.releases.nextMs)
    return Math.min(this.#marketDeadlines.nextMs, this.heartbeats.nextMs, ordersMs)
  }

  #emitReleases(nowMs: TimeMs): void {
    this.releases.emitDue(
      nowMs,
      (slot, marketId) => {
        // A release may fit where a cancel does not, and the due cancel may name this very order.
        const book = this.#bookOf(marketId)
        if (this.#dueCancels.holds(marketId) || this.#expiries.nextMsOf(book) <= nowMs) return false
        const reason = this.#dueCancels.reasonAfterRelease(slot)
        const bytes = reason === null ? RELEASE_BYTES : RELEASE_BYTES + CANCEL_BYTES
        if (!this.#hasCapacity(book, bytes)) return false
        this.#stampRelease(slot, nowMs)
        const generation = this.#clearing.orders.generationOf(slot)
        if (reason !== null) {
          this.#stampCancel(book, [{ slot, generation }], reason, nowMs)
          this.#dueCancels.namedAfterRelease(slot)
        }
        return true
      },
      () => this.#cutsHere(),
    )
  }

  /** Drops the expiry and the release of an ended order. */
  ended(slot: Slot): void {
    if (!this.#isDeciding) return
    if (this.#expiries.count > 0) this.#expiries.remove(this.#clearing.orders.bookOf(slot), slot)
    this.#dueCancels.ended(slot)
    this.releases.ended(slot)
  }

  /** Registers an order held by the taker delay, to be released when its delay ends. */
  held(slot: Slot): void {
    if (!this.#isDeciding) return
    this.releases.held(slot)
  }

  #watch(command: ControlCommand, closing: ReturnType<typeof closedBy>): void {
    this.heartbeats.watch(command)
    for (const { book, deadlineMs } of openedBy(command, this.#clearing.catalogue)) {
      if (deadlineMs !== null) this.#marketDeadlines.add(book, deadlineMs)
    }
    if (command.kind === 'freezeProfile')
      this.#cancelBefore('PROFILE_FROZEN', [command.profileId], command.seq)
    if (command.kind === 'closeOrderGroup')
      this.#cancelGroup(command.groupId, command.seq, command.keptSeq)
    if (command.kind === 'removeOrderGroup') this.#cancelGroup(command.groupId, command.seq, 0)
    if (command.kind === 'followChain' && command.short !== undefined)
      this.#cancelBefore('FUNDS_MOVED', command.short, command.seq)
    for (const { marketId, book, reason } of closing) {
      this.#marketDeadlines.remove(book)
      if (book !== 0) this.#dueCancels.add({ reason, marketId, beforeSeq: command.seq })
    }
  }

  /** The time to stamp with, after all due deadlines are emitted; null when a ring is full. */
  #ready(book: Book, bytes: number): TimeMs | null {
    assert(!this.isTorn, 'no decision follows one that threw')
    if (!this.#isDeciding) return null
    this.isTorn = true
    const nowMs = this.nowMs()
    // What the last time slice left over continues in the next event-loop tick.
    const isEmitted = this.#isCut || this.emitDue(nowMs)
    const isFree = isEmitted && this.#hasCapacity(book, bytes + LIMITS.ringReserveBytes)
    return isFree ? nowMs : this.#over(null)
  }

  #over<T>(value: T): T {
    this.isTorn = false
    return value
  }

  /** Without a book, only the journal needs space. */
  #hasCapacity(book: Book, bytes: number): boolean {
    if (this.#journal.freeBytes(bytes) < bytes) return false
    return book === 0 || this.#shards.of(book).freeBytes(bytes) >= bytes
  }

  /** 0 when the market's book is closed: then none of its orders is live. */
  #bookOf(marketId: MarketId): Book {
    return this.#clearing.catalogue.byId(marketId)?.book ?? 0
  }

  #stampAllowed(body: ControlBody, nowMs: TimeMs): Reject | null {
    const held = this.#chain === null ? null : whyHeldByWallets(this.#clearing, body)
    return held ?? this.#stampControl(body, nowMs)
  }

  /** Encodes before it applies: what the journal cannot take must not change the state. */
  #stampControl(body: ControlBody, nowMs: TimeMs): Reject | null {
    const command = { ...body, seq: this.#clearing.lastSeq + 1, nowMs }
    const record = packControl(command)
    if (record === null) return REJECT.COMMAND_TOO_LARGE
    const closing = closedBy(command, this.#clearing)
    this.#clearing.admitControl(command)
    this.#watch(command, closing)
    this.#journal.append(command.seq, record)
    this.#afterStamp(command.seq, KIND.CONTROL)
    this.#onControl(command)
    return null
  }

  #stampDue(body: ControlBody, nowMs: TimeMs): void {
    assert(this.#stampControl(body, nowMs) === null, 'a command of a deadline fits a record')
  }

  #stampCancel(
    book: Book,
    orders: readonly OrderName[],
    reason: CancelReason,
    nowMs: TimeMs,
  ): number {
    const command = this.#cancel
    command.seq = this.#clearing.lastSeq + 1
    command.nowMs = nowMs
    command.marketId = this.#clearing.catalogue.ofBook(book).marketId
    command.reason = CANCEL_REASONS.indexOf(reason)
    command.count = orders.length
    for (let index = 0; index < orders.length; index++) {
      command.slots[index] = orders[index].slot
      command.generations[index] = orders[index].generation
    }
    const record = scratchCancel(command)
    this.#clearing.admitCancel(command)
    this.#journal.append(command.seq, record)
    this.#shards.of(book).cancel(command.seq, record)
    this.#afterStamp(command.seq, KIND.CANCEL, command.reason)
    return command.seq
  }

  #stampRelease(slot: Slot, nowMs: TimeMs): void {
    const command = this.#release
    command.seq = this.#clearing.lastSeq + 1
    command.nowMs = nowMs
    fillRelease(command, this.#clearing, slot)
    const record = scratchRelease(command)
    this.#clearing.admitRelease(command)
    this.#journal.append(command.seq, record)
    faultPoint('mid-release')
    this.#shards.of(command.book).releaseOrder(command.seq, record)
    this.#afterStamp(command.seq, KIND.RELEASE)
  }

  /** Stamps the due cancels while their markets have ring space and the time slice lasts. */
  #emitCancels(nowMs: TimeMs): void {
    const stamper: CancelStamper = {
      hasCapacity: (marketId) => this.#hasCancelCapacity(marketId),
      stamp: (marketId, reason, orders) => {
        const book = this.#bookOf(marketId)
        if (book === 0) return
        faultPoint('mid-cancels')
        this.#stampCancel(book, orders, reason, nowMs)
        this.#burst.ended(this.#clearing.lastSeq, orders.length)
      },
      isOver: () => this.#slice.isOver,
    }
    const fired: number[] = []
    const isInTime = this.#dueCancels.emit(stamper, (cause) => {
      if (cause.reason !== 'HEARTBEAT' || !('profileIds' in cause)) return
      for (const profileId of cause.profileIds) fired.push(profileId)
    })
    if (!isInTime) this.#isCut = true
    if (fired.length > 0) this.#onFired(this.#clearing.lastSeq, fired)
  }

  /**
   * Orders of a closed market wait for the tables, like expired ones: nobody can trade with them.
   * Those of a heartbeat or a frozen profile do not wait, because others may still trade with them.
   */
  #hasCancelCapacity(marketId: MarketId): boolean {
    const market = this.#clearing.catalogue.byId(marketId)
    const waits = market !== undefined && !takesOrders(market.status) && this.#burst.isFull
    return !waits && this.#hasCapacity(market?.book ?? 0, CANCEL_BYTES)
  }

  /**
   * Fires the due heartbeats; false when the journal is full. One command fires many heartbeats,
   * and one cancel serves many.
   */
  #fireHeartbeats(nowMs: TimeMs): boolean {
    const { live } = this.#clearing.orders
    while (!this.#isCut && this.heartbeats.nextMs <= nowMs) {
      if (!this.#hasCapacity(0, CANCEL_BYTES)) return false
      const profileIds = this.heartbeats.popDue(nowMs, (profileId) => live.of(profileId))
      this.#stampDue({ kind: 'fireHeartbeats', profileIds }, nowMs)
      const seq = this.#clearing.lastSeq
      this.#cancelBefore('HEARTBEAT', profileIds, seq)
      const idle = profileIds.filter((profileId) => live.of(profileId) === 0)
      if (idle.length > 0) this.#onFired(seq, idle)
      this.#cutsHere()
    }
    return true
  }

  /**
   * Adds the cancels of all orders that the profiles placed by commands up to `seq`, when a
   * heartbeat fired, they were frozen, or their funds left. No trading mode is checked, because
   * the exchange itself cancels. False when none of the profiles has a live order.
   */
  #cancelBefore(
    reason: 'HEARTBEAT' | 'PROFILE_FROZEN' | 'FUNDS_MOVED',
    profileIds: readonly ProfileId[],
    seq: Seq,
  ): boolean {
    const { live } = this.#clearing.orders
    const active = profileIds.filter((profileId) => live.of(profileId) > 0)
    if (active.length > 0) this.#dueCancels.add({ reason, profileIds: active, beforeSeq: seq })
    return active.length > 0
  }

  /** Adds the cancels of the orders of a group that was closed or removed by command `seq`. */
  #cancelGroup(groupId: OrderGroupId, seq: Seq, keptSeq: Seq): void {
    const group = this.#clearing.orderGroups.byId(groupId)
    if (group === undefined || group.orders.size === 0) return
    this.#dueCancels.add({ reason: 'ORDER_GROUP', group, keptSeq, beforeSeq: seq })
  }

  /** A book with a full ring is skipped and stays due; so do orders that wait for the tables. */
  #cancelExpired(nowMs: TimeMs): void {
    const orders: OrderName[] = []
    for (const book of this.#expiries.booksDue(nowMs)) {
      while (this.#expiries.nextMsOf(book) <= nowMs && this.#hasCapacity(book, CANCEL_BYTES)) {
        if (this.#burst.isFull) return
        orders.length = 0
        while (this.#expiries.nextMsOf(book) <= nowMs && orders.length < LIMITS.cancelItemsMax) {
          const slot = this.#expiries.pop(book)
          orders.push({ slot, generation: this.#clearing.orders.generationOf(slot) })
        }
        faultPoint('mid-cancels')
        this.#stampCancel(book, orders, 'EXPIRED', nowMs)
        this.#burst.ended(this.#clearing.lastSeq, orders.length)
        if (this.#cutsHere()) return
      }
    }
  }
}
