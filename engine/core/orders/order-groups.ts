// Hot path. bench/core.bench.ts
// Order groups (rules §4.13): orders of one profile that are canceled together. Commands create,
// close and end groups; orders join at their admission, and settled fills count. One thread writes.
//
//   none ──create──▶ open ──close, after too many fills──▶ closed ──reset──▶ open
//                    open or closed ──remove──▶ removed ──its last order ends──▶ none
//
// A group that is closed or removed takes no orders, so all its live orders must be canceled, but
// for the one whose fill closed a one-cancels-other group. After a crash in between, the remaining
// cancels follow from the state.
//
// Markets answer in any order, so a fill counts at the time of the command that traded, and only
// if it is of a later command than the one that opened the group. Once all answers are settled, the
// state is the same in whatever order they came.

import { assert } from '../../domain/assert.ts'
import type { Arrival, PlaceOrder } from '../../domain/command.ts'
import type { CommandOf } from '../../domain/command-kinds.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { OrderGroupId, ProfileId, Seq, Slot } from '../../domain/ids.ts'
import { MS_PER_SEC, type SizeRaw, type TimeMs } from '../../domain/units.ts'
import { hashedFieldsOf } from '../cells/hashed-fields.ts'
import type { OrderTable } from './order-table.ts'

export interface OrderGroup {
  /** Seq of the command that created it: never reused. */
  readonly id: OrderGroupId
  readonly profileId: ProfileId
  /** Shares that its orders may fill within the window; 0 in a one-cancels-other group. */
  readonly maxFillRaw: SizeRaw
  /** 0 marks a one-cancels-other group. */
  readonly windowSec: number
  /** Seq of the command that created or last reset it. */
  openedSeq: Seq
  /** Seq of the command that closed it; 0 while it is open. */
  closedSeq: Seq
  /** Seq of the command that removed it; 0 before. */
  removedSeq: Seq
  /** Seq of the order that stays live in a closed one-cancels-other group; 0 for none. */
  keptSeq: Seq
  /** The first fill since it was opened: its trade, and its order; 0 before. */
  firstTradeSeq: Seq
  firstOrderSeq: Seq
  /** Live orders. */
  readonly orders: Set<Slot>
  /** Shares filled by Unix second, for the window that ends with the newest. */
  readonly fills: Map<number, SizeRaw>
}

type GroupFields = Omit<OrderGroup, 'orders' | 'fills'>

/** `orders` are slots and `fills` pairs of second and shares, both ascending. */
export interface CapturedOrderGroup extends GroupFields {
  readonly orders: readonly Slot[]
  readonly fills: readonly (readonly [sec: number, raw: SizeRaw])[]
}

export type CapturedOrderGroups = readonly CapturedOrderGroup[]

/** The orders of one fill. */
interface FilledOrders {
  readonly taker: Slot
  readonly maker: Slot
  readonly sharesRaw: SizeRaw
}

/** Whether the first fill of one of its two orders cancels the other. */
export function isOneCancelsOther({ windowSec }: Pick<OrderGroup, 'windowSec'>): boolean {
  return windowSec === 0
}

/** Seq of the order that stays live when the group closes now; 0 for none. */
export function keptAtClose(group: OrderGroup): Seq {
  return isOneCancelsOther(group) ? group.firstOrderSeq : 0
}

/** Shares filled in the window that ends with this second. */
function filledUntilRaw({ fills, windowSec }: OrderGroup, endSec: number): SizeRaw {
  let filledRaw = 0
  for (const [sec, raw] of fills) {
    if (sec >= endSec - windowSec && sec <= endSec) filledRaw += raw
  }
  return filledRaw
}

/** Shares that the orders of the group filled in the window that ends at this time. */
export function filledInWindowRaw(group: OrderGroup, nowMs: TimeMs): SizeRaw {
  return filledUntilRaw(group, Math.floor(nowMs / MS_PER_SEC))
}

/** Whether too much is filled in a window that ends in this second or later. */
function isExceeded(group: OrderGroup, sec: number): boolean {
  if (group.closedSeq !== 0 || group.removedSeq !== 0) return false
  if (isOneCancelsOther(group)) return group.firstTradeSeq !== 0
  for (const endSec of group.fills.keys()) {
    if (endSec >= sec && filledUntilRaw(group, endSec) > group.maxFillRaw) return true
  }
  return false
}

/** Whether this order stays live when its group closes. */
export function staysLive({ keptSeq, removedSeq }: OrderGroup, orderSeq: Seq): boolean {
  return removedSeq === 0 && keptSeq === orderSeq
}

export class OrderGroups {
  readonly #byId = new Map<OrderGroupId, OrderGroup>()
  readonly #ofOrder = new Map<Slot, OrderGroup>()
  readonly #ofProfile = new Map<ProfileId, Set<OrderGroup>>()
  /** When each order last arrived in its market, by slot; filled while there are groups. */
  #arrivedMs = new Float64Array(0)
  /** Groups whose fills close them, until the command that does; of use to a node that decides. */
  readonly exceeded = new Set<OrderGroup>()
  readonly owners: OwnerCounts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  get count(): number {
    return this.#byId.size
  }

  /** Also one that is removed, while it has live orders. */
  byId(id: OrderGroupId): OrderGroup | undefined {
    return this.#byId.get(id)
  }

