// Hot path. bench/pipeline.bench.ts
// The one place that decides and stamps. Everything from the first gate to the last ring is one
// synchronous stretch, so no decision sees half of another (law 2). Main's thread owns it.
// Invariants: seq counts by one. nowMs never goes back. A command is stamped only if every ring
// that it must enter has room. A command that a deadline asks for is never stamped before that
// deadline.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { decidePlace, expiresAtMs, type PlaceRequest } from '../../../engine/core/decide/decide.ts'
import { fillRelease } from '../../../engine/core/decide/release.ts'
import { Deadlines } from '../../../engine/core/markets/deadlines.ts'
import { openedBy } from '../../../engine/core/markets/market-commands.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { RareCommand } from '../../../engine/domain/command.ts'
import { CANCEL_REASONS, type CancelReason } from '../../../engine/domain/event.ts'
import type { Book, MarketId, ProfileId, Seq, Slot } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { blankCancel, scratchCancel } from '../../../engine/wire/cancel-codec.ts'
import { encodeRare } from '../../../engine/wire/codec.ts'
import { stampPlace } from '../../../engine/wire/place-codec.ts'
import { KIND, PLACE_HEAD_BYTES } from '../../../engine/wire/record-layout.ts'
import { blankRelease, scratchRelease } from '../../../engine/wire/release-codec.ts'
import type { JournalWriter } from '../../../persistence/journal/journal-port.ts'
import type { Clock } from './clock.ts'
import {
  addOrdersBefore,
  closedBy,
  type DueCancel,
  DueCancels,
  type OrderName,
  type OrdersByMarket,
  ordersOfMarket,
  takeExpired,
} from './due-cancels.ts'
import { HeartbeatDeadlines } from './heartbeat-deadlines.ts'
import type { RareBody } from './rare-body.ts'
import { Releases } from './releases.ts'

export type { OrderName } from './due-cancels.ts'

/** A named order is entering its market, so the cancel must wait (rules §4.3). */
export const RELEASING = Symbol('an order is being released')

/**
 * Decides a rare command (`Sequencer.change`): the command, the refusal, or null for nothing to do.
 */
export type Decision = (nowMs: TimeMs) => RareBody | Reject | null

/** Room for the widest cancel, frame and head included. */
const CANCEL_BYTES = 1024 + LIMITS.cancelItemsMax * 8
const RELEASE_BYTES = 64 + PLACE_HEAD_BYTES
// A command that has room beside the headroom comes after all due cancels: they had room too.
assert(CANCEL_BYTES <= LIMITS.ringHeadroomBytes, 'a cancel that is due fits the headroom')

export class Sequencer {
  readonly #clearing: Clearing
  readonly #journal: JournalWriter
  readonly #shardOf: (book: Book) => ShardHandle
  readonly #clock: Clock
  readonly #afterStamp: (seq: Seq, kind: number, reason?: number) => void
  readonly #onRare: (command: RareCommand) => void
  readonly #onFired: (seq: Seq, profileIds: readonly ProfileId[]) => void
  readonly #cancel = blankCancel(LIMITS.cancelItemsMax)
  readonly #release = blankRelease()
  readonly releases: Releases
  readonly #expiries = new Deadlines()
  /** By book. */
  readonly #marketDeadlines = new Deadlines(LIMITS.booksMax + 1)
  readonly heartbeats = new HeartbeatDeadlines()
  readonly #dueCancels = new DueCancels()
  /** The time at which something was found due that no ring had room for. */
  #dueMs: TimeMs = 0
  /**
   * True from the first gate to the last ring. It stays true for ever if something threw in
   * between.
   */
  isTorn = false

