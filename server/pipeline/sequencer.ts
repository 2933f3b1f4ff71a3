// Hot path. bench/pipeline.bench.ts
// The one place that decides and stamps. Everything from the first gate to the last ring is one
// synchronous stretch, so no decision sees half of another (law 2). Main's thread owns it.
// Invariants: seq counts by one, nowMs never goes back, nothing is stamped unless every ring it
// must enter has room, and nothing that a deadline asks for before that deadline.

import type { Clearing } from '../../engine/core/clearing.ts'
import { Deadlines } from '../../engine/core/deadlines.ts'
import {
  decidePlace,
  expiresAtMs,
  isReleasing,
  type PlaceRequest,
} from '../../engine/core/decide.ts'
import { STATE } from '../../engine/core/order-table.ts'
import { fillRelease } from '../../engine/core/release.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { RareCommand, Stamp } from '../../engine/domain/command.ts'
import { CANCEL_REASONS, type CancelReason } from '../../engine/domain/event.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { takesOrders } from '../../engine/domain/market.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { ShardHandle } from '../../engine/shard/shard-handle.ts'
import { blankCancel, scratchCancel } from '../../engine/wire/cancel-codec.ts'
import { encodeRare } from '../../engine/wire/codec.ts'
import { faultPoint } from '../../engine/wire/fault-point.ts'
import { KIND, PLACE_HEAD_BYTES } from '../../engine/wire/layout.ts'
import { stampPlace } from '../../engine/wire/place-codec.ts'
import { blankRelease, scratchRelease } from '../../engine/wire/release-codec.ts'
import type { JournalWriter } from '../../persistence/journal-port.ts'
import { HeartbeatDeadlines, ordersBefore } from './heartbeat-deadlines.ts'
import { Releases } from './releases.ts'

/** A rare command before it is stamped. */
export type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never
export type RareBody = Unstamped<RareCommand>

export interface OrderName {
  slot: number
  generation: number
}

/** In place of a seq: a named order is entering its market, a cancel must wait (domain §4.3). */
export const RELEASING = -1

const NO_ORDERS: readonly OrderName[] = []

interface Owed {
  readonly marketId: number
  readonly reason: CancelReason
  readonly orders: readonly OrderName[]
  sent: number
  /** Whose heartbeat they follow from; 0 for none. */
  readonly profileId: number
}

/** Room for the widest cancel, frame and head included. */
const CANCEL_BYTES = 1024 + LIMITS.cancelItemsMax * 8
const RELEASE_BYTES = 64 + PLACE_HEAD_BYTES
// Whatever has room beside the headroom comes after all cancels that are owed: they had room too.
assert(CANCEL_BYTES <= LIMITS.ringHeadroomBytes, 'what is owed fits the headroom')

export class Sequencer {
  readonly #clearing: Clearing
  readonly #journal: JournalWriter
  readonly #shardOf: (marketId: number) => ShardHandle
  readonly #clock: () => TimeMs
  readonly #afterStamp: (seq: number, kind: number, reason?: number) => void
  readonly #onLocked: (seq: number, marketId: number) => void
  readonly #onFired: (seq: number, profileId: number) => void
  readonly #cancel = blankCancel(LIMITS.cancelItemsMax)
  readonly #release = blankRelease()
  readonly #releases: Releases
  readonly #expiries = new Deadlines()
  readonly #marketDeadlines = new Deadlines(LIMITS.marketsMax + 1)
  readonly heartbeats = new HeartbeatDeadlines()
  /** Cancels that are due and not all emitted yet. */
  #owed: Owed[] = []
  /** When something was found due that no ring had room for. */
  #dueMs: TimeMs = 0

  constructor(parts: {
    clearing: Clearing
    journal: JournalWriter
    shardOf: (marketId: number) => ShardHandle
    clock: () => TimeMs
    /**
     * Called with the seq and the KIND of what was put into a ring, and the reason of a cancel:
     * the owner publishes within this turn.
     */
    afterStamp: (seq: number, kind: number, reason?: number) => void
    /** A deadline locked a market by the command of this seq. */
    onLocked: (seq: number, marketId: number) => void
    /** The last cancel that a heartbeat of this profile asks for has at most this seq. */
    onFired: (seq: number, profileId: number) => void
  }) {
    this.#clearing = parts.clearing
    this.#journal = parts.journal
    this.#shardOf = parts.shardOf
    this.#clock = parts.clock
    this.#afterStamp = parts.afterStamp
    this.#onLocked = parts.onLocked
    this.#onFired = parts.onFired
    this.#releases = new Releases(parts.clearing)
  }

