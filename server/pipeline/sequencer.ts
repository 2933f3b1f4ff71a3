// Hot path. bench/pipeline.bench.ts
// The one place that decides and stamps. Everything from the first gate to the last ring is one
// synchronous stretch, so no decision sees half of another (law 2). Main's thread owns it.
// Invariants: seq counts by one, nowMs never goes back, nothing is stamped unless every ring it
// must enter has room.

import type { Clearing } from '../../engine/core/clearing.ts'
import { Deadlines } from '../../engine/core/deadlines.ts'
import { decidePlace, expiresAtMs, type PlaceRequest } from '../../engine/core/decide.ts'
import { STATE } from '../../engine/core/order-table.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { CancelOrders, RareCommand, Stamp } from '../../engine/domain/command.ts'
import { CANCEL_REASONS, type CancelReason } from '../../engine/domain/event.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { takesOrders } from '../../engine/domain/market.ts'
import { REJECT } from '../../engine/domain/reject.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import type { ShardHandle } from '../../engine/shard/shard-handle.ts'
import { encodeCancel, encodeRare } from '../../engine/wire/codec.ts'
import { stampPlace } from '../../engine/wire/place-codec.ts'
import type { JournalWriter } from '../../persistence/journal-port.ts'

/** A rare command before it is stamped. */
export type Unstamped<T> = T extends unknown ? Omit<T, keyof Stamp> : never
export type RareBody = Unstamped<RareCommand>

export interface OrderName {
  slot: number
  generation: number
}

/** Room for the widest cancel, frame and head included. */
const CANCEL_BYTES = 1024 + LIMITS.cancelItemsMax * 8

export class Sequencer {
  readonly #clearing: Clearing
  readonly #journal: JournalWriter
  readonly #shardOf: (marketId: number) => ShardHandle
  readonly #clock: () => TimeMs
  readonly #afterStamp: () => void
  readonly #onLocked: (seq: number, marketId: number) => void
  readonly #expiries = new Deadlines()
  readonly #marketDeadlines = new Deadlines()
  readonly #closing: { marketId: number; orders: OrderName[]; reason: CancelReason }[] = []

  constructor(parts: {
    clearing: Clearing
    journal: JournalWriter
    shardOf: (marketId: number) => ShardHandle
    clock: () => TimeMs
    /** Called once something was put into a ring: the owner publishes within this turn. */
    afterStamp: () => void
    /** A deadline locked a market by the command of this seq. */
    onLocked: (seq: number, marketId: number) => void
  }) {
    this.#clearing = parts.clearing
    this.#journal = parts.journal
    this.#shardOf = parts.shardOf
    this.#clock = parts.clock
    this.#afterStamp = parts.afterStamp
    this.#onLocked = parts.onLocked
  }

  /** The sequencer's time: the clock, but never before the last command. */
  nowMs(): TimeMs {
    return Math.max(this.#clock(), this.#clearing.lastNowMs)
  }

  /** Decides an order whose PLACE record the intake filled; 0, or the refusal with nothing done. */
  place(request: PlaceRequest, record: Uint8Array): number {
    const { order } = request
    const nowMs = this.#ready(order.marketId, record.length)
    if (nowMs === null) return REJECT.OVERLOADED
    const refusal = decidePlace(this.#clearing, request, nowMs)
    if (refusal !== 0) return refusal
    order.seq = this.#clearing.lastSeq + 1
    order.nowMs = nowMs
    stampPlace(record, order)
    this.#clearing.admit(order)
    if (order.expirationSec !== 0) {
      this.#expiries.add(order.slot, expiresAtMs(order.expirationSec))
    }
    this.#journal.append(order.seq, record)
    this.#shardOf(order.marketId).place(record)
    this.#afterStamp()
    return 0
  }

  /**
   * Cancels orders of one market that `decideCancel` let through; the seq, or 0 when overloaded.
   */
  cancel(marketId: number, orders: readonly OrderName[]): number {
    assert(orders.length <= LIMITS.cancelItemsMax, 'a cancel is one command')
    const bytes = 64 + orders.length * 8
    const nowMs = this.#ready(marketId, bytes)
    return nowMs === null ? 0 : this.#stampCancel(marketId, orders, 'USER', nowMs)
  }

  /** Stamps a rare command that its gates let through; the seq, or 0 when overloaded. */
  rare(body: RareBody): number {
    const nowMs = this.#ready(0, LIMITS.recordBytesMax)
    return nowMs === null ? 0 : this.#stampRare(body, nowMs)
  }

  /** A market's change of status, and the cancels of all its orders right behind it. */
  close(marketId: number, body: RareBody, reason: CancelReason): number {
    const nowMs = this.#ready(marketId, LIMITS.recordBytesMax)
    if (nowMs === null) return 0
    const seq = this.#stampRare(body, nowMs)
    this.#closing.push({ marketId, orders: this.#openOrders(marketId), reason })
    this.#emitClosing(nowMs)
    return seq
  }

  /**
   * After a restart: sets every deadline again, and closes what a crash left half closed between
   * a market's change of status and the last of its cancels.
   */
  resume(): void {
    const { catalogue, orders } = this.#clearing
    for (const { marketId, status, deadlineMs } of catalogue.all()) {
      if (takesOrders(status)) {
        if (deadlineMs !== null) this.#marketDeadlines.add(marketId, deadlineMs)
        continue
      }
      const open = this.#openOrders(marketId)
      const reason = status === 'RESOLVED' ? 'MARKET_RESOLVED' : 'MARKET_LOCKED'
      if (open.length > 0) this.#closing.push({ marketId, orders: open, reason })
    }
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf[slot] === STATE.FREE || orders.expirationSecOf[slot] === 0) continue
      this.#expiries.add(slot, expiresAtMs(orders.expirationSecOf[slot]))
    }
  }

