// Models order groups (rules §4.13) by commands and fills alone: every fill is kept for ever, and
// what counts is summed again each time.

import assert from 'node:assert/strict'
import type { CancelOrders, Command, ReleaseOrder } from '../../engine/domain/command.ts'
import { CANCEL_REASONS } from '../../engine/domain/event.ts'

const ORDER_GROUP = CANCEL_REASONS.indexOf('ORDER_GROUP')

interface Fill {
  readonly tradeSeq: number
  readonly tradeMs: number
  readonly orderId: number
  readonly sharesRaw: number
}

interface GroupModel {
  readonly id: number
  readonly owner: number
  readonly maxFillRaw: number
  readonly windowSec: number
  openedSeq: number
  closedSeq: number
  removedSeq: number
  keptSeq: number
  fills: Fill[]
  /** Orders, of which some may have ended. */
  members: number[]
  /** Whether it is to be closed. */
  isOver: boolean
}

/** What the groups need of the rest of the model; an order is known by its seq. */
export interface OrdersOfModel {
  readonly isLive: (id: number) => boolean
  readonly marketOf: (id: number) => number
  /** Whether its market binds it, so that its owner cannot cancel it. */
  readonly isHeld: (id: number) => boolean
  readonly idOf: (slot: number, generation: number) => number
  /** The orders named in cancels that are not answered. */
  readonly namedIds: () => readonly number[]
}

export class OrderGroupsModel {
  readonly #groups = new Map<number, GroupModel>()
  readonly #groupOf = new Map<number, number>()
  readonly #arrivedMs = new Map<number, number>()
  #nowMs = 0

  copy(): OrderGroupsModel {
    const model = new OrderGroupsModel()
    for (const [id, each] of this.#groups) {
      model.#groups.set(id, { ...each, fills: [...each.fills], members: [...each.members] })
    }
    for (const [id, groupId] of this.#groupOf) model.#groupOf.set(id, groupId)
    for (const [id, ms] of this.#arrivedMs) model.#arrivedMs.set(id, ms)
    model.#nowMs = this.#nowMs
    return model
  }

  /** Groups that orders of the account may join, oldest first. */
  joinable(owner: number): number[] {
    const all = [...this.#groups.values()]
    return all.filter((each) => each.owner === owner && isOpen(each)).map(({ id }) => id)
  }

  /** All groups that are not removed. */
  get ids(): number[] {
    return [...this.#groups.values()].filter((each) => each.removedSeq === 0).map(({ id }) => id)
  }

  ownerOf(id: number): number {
    return this.#existing(id).owner
  }

  refusal(groupId: number, owner: number): 'ORDER_GROUP_NOT_FOUND' | 'ORDER_GROUP_CLOSED' | null {
    const group = this.#groups.get(groupId)
    if (group?.owner !== owner || group.removedSeq !== 0) return 'ORDER_GROUP_NOT_FOUND'
    return isOpen(group) ? null : 'ORDER_GROUP_CLOSED'
  }

  /** Whether no further order fits, after `leaving` has left. */
  isFull(groupId: number, leaving: number, orders: OrdersOfModel): boolean {
    const { windowSec } = this.#existing(groupId)
    const left = this.#liveOf(groupId, orders).filter((id) => id !== leaving)
    return left.length >= (windowSec === 0 ? 2 : 1000)
  }

  admit(command: Command, orders: OrdersOfModel, isReplayed: boolean): void {
    this.#nowMs = command.nowMs
    switch (command.kind) {
      case 'placeOrder':
        if (!isReplayed) this.#assertFirst(command.marketId, orders)
        this.#arrivedMs.set(command.seq, command.nowMs)
        if (command.orderGroup === 0) return
        if (!isReplayed) {
          assert.equal(this.refusal(command.orderGroup, command.accountId), null, 'it is open')
        }
        this.#groupOf.set(command.seq, command.orderGroup)
        this.#existing(command.orderGroup).members.push(command.seq)
        return
      case 'releaseOrder':
        this.#admitRelease(command, orders, isReplayed)
        return
      case 'cancelOrders':
        if (command.reason === ORDER_GROUP) this.#admitCancel(command, orders)
        return
      case 'createOrderGroup': {
        const { seq: id, profileId: owner, maxFillRaw, windowSec } = command
        const fresh = { closedSeq: 0, removedSeq: 0, keptSeq: 0, isOver: false }
        const terms = { id, owner, maxFillRaw, windowSec, openedSeq: id }
        this.#groups.set(id, { ...terms, ...fresh, fills: [], members: [] })
        return
      }
      case 'closeOrderGroup': {
        const group = this.#existing(command.groupId)
        assert(group.closedSeq === 0 && group.removedSeq === 0, 'an open group is closed')
        if (!isReplayed) assert(group.isOver, 'a group closes when its orders filled too much')
        const first = group.fills.toSorted((a, b) => a.tradeSeq - b.tradeSeq)[0]
        const keptSeq = group.windowSec === 0 ? first.orderId : 0
        if (!isReplayed) assert.equal(command.keptSeq, keptSeq, 'the first that filled stays')
        Object.assign(group, { closedSeq: command.seq, keptSeq: command.keptSeq, isOver: false })
        return
      }
      case 'resetOrderGroup': {
        const group = this.#existing(command.groupId)
        const left = this.#liveOf(group.id, orders).filter((id) => id !== group.keptSeq)
        const isDone = group.closedSeq === 0 || left.length === 0
        if (!isReplayed) assert(isDone, 'a group is reset once its cancels are done')
        const open = { openedSeq: command.seq, closedSeq: 0, keptSeq: 0, isOver: false }
        Object.assign(group, open, { fills: [] })
        return
      }
      case 'removeOrderGroup':
        Object.assign(this.#existing(command.groupId), { removedSeq: command.seq, isOver: false })
    }
  }

  #existing(id: number): GroupModel {
    const group = this.#groups.get(id)
    assert(group !== undefined, 'a group exists')
    return group
  }

  #liveOf(groupId: number, { isLive }: OrdersOfModel): number[] {
    const group = this.#existing(groupId)
    group.members = group.members.filter(isLive)
    return group.members
  }

  /** Nothing is decided in a market before the cancels of the groups that filled too much. */
  #assertFirst(marketId: number, orders: OrdersOfModel): void {
    let named: readonly number[] | null = null
    for (const group of this.#groups.values()) {
      assert(!group.isOver, 'no order is decided before a group that filled too much is closed')
      for (const id of this.#canceledOf(group, orders)) {
        if (orders.marketOf(id) !== marketId || orders.isHeld(id)) continue
        named ??= orders.namedIds()
        assert(named.includes(id), 'the cancels of a group come before later orders')
      }
    }
  }

  /** The live orders that the end of the group cancels. */
  #canceledOf(group: GroupModel, orders: OrdersOfModel): number[] {
    if (isOpen(group)) return []
    const { removedSeq, keptSeq } = group
    return this.#liveOf(group.id, orders).filter((id) => removedSeq !== 0 || id !== keptSeq)
  }

  #admitRelease(release: ReleaseOrder, { idOf }: OrdersOfModel, isReplayed: boolean): void {
    const id = idOf(release.slot, release.generation)
    // A replay may know before main did that the order had ended.
    assert(isReplayed || id > 0, 'a release names an order')
    this.#arrivedMs.set(id, release.nowMs)
  }