  /** Those of the profile that are not removed, oldest first. */
  of(profileId: ProfileId): OrderGroup[] {
    const all = [...(this.#ofProfile.get(profileId) ?? [])]
    return all.filter(({ removedSeq }) => removedSeq === 0)
  }

  /** By ascending id. */
  all(): OrderGroup[] {
    return [...this.#byId.values()].sort((a, b) => a.id - b.id)
  }

  apply(command: CommandOf<'orderGroups'>): void {
    switch (command.kind) {
      case 'createOrderGroup': {
        const { seq, profileId, maxFillRaw, windowSec } = command
        this.#add({
          id: seq,
          profileId,
          maxFillRaw,
          windowSec,
          openedSeq: seq,
          closedSeq: 0,
          removedSeq: 0,
          keptSeq: 0,
          firstTradeSeq: 0,
          firstOrderSeq: 0,
          orders: new Set(),
          fills: new Map(),
        })
        return
      }
      case 'closeOrderGroup': {
        const group = this.#current(command.groupId)
        assert(group.closedSeq === 0, 'only an open group is closed')
        group.closedSeq = command.seq
        group.keptSeq = command.keptSeq
        this.exceeded.delete(group)
        return
      }
      case 'resetOrderGroup': {
        const group = this.#current(command.groupId)
        group.openedSeq = command.seq
        group.closedSeq = 0
        group.keptSeq = 0
        group.firstTradeSeq = 0
        group.firstOrderSeq = 0
        group.fills.clear()
        this.exceeded.delete(group)
        return
      }
      case 'removeOrderGroup': {
        const group = this.#current(command.groupId)
        group.removedSeq = command.seq
        this.exceeded.delete(group)
        this.#dropIfOver(group)
        return
      }
      default:
        command satisfies never
    }
  }

  #current(id: OrderGroupId): OrderGroup {
    const group = this.#byId.get(id)
    assert(group !== undefined && group.removedSeq === 0, 'only a current group changes')
    return group
  }

  #add(group: OrderGroup): void {
    this.#byId.set(group.id, group)
    this.owners.add(group.profileId, 1)
    const ofProfile = this.#ofProfile.get(group.profileId)
    if (ofProfile === undefined) this.#ofProfile.set(group.profileId, new Set([group]))
    else ofProfile.add(group)
    for (const slot of group.orders) this.#ofOrder.set(slot, group)
  }

  #dropIfOver(group: OrderGroup): void {
    if (group.removedSeq === 0 || group.orders.size > 0) return
    this.#byId.delete(group.id)
    this.owners.add(group.profileId, -1)
    const ofProfile = this.#ofProfile.get(group.profileId)
    ofProfile?.delete(group)
    if (ofProfile?.size === 0) this.#ofProfile.delete(group.profileId)
  }

  /** An order that names a group is admitted. */
  admitted({ slot, orderGroup }: PlaceOrder): void {
    const group = this.#byId.get(orderGroup)
    assert(group !== undefined, 'an order joins an existing group')
    group.orders.add(slot)
    this.#ofOrder.set(slot, group)
  }

  /** An order arrives in its market, placed or released. */
  arriving({ slot, nowMs }: Arrival, { capacity }: OrderTable): void {
    if (this.#arrivedMs.length === 0) this.#arrivedMs = new Float64Array(capacity)
    this.#arrivedMs[slot] = nowMs
  }

  /** Counts a fill of the command `tradeSeq`. */
  filled(fill: FilledOrders, orders: OrderTable, tradeSeq: Seq): void {
    for (const slot of [fill.taker, fill.maker]) {
      const group = this.#ofOrder.get(slot)
      if (group === undefined || tradeSeq <= group.openedSeq) continue
      if (group.firstTradeSeq === 0 || tradeSeq < group.firstTradeSeq) {
        group.firstTradeSeq = tradeSeq
        group.firstOrderSeq = orders.seqOf(slot)
      }
      this.#count(group, fill)
    }
  }

  #count(group: OrderGroup, { taker, sharesRaw }: FilledOrders): void {
    const { fills, windowSec } = group
    const sec = Math.floor(this.#arrivedMs[taker] / MS_PER_SEC)
    if (!isOneCancelsOther(group)) fills.set(sec, (fills.get(sec) ?? 0) + sharesRaw)
    if (isExceeded(group, sec)) this.exceeded.add(group)
    // One whose market answered very late closes the group too, and then has left the window.
    const startSec = Math.max(...fills.keys()) - windowSec
    for (const each of fills.keys()) if (each < startSec) fills.delete(each)
  }

  /** An order ended. */
  ended(slot: Slot): void {
    if (this.#ofOrder.size === 0) return
    const group = this.#ofOrder.get(slot)
    if (group === undefined) return
    this.#ofOrder.delete(slot)
    group.orders.delete(slot)
    this.#dropIfOver(group)
  }

  /** From now on this node decides: what filled too much was perhaps not closed yet. */
  resume(): void {
    this.exceeded.clear()
    for (const group of this.#byId.values()) if (isExceeded(group, 0)) this.exceeded.add(group)
  }

  /** The full state, for the state hash; empty without groups. */
  *hashedFields(orders: OrderTable): Iterable<unknown> {
    for (const { orders: slots, fills, ...fields } of this.capture()) {
      const seqs = slots.map((slot) => orders.seqOf(slot)).sort((a, b) => a - b)
      yield ['order group', ...hashedFieldsOf(fields), seqs, fills]
    }
  }

  capture(): CapturedOrderGroup[] {
    return this.all().map((group) => ({
      ...group,
      orders: [...group.orders].sort((a, b) => a - b),
      fills: [...group.fills].sort(([a], [b]) => a - b),
    }))
  }

  restore(captured: CapturedOrderGroups): void {
    assert(this.count === 0, 'only a fresh state is restored')
    for (const { orders, fills, ...fields } of captured) {
      this.#add({ ...fields, orders: new Set(orders), fills: new Map(fills) })
    }
  }
}