  constructor(parts: {
    clearing: Clearing
    journal: JournalWriter
    shardOf: (book: Book) => ShardHandle
    clock: Clock
    /**
     * Called with the seq and the KIND of a command that was put into a ring, and with the reason
     * of a cancel. The owner shows the ring to its thread within this turn.
     */
    afterStamp: (seq: Seq, kind: number, reason?: number) => void
    /** A rare command was applied and put into the journal's ring. */
    onRare: (command: RareCommand) => void
    /** The heartbeats of these profiles fired, and the seq of their last cancel is at most this. */
    onFired: (seq: Seq, profileIds: readonly ProfileId[]) => void
  }) {
    this.#clearing = parts.clearing
    this.#journal = parts.journal
    this.#shardOf = parts.shardOf
    this.#clock = parts.clock
    this.#afterStamp = parts.afterStamp
    this.#onRare = parts.onRare
    this.#onFired = parts.onFired
    this.releases = new Releases(parts.clearing)
  }

  /**
   * The sequencer's time: the clock, but never before the last command, and never before the time
   * at which something was found due. So a command that waits for room is not early when the clock
   * steps back.
   */
  nowMs(): TimeMs {
    return Math.max(this.#clock.nowMs(), this.#clearing.lastNowMs, this.#dueMs)
  }

  /**
   * Decides an order whose PLACE record the intake filled. Gives null, or why the order is not
   * stamped: then nothing was done.
   */
  place(request: PlaceRequest, record: Uint8Array): ReturnType<typeof decidePlace> {
    const { order } = request
    const nowMs = this.#ready(order.book, record.length)
    if (nowMs === null) return REJECT.OVERLOADED
    const refusal = decidePlace(this.#clearing, request, nowMs)
    if (refusal !== null) return this.#over(refusal)
    order.seq = this.#clearing.lastSeq + 1
    order.nowMs = nowMs
    stampPlace(record, order)
    this.#clearing.admitOrder(order)
    faultPoint('after-decide')
    if (order.expirationSec !== 0) {
      this.#expiries.add(order.slot, expiresAtMs(order.expirationSec))
    }
    this.#journal.append(order.seq, record)
    this.#shardOf(order.book).place(order.seq, record)
    this.#afterStamp(order.seq, KIND.PLACE)
    return this.#over(null)
  }

  /**
   * Cancels orders of one open book, which `decideCancel` let through. Gives the seq, OVERLOADED or
   * RELEASING. With RELEASING one of them is being released, perhaps since just now, and nothing
   * was done.
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
   * The one way to stamp a rare command. `decide` runs at the time of the stamp, after every
   * deadline that is due then. It gives the command, the refusal, or null when nothing is to be
   * done. The cancels that the command asks for follow it at once. `seq` is what the answer rests
   * on; it is 0 when overloaded.
   */
  change(decide: Decision): { readonly seq: Seq; readonly reject: Reject | null } {
    const nowMs = this.#ready(0, LIMITS.recordBytesMax)
    if (nowMs === null) return { seq: 0, reject: REJECT.OVERLOADED }
    const decided = decide(nowMs)
    const reject = decided instanceof Reject ? decided : null
    if (decided !== null && !(decided instanceof Reject)) {
      this.#stampRare(decided, nowMs)
      if (!this.#dueCancels.isEmpty) this.#emitCancels(nowMs)
    }
    return this.#over({ seq: this.#clearing.lastSeq, reject })
  }

  /** After a restart: sets every deadline, and adds the cancels that a crash left unstamped. */
  resume(): void {
    const { catalogue, frozen, heartbeats, orders } = this.#clearing
    for (const { marketId, book, status, deadlineMs } of catalogue.all()) {
      if (takesOrders(status) && book !== 0) {
        if (deadlineMs !== null) this.#marketDeadlines.add(book, deadlineMs)
        continue
      }
      this.#cancelAllOf(marketId, status === 'RESOLVED' ? 'MARKET_RESOLVED' : 'MARKET_LOCKED')
    }
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.FREE || orders.expirationSecOf(slot) === 0) continue
      this.#expiries.add(slot, expiresAtMs(orders.expirationSecOf(slot)))
    }
    for (const { profileId, cancelAtMs, firedSeq } of heartbeats.all()) {
      if (firedSeq === 0) this.heartbeats.arm(profileId, cancelAtMs)
      else if (this.#cancelBefore('HEARTBEAT', [profileId], firedSeq))
        this.heartbeats.began(profileId)
    }
    for (const { profileId, seq } of frozen.all()) {
      this.#cancelBefore('PROFILE_FROZEN', [profileId], seq)
    }
    this.releases.resume()
  }

  /**
   * Emits every deadline that is due. A command that finds its market's ring full stays due, and
   * that market takes nothing else before it; other markets go on. False when the journal is full.
   */
  emitDue(nowMs: TimeMs): boolean {
    while (this.#marketDeadlines.nextMs <= nowMs) {
      if (!this.#hasRoom(0, CANCEL_BYTES)) return false
      const { marketId, status } = this.#clearing.catalogue.ofBook(this.#marketDeadlines.pop())
      if (!takesOrders(status)) continue
      this.#stampRare({ kind: 'lockMarket', marketId }, nowMs)
    }
    if (this.heartbeats.nextMs <= nowMs && !this.#fireHeartbeats(nowMs)) return false
    if (this.#expiries.nextMs <= nowMs) this.#cancelExpired(nowMs)
    // Every command comes through here, so no closure is made for a rare case.
    if (!this.#dueCancels.isEmpty) this.#emitCancels(nowMs)
    // Releases come behind the due cancels: an order that has ended trades no more.
    if (this.releases.isDue(nowMs)) this.#emitReleases(nowMs)
    if (!this.#dueCancels.isEmpty || this.releases.dueCount > 0) this.#dueMs = nowMs
    return this.#hasRoom(0, CANCEL_BYTES)
  }

  /** When `emitDue` has something to do next; Infinity for nothing. */
  get nextDueMs(): TimeMs {
    if (!this.#dueCancels.isEmpty || this.releases.dueCount > 0) return this.#dueMs
    const ordersMs = Math.min(this.#expiries.nextMs, this.releases.nextMs)
    return Math.min(this.#marketDeadlines.nextMs, this.heartbeats.nextMs, ordersMs)
  }

  #emitReleases(nowMs: TimeMs): void {
    this.releases.emitDue(nowMs, (slot, marketId) => {
      // A release may have room where a cancel has none. The due cancel may name this very order.
      if (this.#dueCancels.holds(marketId)) return false
      if (!this.#hasRoom(this.#bookOf(marketId), RELEASE_BYTES)) return false
      this.#stampRelease(slot, nowMs)
      return true
    })
  }

  /** An order ended: its expiry and its release are dropped. */
  ended(slot: Slot): void {
    if (this.#expiries.count > 0) this.#expiries.remove(slot)
    this.releases.ended(slot)
  }

  /** Taker delay holds an order: it is released when its time has come. */
  held(slot: Slot): void {
    this.releases.held(slot)
  }

  #watch(command: RareCommand, closing: ReturnType<typeof closedBy>): void {
    this.heartbeats.watch(command)
    for (const { book, deadlineMs } of openedBy(command, this.#clearing.catalogue)) {
      if (deadlineMs !== null) this.#marketDeadlines.add(book, deadlineMs)
    }
    if (command.kind === 'freezeProfile')
      this.#cancelBefore('PROFILE_FROZEN', [command.profileId], command.seq)
    for (const { marketId, book, reason } of closing) {
      this.#marketDeadlines.remove(book)
      this.#cancelAllOf(marketId, reason)
    }
  }

  /** The time to stamp with, after all due deadlines are out; null when a ring is full. */
  #ready(book: Book, bytes: number): TimeMs | null {
    assert(!this.isTorn, 'a decision that threw is the last')
    this.isTorn = true
    const nowMs = this.nowMs()
    const isFree = this.emitDue(nowMs) && this.#hasRoom(book, bytes + LIMITS.ringHeadroomBytes)
    return isFree ? nowMs : this.#over(null)
  }

  #over<T>(value: T): T {
    this.isTorn = false
    return value
  }

  /** Without a book only the journal must have room. */
  #hasRoom(book: Book, bytes: number): boolean {
    if (this.#journal.freeBytes(bytes) < bytes) return false
    return book === 0 || this.#shardOf(book).freeBytes(bytes) >= bytes
  }

  /** 0 when the market's book is closed: then no order of it lives. */
  #bookOf(marketId: MarketId): Book {
    return this.#clearing.catalogue.byId(marketId)?.book ?? 0
  }

  #stampRare(body: RareBody, nowMs: TimeMs): number {
    const command = { ...body, seq: this.#clearing.lastSeq + 1, nowMs }
    const closing = closedBy(command, this.#clearing)
    this.#clearing.admitRare(command)
    this.#watch(command, closing)
    this.#journal.append(command.seq, encodeRare(command))
    this.#afterStamp(command.seq, KIND.RARE)
    this.#onRare(command)
    return command.seq
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
    this.#shardOf(book).cancel(command.seq, record)
    this.#afterStamp(command.seq, KIND.CANCEL, command.reason)
    return command.seq
  }

  #stampRelease(slot: Slot, nowMs: TimeMs): void {
    const command = this.#release
    command.seq = this.#clearing.lastSeq + 1
    command.nowMs = nowMs
    fillRelease(command, this.#clearing.orders, slot)
    const record = scratchRelease(command)
    this.#clearing.admitRelease(command)
    this.#journal.append(command.seq, record)
    faultPoint('mid-release')
    this.#shardOf(command.book).releaseOrder(command.seq, record)
    this.#afterStamp(command.seq, KIND.RELEASE)
  }

  /** Stamps the due cancels as far as their markets have room. */
  #emitCancels(nowMs: TimeMs): void {
    const sent: number[] = []
    this.#dueCancels.emit(
      (marketId) => this.#hasRoom(this.#bookOf(marketId), CANCEL_BYTES),
      ({ marketId, reason }: DueCancel, orders) => {
        const book = this.#bookOf(marketId)
        if (book === 0) return
        faultPoint('mid-cancels')
        this.#stampCancel(book, orders, reason, nowMs)
      },
      (profileId) => sent.push(profileId),
    )
    if (sent.length > 0) this.#onFired(this.#clearing.lastSeq, sent)
  }

  /** Adds the cancels of all orders of a market that takes no more orders. */
  #cancelAllOf(marketId: MarketId, reason: CancelReason): void {
    this.#dueCancels.add(marketId, reason, ordersOfMarket(this.#clearing, marketId))
  }

  /**
   * Fires the due heartbeats; false when the journal is full. One cancel serves many heartbeats of
   * one instant.
   */
  #fireHeartbeats(nowMs: TimeMs): boolean {
    const fired: number[] = []
    let seq = 0
    while (this.heartbeats.nextMs <= nowMs && this.#hasRoom(0, CANCEL_BYTES)) {
      const profileId = this.heartbeats.pop()
      seq = this.#stampRare({ kind: 'fireHeartbeat', profileId }, nowMs)
      fired.push(profileId)
    }
    this.#cancelBefore('HEARTBEAT', fired, seq)
    const over = fired.filter((profileId) => !this.#dueCancels.waitsFor(profileId))
    if (over.length > 0) this.#onFired(seq, over)
    return this.heartbeats.nextMs > nowMs
  }

  /**
   * Adds the cancels of all orders that the profiles had, by commands up to `seq`, when a heartbeat
   * fired or they were frozen. No trading mode is asked, since the exchange itself cancels. False
   * when none of these orders lives any more.
   */
  #cancelBefore(
    reason: 'HEARTBEAT' | 'PROFILE_FROZEN',
    profileIds: readonly ProfileId[],
    seq: Seq,
  ): boolean {
    const byMarket: OrdersByMarket = new Map()
    let isAny = false
    for (const profileId of profileIds) {
      if (addOrdersBefore(this.#clearing, profileId, seq, byMarket)) isAny = true
    }
    for (const [marketId, { orders, profileIds: theirs }] of byMarket) {
      this.#dueCancels.add(marketId, reason, orders, reason === 'HEARTBEAT' ? theirs : [])
    }
    return isAny
  }

  #cancelExpired(nowMs: TimeMs): void {
    for (const [marketId, orders] of takeExpired(this.#expiries, this.#clearing, nowMs)) {
      this.#dueCancels.add(marketId, 'EXPIRED', orders)
    }
  }
}