  /**
   * The sequencer's time: the clock, but never before the last command, nor before the time at
   * which something was found due: what waits for room is not early when the clock steps back.
   */
  nowMs(): TimeMs {
    return Math.max(this.#clock(), this.#clearing.lastNowMs, this.#dueMs)
  }

  /**
   * Decides an order whose PLACE record the intake filled; 0, or what `decidePlace` said and
   * nothing was done.
   */
  place(request: PlaceRequest, record: Uint8Array): number {
    const { order } = request
    const nowMs = this.#ready(order.marketId, record.length)
    if (nowMs === null) return REJECT.OVERLOADED
    const refusal = decidePlace(this.#clearing, request, nowMs)
    if (refusal !== 0) return refusal
    order.seq = this.#clearing.lastSeq + 1
    order.nowMs = nowMs
    stampPlace(record, order)
    this.#clearing.admitOrder(order)
    faultPoint('after-decide')
    if (order.expirationSec !== 0) {
      this.#expiries.add(order.slot, expiresAtMs(order.expirationSec))
    }
    this.#journal.append(order.seq, record)
    this.#shardOf(order.marketId).place(record)
    this.#afterStamp(order.seq, KIND.PLACE)
    return 0
  }

  /**
   * Cancels orders of one market that `decideCancel` let through; the seq, or 0 when overloaded.
   * RELEASING, and nothing done, when one of them is being released: that may have begun just now.
   */
  cancel(marketId: number, orders: readonly OrderName[]): number {
    assert(orders.length <= LIMITS.cancelItemsMax, 'a cancel is one command')
    const bytes = 64 + orders.length * 8
    const nowMs = this.#ready(marketId, bytes)
    if (nowMs === null) return 0
    if (this.releasing(orders).length > 0) return RELEASING
    return this.#stampCancel(marketId, orders, 'USER', nowMs)
  }

  /** Those of the orders that live and are being released (domain §4.3). */
  releasing(orders: readonly OrderName[]): readonly OrderName[] {
    const { orders: table } = this.#clearing
    if (table.held.releasingCount === 0) return NO_ORDERS
    return orders.filter(
      ({ slot, generation }) => table.isLive(slot, generation) && isReleasing(this.#clearing, slot),
    )
  }

  /** Stamps a rare command that its gates let through; the seq, or 0 when overloaded. */
  rare(body: RareBody): number {
    const nowMs = this.#ready(0, LIMITS.recordBytesMax)
    return nowMs === null ? 0 : this.#stampRare(body, nowMs)
  }

  /**
   * Decides at the time of its stamp and behind every deadline that is due then. What `decide`
   * gives is stamped, or is a refusal, or is 0: nothing is to be done. `seq` is what the answer
   * rests on.
   */
  decide(decide: (nowMs: TimeMs) => RareBody | number): { seq: number; reject: number } {
    const nowMs = this.#ready(0, LIMITS.recordBytesMax)
    if (nowMs === null) return { seq: 0, reject: REJECT.OVERLOADED }
    const decided = decide(nowMs)
    if (typeof decided === 'number') return { seq: this.#clearing.lastSeq, reject: decided }
    return { seq: this.#stampRare(decided, nowMs), reject: 0 }
  }

  /** A market's change of status, and the cancels of all its orders right behind it. */
  close(marketId: number, body: RareBody, reason: CancelReason): number {
    const nowMs = this.#ready(marketId, LIMITS.recordBytesMax)
    if (nowMs === null) return 0
    const seq = this.#stampRare(body, nowMs)
    this.#owe(marketId, reason)
    this.#emitOwed(nowMs)
    return seq
  }

  /**
   * After a restart: sets every deadline again, and closes what a crash left half closed between
   * a market's change of status, or a heartbeat's deadline, and the last of its cancels.
   */
  resume(): void {
    const { catalogue, heartbeats, orders } = this.#clearing
    for (const { marketId, status, deadlineMs } of catalogue.all()) {
      if (takesOrders(status)) {
        if (deadlineMs !== null) this.#marketDeadlines.add(marketId, deadlineMs)
        continue
      }
      this.#owe(marketId, status === 'RESOLVED' ? 'MARKET_RESOLVED' : 'MARKET_LOCKED')
    }
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.FREE || orders.expirationSecOf(slot) === 0) continue
      this.#expiries.add(slot, expiresAtMs(orders.expirationSecOf(slot)))
    }
    for (const { profileId, cancelAtMs, firedSeq } of heartbeats.all()) {
      if (firedSeq === 0) this.heartbeats.arm(profileId, cancelAtMs)
      else if (this.#oweFired(profileId, firedSeq)) this.heartbeats.began(profileId)
    }
    this.#releases.resume()
  }

  /**
   * Emits every deadline that is due. What a market's full ring has no room for stays owed, and
   * that market takes nothing else before it; the others go on. False when the journal is full.
   */
  emitDue(nowMs: TimeMs): boolean {
    while (this.#marketDeadlines.nextMs <= nowMs) {
      if (!this.#hasRoom(0, CANCEL_BYTES)) return false
      const marketId = this.#marketDeadlines.pop()
      if (!takesOrders(this.#clearing.catalogue.existing(marketId).status)) continue
      this.#onLocked(this.#stampRare({ kind: 'lockMarket', marketId }, nowMs), marketId)
      this.#owe(marketId, 'MARKET_LOCKED')
    }
    while (this.heartbeats.nextMs <= nowMs) {
      if (!this.#hasRoom(0, CANCEL_BYTES)) return false
      const profileId = this.heartbeats.pop()
      this.#oweFired(profileId, this.#stampRare({ kind: 'fireHeartbeat', profileId }, nowMs))
    }
    if (this.#expiries.nextMs <= nowMs) this.#oweExpired(nowMs)
    if (this.#owed.length > 0) this.#emitOwed(nowMs)
    // Every command comes by here: no closure is made for what hardly ever is.
    if (this.heartbeats.hasUnsent) this.#tellFired()
    // Behind the cancels that are due: what has ended trades no more.
    if (this.#releases.isDue(nowMs)) this.#emitReleases(nowMs)
    if (this.#owed.length > 0 || this.#releases.dueCount > 0) this.#dueMs = nowMs
    return this.#hasRoom(0, CANCEL_BYTES)
  }

  #emitReleases(nowMs: TimeMs): void {
    this.#releases.emitDue(nowMs, (slot, marketId) => {
      // Room for a release may not be room for a cancel: one that is owed may name this very order.
      if (this.#owed.some((owed) => owed.marketId === marketId)) return false
      if (!this.#hasRoom(marketId, RELEASE_BYTES)) return false
      this.#stampRelease(slot, marketId, nowMs)
      return true
    })
  }

  /** An order ended: its expiry is off, and so is its release. */
  ended(slot: number): void {
    if (this.#expiries.count > 0) this.#expiries.remove(slot)
    this.#releases.ended(slot)
  }

  /** Taker delay holds an order: it is released when its time has come. */
  held(slot: number): void {
    this.#releases.held(slot)
  }

  #watch(command: RareCommand): void {
    this.heartbeats.watch(command)
    if (command.kind === 'createMarket' && command.market.deadlineMs !== null) {
      this.#marketDeadlines.add(command.marketId, command.market.deadlineMs)
    } else if (command.kind === 'lockMarket' || command.kind === 'resolveMarket') {
      this.#marketDeadlines.remove(command.marketId)
    }
  }

  /** The time to stamp with, once all due deadlines are out; null when a ring is full. */
  #ready(marketId: number, bytes: number): TimeMs | null {
    const nowMs = this.nowMs()
    if (!this.emitDue(nowMs)) return null
    return this.#hasRoom(marketId, bytes + LIMITS.ringHeadroomBytes) ? nowMs : null
  }

  #hasRoom(marketId: number, bytes: number): boolean {
    if (this.#journal.freeBytes() < bytes) return false
    return marketId === 0 || this.#shardOf(marketId).freeBytes() >= bytes
  }

  #stampRare(body: RareBody, nowMs: TimeMs): number {
    const command = { ...body, seq: this.#clearing.lastSeq + 1, nowMs }
    this.#clearing.admitRare(command)
    this.#watch(command)
    this.#journal.append(command.seq, encodeRare(command))
    this.#afterStamp(command.seq, KIND.RARE)
    return command.seq
  }

  #stampCancel(
    marketId: number,
    orders: readonly OrderName[],
    reason: CancelReason,
    nowMs: TimeMs,
  ): number {
    const command = this.#cancel
    command.seq = this.#clearing.lastSeq + 1
    command.nowMs = nowMs
    command.marketId = marketId
    command.reason = CANCEL_REASONS.indexOf(reason)
    command.count = orders.length
    for (let index = 0; index < orders.length; index++) {
      command.slots[index] = orders[index].slot
      command.generations[index] = orders[index].generation
    }
    const record = scratchCancel(command)
    this.#clearing.admitCancel(command)
    this.#journal.append(command.seq, record)
    this.#shardOf(marketId).cancel(record)
    this.#afterStamp(command.seq, KIND.CANCEL, command.reason)
    return command.seq
  }

  #stampRelease(slot: number, marketId: number, nowMs: TimeMs): void {
    const command = this.#release
    command.seq = this.#clearing.lastSeq + 1
    command.nowMs = nowMs
    fillRelease(command, this.#clearing.orders, slot)
    const record = scratchRelease(command)
    this.#clearing.admitRelease(command)
    this.#journal.append(command.seq, record)
    faultPoint('mid-release')
    this.#shardOf(marketId).releaseOrder(record)
    this.#afterStamp(command.seq, KIND.RELEASE)
  }

  /** Emits the cancels that are owed, as far as their markets have room. */
  #emitOwed(nowMs: TimeMs): void {
    for (const owed of this.#owed) {
      const { marketId, orders, reason } = owed
      while (owed.sent < orders.length && this.#hasRoom(marketId, CANCEL_BYTES)) {
        faultPoint('mid-cancels')
        const chunk = orders.slice(owed.sent, owed.sent + LIMITS.cancelItemsMax)
        this.#stampCancel(marketId, chunk, reason, nowMs)
        owed.sent += chunk.length
      }
    }
    this.#owed = this.#owed.filter((owed) => owed.sent < owed.orders.length)
  }

  /** All orders of a market that takes no more of them. */
  #owe(marketId: number, reason: CancelReason): void {
    const { orders: table } = this.#clearing
    const orders: OrderName[] = []
    for (let slot = 1; slot <= table.highSlot; slot++) {
      if (table.stateOf(slot) === STATE.FREE || table.marketOf(slot) !== marketId) continue
      orders.push({ slot, generation: table.generationOf(slot) })
    }
    if (orders.length > 0) this.#owed.push({ marketId, reason, orders, sent: 0, profileId: 0 })
  }

  /**
   * Whatever the profile had when its heartbeat fired, by the command of `seq`. No trading mode is
   * asked: it is the exchange that cancels. False when nothing of it lives any more.
   */
  #oweFired(profileId: number, seq: number): boolean {
    const byMarket = ordersBefore(this.#clearing, profileId, seq)
    for (const [marketId, orders] of byMarket) {
      this.#owed.push({ marketId, reason: 'HEARTBEAT', orders, sent: 0, profileId })
    }
    return byMarket.size > 0
  }

  #tellFired(): void {
    const isOwed = (profileId: number) => this.#owed.some((owed) => owed.profileId === profileId)
    for (const profileId of this.heartbeats.takeSent(isOwed)) {
      this.#onFired(this.#clearing.lastSeq, profileId)
    }
  }

  #oweExpired(nowMs: TimeMs): void {
    const { orders: table } = this.#clearing
    const byMarket = new Map<number, OrderName[]>()
    while (this.#expiries.nextMs <= nowMs) {
      const slot = this.#expiries.pop()
      const marketId = table.marketOf(slot)
      const order = { slot, generation: table.generationOf(slot) }
      const due = byMarket.get(marketId)
      if (due === undefined) byMarket.set(marketId, [order])
      else due.push(order)
    }
    for (const [marketId, orders] of byMarket) {
      this.#owed.push({ marketId, reason: 'EXPIRED', orders, sent: 0, profileId: 0 })
    }
  }
}
