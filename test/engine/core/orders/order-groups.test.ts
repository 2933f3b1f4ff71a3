import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restore } from '../../../../engine/core/capture.ts'
import { filledInWindowRaw } from '../../../../engine/core/orders/order-groups.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver, type Wanted } from '../../../support/exchange-driver.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'

// Order groups (rules §4.13) in one market; the test closes them as the sequencer does.

const SHARE = 1_000_000
/** 12:00:00.000 of some day. */
const NOON_MS = 1_700_049_600_000

function setting(terms: { readonly maxFillRaw: number; readonly windowSec: number }) {
  const driver = new ExchangeDriver(64)
  driver.nowMs = NOON_MS
  const marketId = driver.addMarket()
  const [maker, taker] = [driver.addAccount(1000 * SHARE), driver.addAccount(1000 * SHARE)]
  driver.control({ kind: 'createOrderGroup', profileId: maker, ...terms })
  const groupId = driver.clearing.lastSeq
  const order: Wanted = {
    marketId,
    account: maker,
    side: SIDE.BUY,
    outcome: OUTCOME.YES,
    type: 'GTC',
    priceTicks: 500,
    orderGroup: groupId,
  }
  /** Fills so many shares of the maker's bids at this time. */
  const fill = (atMs: number, shares: number) => {
    driver.nowMs = atMs
    const terms = { account: taker, outcome: OUTCOME.NO, type: 'FAK', orderGroup: 0 } as const
    const taken = driver.place({ ...order, ...terms, sizeRaw: shares * SHARE })
    assert.equal(taken.filledRaw, shares * SHARE)
  }
  const { orderGroups } = driver.clearing
  const group = () => {
    const found = orderGroups.byId(groupId)
    assert(found !== undefined)
    return found
  }
  const filled = () => filledInWindowRaw(group(), driver.nowMs) / SHARE
  return { driver, maker, taker, groupId, order, fill, group, filled, orderGroups }
}

test('a fill counts from its second until the window has passed it', () => {
  const { driver, order, fill, filled, orderGroups } = setting({
    maxFillRaw: 10 * SHARE,
    windowSec: 15,
  })
  driver.place({ ...order, sizeRaw: 100 * SHARE })
  fill(NOON_MS + 900, 6)
  fill(NOON_MS + 14_000, 4)
  assert.equal(filled(), 10)
  driver.nowMs = NOON_MS + 15_999
  assert.equal(filled(), 10)
  driver.nowMs = NOON_MS + 16_000
  assert.equal(filled(), 4)
  fill(NOON_MS + 16_000, 6)
  assert.equal(orderGroups.exceeded.size, 0, 'exactly as many as the orders may fill')
  fill(NOON_MS + 16_001, 1)
  assert.equal(orderGroups.exceeded.size, 1)
  driver.holds()
})

test('both orders of a fill count, each for its own group', () => {
  const { driver, taker, order, filled } = setting({ maxFillRaw: 99 * SHARE, windowSec: 15 })
  driver.control({
    kind: 'createOrderGroup',
    profileId: taker,
    maxFillRaw: 99 * SHARE,
    windowSec: 15,
  })
  const other = driver.clearing.orderGroups.byId(driver.clearing.lastSeq)
  driver.place({ ...order, sizeRaw: 5 * SHARE })
  const terms = { account: taker, outcome: OUTCOME.NO, type: 'FAK', orderGroup: other?.id } as const
  driver.place({ ...order, ...terms, sizeRaw: 3 * SHARE })
  assert(other !== undefined)
  assert.deepEqual([filled(), filledInWindowRaw(other, driver.nowMs) / SHARE], [3, 3])
})

test('the gates: another owner, a closed group, and a full one', () => {
  const { driver, taker, groupId, order } = setting({ maxFillRaw: 0, windowSec: 0 })
  const placed = (wanted: Partial<Wanted> = {}) =>
    driver.place({ ...order, sizeRaw: SHARE, ...wanted }).refused
  assert.equal(placed({ account: taker }), 'ORDER_GROUP_NOT_FOUND')
  assert.equal(placed({ orderGroup: groupId + 1 }), 'ORDER_GROUP_NOT_FOUND')
  assert.deepEqual([placed(), placed(), placed()], [null, null, 'ORDER_GROUP_FULL'])
  driver.control({ kind: 'closeOrderGroup', groupId, keptSeq: 0 })
  assert.equal(placed(), 'ORDER_GROUP_CLOSED')
  driver.control({ kind: 'removeOrderGroup', groupId })
  assert.equal(placed(), 'ORDER_GROUP_NOT_FOUND')
})

test('a removed group is forgotten with its last order', () => {
  const { driver, maker, groupId, order, orderGroups } = setting({ maxFillRaw: 0, windowSec: 0 })
  const placed = driver.place({ ...order, sizeRaw: SHARE })
  driver.control({ kind: 'removeOrderGroup', groupId })
  assert.deepEqual([orderGroups.count, orderGroups.of(maker)], [1, []])
  assert.equal(driver.cancel(maker, placed), null)
  assert.deepEqual([orderGroups.count, orderGroups.owners.all], [0, 0])
})

test('a snapshot holds the groups, their orders and what these filled', () => {
  const { driver, order, fill } = setting({ maxFillRaw: 10 * SHARE, windowSec: 15 })
  driver.place({ ...order, sizeRaw: 100 * SHARE })
  fill(NOON_MS, 6)
  fill(NOON_MS + 20_000, 4)
  const restored = restore(unpacked(packed(driver.exchange)))
  assert.equal(restored.stateHash(), driver.exchange.stateHash())
  const [group] = restored.clearing.orderGroups.all()
  assert.deepEqual([...group.fills], [[Math.floor(NOON_MS / 1000) + 20, 4 * SHARE]])
  assert.equal(group.orders.size, 1)
})

test('a snapshot of a version without groups is read', () => {
  const driver = new ExchangeDriver(64)
  const state = unpacked(packed(driver.exchange))
  const { groups, ...orders } = state.orders
  assert.deepEqual(groups, [])
  assert.equal(restore({ ...state, orders }).stateHash(), driver.exchange.stateHash())
})
