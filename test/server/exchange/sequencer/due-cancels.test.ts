import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePlace } from '../../../../engine/core/decide/decide.ts'
import { STATE } from '../../../../engine/core/orders/order-table.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ORDER_GROUP_LIMITS } from '../../../../engine/domain/order-group-limits.ts'
import {
  type CancelStamper,
  DueCancels,
} from '../../../../server/exchange/sequencer/due-cancels.ts'
import { ExchangeDriver, type OrderRef, type Wanted } from '../../../support/exchange-driver.ts'

// Cancels of order groups (rules §4.13) where rings are full or answers are late.

const SHARE = 1_000_000
const BID = { side: SIDE.BUY, outcome: OUTCOME.YES, type: 'GTC', priceTicks: 500 } as const

function setting(windowSec = 1) {
  const driver = new ExchangeDriver(16_384)
  const plain = driver.addMarket()
  const binding = driver.addMarket({ takerDelayMs: 500, noDelayedCancel: true })
  const [owner, other] = [driver.addAccount(9000 * SHARE), driver.addAccount(9000 * SHARE)]
  const { clearing } = driver
  driver.control({ kind: 'createOrderGroup', profileId: owner, maxFillRaw: 1, windowSec })
  const orderGroup = clearing.lastSeq
  const order = (marketId: number, wanted: Partial<Wanted> = {}): Wanted => {
    return { ...BID, account: owner, marketId, orderGroup, sizeRaw: 2 * SHARE, ...wanted }
  }
  const due = new DueCancels(clearing)
  const full = new Set<number>()
  const stamped: { marketId: number; slots: number[] }[] = []
  const stamper: CancelStamper = {
    hasCapacity: (marketId) => !full.has(marketId),
    stamp: (marketId, reason, orders) => {
      assert.equal(reason, 'ORDER_GROUP')
      stamped.push({ marketId, slots: orders.map(({ slot }) => slot) })
    },
    isOver: () => false,
  }
  const group = clearing.orderGroups.byId(orderGroup)
  assert(group !== undefined)
  return {
    driver,
    clearing,
    due,
    full,
    plain,
    binding,
    owner,
    other,
    orderGroup,
    order,
    rest: (marketId: number, wanted?: Partial<Wanted>): OrderRef => {
      const placed = driver.place(order(marketId, wanted))
      assert.equal(placed.refused, null)
      return placed
    },
    /** Closes the group, whose cancels are due. */
    close: (keptSeq: Seq) => {
      driver.control({ kind: 'closeOrderGroup', groupId: orderGroup, keptSeq })
      due.add({ reason: 'ORDER_GROUP', group, keptSeq, beforeSeq: clearing.lastSeq })
    },
    emit: () => {
      stamped.length = 0
      due.emit(stamper, () => {})
      return [...stamped]
    },
  }
}

test('a full group with an order that is being replaced takes two commands', () => {
  const { driver, clearing, due, close, emit, rest, order, plain } = setting()
  const { ordersMax } = ORDER_GROUP_LIMITS
  const [first] = Array.from({ length: ordersMax }, () => rest(plain))
  assert.equal(driver.place(order(plain)).refused, 'ORDER_GROUP_FULL')
  const next = driver.orderOf(order(plain))
  const amended = { ...first, seenFilledRaw: null }
  const request = { ...driver.requestOf(next), amended }
  assert.equal(decidePlace(clearing, request, driver.nowMs), null)
  clearing.admitOrder({ ...next, seq: clearing.lastSeq + 1, nowMs: driver.nowMs })
  close(0)
  assert.deepEqual(
    emit().map(({ slots }) => slots.length),
    [ordersMax, 1],
  )
  assert.ok(due.isEmpty)
})

test('an order that its market binds is canceled after its release, whatever ring is full', () => {
  const { driver, clearing, due, full, close, emit, rest, plain, binding, other } = setting()
  rest(binding, { account: other, outcome: OUTCOME.NO, orderGroup: 0 })
  const low = rest(binding, { priceTicks: 100 })
  const held = rest(binding)
  assert.equal(clearing.orders.stateOf(held.slot), STATE.HELD)
  const late = rest(plain)
  close(0)
  full.add(plain)
  assert.deepEqual(emit(), [{ marketId: binding, slots: [low.slot] }])
  assert.equal(due.reasonAfterRelease(held.slot), 'ORDER_GROUP')
  assert.deepEqual([due.holds(plain), due.holds(binding)], [true, false])
  // Its release and cancel are stamped, and it is named no more.
  clearing.orders.held.releasing(held.slot)
  due.namedAfterRelease(held.slot)
  assert.deepEqual(emit(), [])
  // It ends: the next order in its slot is nobody's cancel.
  driver.cancelMany(binding, [held])
  due.ended(held.slot)
  full.clear()
  assert.deepEqual(emit(), [{ marketId: plain, slots: [late.slot] }])
  assert.equal(due.reasonAfterRelease(held.slot), null)
})

test('an arriving order that its market may bind waits for the answer', () => {
  const { driver, clearing, due, close, emit, order, binding } = setting()
  const arriving = driver.orderOf(order(binding))
  assert.equal(decidePlace(clearing, driver.requestOf(arriving), driver.nowMs), null)
  clearing.admitOrder({ ...arriving, seq: clearing.lastSeq + 1, nowMs: driver.nowMs })
  close(0)
  assert.deepEqual(emit(), [])
  assert.ok(due.holds(binding))
  clearing.orders.hold(arriving.slot)
  clearing.orders.held.admit(arriving.slot, driver.nowMs + 500, 0)
  assert.deepEqual(emit(), [])
  assert.equal(due.reasonAfterRelease(arriving.slot), 'ORDER_GROUP')
})

test('a reset does not give up the order that stays live', () => {
  const { driver, clearing, close, emit, rest, plain, owner, orderGroup } = setting(0)
  const [filled, second] = [rest(plain), rest(plain, { priceTicks: 400 })]
  close(clearing.orders.seqOf(filled.slot))
  assert.equal(driver.cancel(owner, second), null)
  driver.control({ kind: 'resetOrderGroup', groupId: orderGroup })
  assert.deepEqual(emit(), [])
})