  /** Emits every deadline that is due; false when a ring has no room even for those. */
  emitDue(nowMs: TimeMs): boolean {
    if (this.#closing.length > 0 && !this.#emitClosing(nowMs)) return false
    while (this.#marketDeadlines.nextMs <= nowMs) {
      if (!this.#emitMarketDeadline(nowMs)) return false
    }
    while (this.#expiries.nextMs <= nowMs) {
      if (!this.#emitExpiries(nowMs)) return false
    }
    return true
  }

  /** An order ended: its expiry is off. */
  ended(slot: number): void {
    if (this.#expiries.count > 0) this.#expiries.remove(slot)
  }

  #watch(command: RareCommand): void {
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
    this.#clearing.admit(command)
    this.#watch(command)
    this.#journal.append(command.seq, encodeRare(command))
    this.#afterStamp()
    return command.seq
  }

  #stampCancel(
    marketId: number,
    orders: readonly OrderName[],
    reason: CancelReason,
    nowMs: TimeMs,
  ): number {
    const command: CancelOrders = {
      kind: 'cancelOrders',
      seq: this.#clearing.lastSeq + 1,
      nowMs,
      marketId,
      reason: CANCEL_REASONS.indexOf(reason),
      count: orders.length,
      slots: new Uint32Array(orders.length),
      generations: new Uint32Array(orders.length),
    }
    for (let index = 0; index < orders.length; index++) {
      command.slots[index] = orders[index].slot
      command.generations[index] = orders[index].generation
    }
    const record = encodeCancel(command)
    this.#clearing.admit(command)
    this.#journal.append(command.seq, record)
    this.#shardOf(marketId).cancel(record)
    this.#afterStamp()
    return command.seq
  }

  /** Emits what closing markets still owe their orders; false when a ring is full. */
  #emitClosing(nowMs: TimeMs): boolean {
    for (let market = this.#closing[0]; market !== undefined; market = this.#closing[0]) {
      while (market.orders.length > 0) {
        if (!this.#hasRoom(market.marketId, CANCEL_BYTES)) return false
        const chunk = market.orders.splice(0, LIMITS.cancelItemsMax)
        this.#stampCancel(market.marketId, chunk, market.reason, nowMs)
      }
      this.#closing.shift()
    }
    return true
  }

  #openOrders(marketId: number): OrderName[] {
    const { orders } = this.#clearing
    const open: OrderName[] = []
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf[slot] === STATE.FREE || orders.marketOf[slot] !== marketId) continue
      open.push({ slot, generation: orders.generationOf[slot] })
    }
    // By age: which slots they hold is an accident of this run.
    return open.sort((a, b) => orders.seqOf[a.slot] - orders.seqOf[b.slot])
  }

  #emitMarketDeadline(nowMs: TimeMs): boolean {
    const marketId = this.#marketDeadlines.pop()
    const market = this.#clearing.catalogue.existing(marketId)
    if (!takesOrders(market.status)) return true
    if (!this.#hasRoom(marketId, CANCEL_BYTES)) {
      this.#marketDeadlines.add(marketId, nowMs)
      return false
    }
    this.#onLocked(this.#stampRare({ kind: 'lockMarket', marketId }, nowMs), marketId)
    this.#closing.push({ marketId, orders: this.#openOrders(marketId), reason: 'MARKET_LOCKED' })
    return this.#emitClosing(nowMs)
  }

  /** Cancels the due orders of one market, as many as one command holds. */
  #emitExpiries(nowMs: TimeMs): boolean {
    const { orders } = this.#clearing
    const due: OrderName[] = []
    let marketId = 0
    while (this.#expiries.nextMs <= nowMs && due.length < LIMITS.cancelItemsMax) {
      const slot = this.#expiries.pop()
      if (marketId === 0) {
        marketId = orders.marketOf[slot]
        if (!this.#hasRoom(marketId, CANCEL_BYTES)) {
          this.#expiries.add(slot, nowMs)
          return false
        }
      }
      if (orders.marketOf[slot] !== marketId) {
        this.#expiries.add(slot, nowMs)
        break
      }
      due.push({ slot, generation: orders.generationOf[slot] })
    }
    if (due.length > 0) this.#stampCancel(marketId, due, 'EXPIRED', nowMs)
    return true
  }
}