  #admitCancel({ slots, generations, count }: CancelOrders, orders: OrdersOfModel): void {
    for (let index = 0; index < count; index++) {
      const id = orders.idOf(slots[index], generations[index])
      const group = this.#existing(this.#groupOf.get(id) ?? 0)
      assert(!isOpen(group), 'only a group that is closed or removed cancels')
      assert(group.removedSeq !== 0 || id !== group.keptSeq, 'the order that filled first stays')
    }
  }

  /** The command `tradeSeq` has filled an order, for the order `takerId`. */
  filled(tradeSeq: number, orderId: number, takerId: number, sharesRaw: number): void {
    const group = this.#groups.get(this.#groupOf.get(orderId) ?? 0)
    if (group === undefined || tradeSeq <= group.openedSeq) return
    const tradeMs = this.#arrivedMs.get(takerId) ?? 0
    const fill = { tradeSeq, tradeMs, orderId, sharesRaw }
    group.fills.push(fill)
    if (isOpen(group)) group.isOver = isTooMuch(group, [...this.#inWindow(group), fill], fill)
  }

  /** The fills of the window that ends with the newest. */
  #inWindow({ fills, windowSec }: GroupModel): Fill[] {
    const newestSec = Math.max(...fills.map(({ tradeMs }) => secOf(tradeMs)))
    return fills.filter(({ tradeMs }) => secOf(tradeMs) >= newestSec - windowSec)
  }

  #filledRaw({ fills, windowSec }: GroupModel): number {
    const startSec = secOf(this.#nowMs) - windowSec
    const counted = fills.filter(({ tradeMs }) => secOf(tradeMs) >= startSec)
    return windowSec === 0 ? 0 : sumOf(counted)
  }

  /** A start closes what has filled too much in its newest windows. */
  resumed(): void {
    for (const group of this.#groups.values()) {
      if (group.closedSeq !== 0 || group.removedSeq !== 0) continue
      const counted = group.windowSec === 0 ? group.fills : this.#inWindow(group)
      group.isOver = counted.some((fill) => isTooMuch(group, counted, fill))
    }
  }

  /** The groups as main has them: a removed one is there while it has orders. */
  state(orders: OrdersOfModel): unknown[] {
    return [...this.#groups.values()].flatMap((group) => {
      const { id, owner, openedSeq, closedSeq, removedSeq, keptSeq } = group
      const live = this.#liveOf(id, orders)
      if (removedSeq !== 0 && live.length === 0) return []
      const filledRaw = this.#filledRaw(group)
      return [[id, owner, openedSeq, closedSeq, removedSeq, keptSeq, filledRaw, [...live]]]
    })
  }

  /** Once everything is at rest, no order is left that a group canceled. */
  assertGone(orders: OrdersOfModel): void {
    for (const group of this.#groups.values()) {
      assert(!group.isOver, 'a group that filled too much is closed')
      assert.deepEqual(this.#canceledOf(group, orders), [], 'a group takes all its orders')
    }
  }
}

const secOf = (ms: number) => Math.floor(ms / 1000)
const sumOf = (fills: readonly Fill[]) => fills.reduce((sum, { sharesRaw }) => sum + sharesRaw, 0)

/** Whether the fills of some window that has this one are more than the group may fill. */
function isTooMuch(
  { windowSec, maxFillRaw }: GroupModel,
  counted: readonly Fill[],
  fill: Fill,
): boolean {
  if (windowSec === 0) return true
  const all = [...new Set(counted)]
  const sec = secOf(fill.tradeMs)
  for (let endSec = sec; endSec <= sec + windowSec; endSec++) {
    const inWindow = all.filter(({ tradeMs }) => {
      return secOf(tradeMs) <= endSec && secOf(tradeMs) >= endSec - windowSec
    })
    if (sumOf(inWindow) > maxFillRaw) return true
  }
  return false
}

function isOpen({ closedSeq, removedSeq, isOver }: GroupModel): boolean {
  return closedSeq === 0 && removedSeq === 0 && !isOver
}
