import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restore } from '../../../../engine/core/capture.ts'
import { STATE } from '../../../../engine/core/orders/order-table.ts'
import type { Command } from '../../../../engine/domain/command.ts'
import { OUTCOME, SIDE, STP } from '../../../../engine/domain/order.ts'
import { ExchangeDriver, type Wanted } from '../../../support/exchange-driver.ts'
import { packed, unpacked } from '../../../support/packed-state.ts'

// Taker delay in one market (rules §4.3); each test releases held orders itself.

const SHARE = 1_000_000
const DELAY_MS = 500
/** 12:00:00.000 of some day. */
const NOON_MS = 1_700_049_600_000

function setting() {
  const driver = new ExchangeDriver(64)
  driver.nowMs = NOON_MS
  const marketId = driver.addMarket({ takerDelayMs: DELAY_MS })
  const maker = driver.addAccount(1000 * SHARE)
  const taker = driver.addAccount(1000 * SHARE)
  const terms = { marketId, sizeRaw: 100 * SHARE, priceTicks: 500 }
  const bid: Wanted = {
    ...terms,
    account: taker,
    side: SIDE.BUY,
    outcome: OUTCOME.YES,
    type: 'FAK',
  }
  /** A buy of NO is an ask of YES. */
  const ask: Wanted = { ...terms, account: maker, side: SIDE.BUY, outcome: OUTCOME.NO, type: 'GTC' }
  return { driver, marketId, maker, taker, bid, ask }
}

test('the timeline of rules §4.3: the crossed maker leaves, and the release finds nothing', () => {
  const { driver, maker, taker, bid, ask } = setting()
  const rested = driver.place(ask)
  const held = driver.place(bid)
  assert.equal(held.result, 'HELD')
  const { orders } = driver.clearing
  assert.equal(orders.stateOf(held.slot), STATE.HELD)
  assert.equal(orders.held.eligibleMsOf(held.slot), NOON_MS + 500)
  assert.deepEqual([driver.freeRaw(taker), driver.reservedRaw(taker)], [950 * SHARE, 50 * SHARE])
  assert.deepEqual(driver.book(bid.marketId).bids, [], 'a held order is not in the book')
  driver.nowMs = NOON_MS + 200
  assert.equal(driver.cancel(maker, rested), null)
  driver.nowMs = NOON_MS + 500
  const released = driver.release(held)
  assert.deepEqual([released.result, released.filledRaw], ['KILLED', 0])
  assert.deepEqual([driver.freeRaw(taker), driver.reservedRaw(taker)], [1000 * SHARE, 0])
  assert.equal(orders.live.all, 0)
  driver.holds()
})

test('a release carries the terms of the placement, except for its stamp and the delay', () => {
  const { driver, ask, bid } = setting()
  const rank = { id: 1, name: 'Bronze', feeRateBps: 300 }
  const account = driver.addAccount(1000 * SHARE, { rank })
  const marketId = driver.addMarket({ takerDelayMs: DELAY_MS, feeEnabled: true })
  driver.place({ ...ask, marketId, account: driver.addAccount(1000 * SHARE, { rank }) })
  const stated: Command[] = []
  driver.onCommand = (command) => stated.push({ ...command })
  const terms = { stp: STP.CANCEL_BOTH, expirationSec: NOON_MS, clientOrderId: 'one' }
  const held = driver.place({ ...bid, ...terms, marketId, account })
  assert.equal(held.result, 'HELD')
  driver.release(held)
  const [placed, released] = stated
  assert(placed.kind === 'placeOrder' && released.kind === 'releaseOrder')
  assert.equal(placed.feeBps, 300)
  const { seq, nowMs } = released
  assert.deepEqual({ ...placed, kind: 'releaseOrder', seq, nowMs, takerDelayMs: 0 }, released)
})

test('a GTC order in the same timeline rests', () => {
  const { driver, maker, bid, ask } = setting()
  const rested = driver.place(ask)
  const held = driver.place({ ...bid, type: 'GTC' })
  driver.cancel(maker, rested)
  assert.equal(driver.release(held).result, 'RESTED')
  assert.deepEqual(
    driver.book(bid.marketId).bids.map(({ ticks, sizeRaw }) => [ticks, sizeRaw]),
    [[500, 100 * SHARE]],
  )
  driver.holds()
})

test('only an order that would take on arrival is held', () => {
  const { driver, bid, ask } = setting()
  assert.equal(driver.place({ ...bid, type: 'FAK' }).result, 'KILLED')
  assert.equal(driver.place({ ...bid, type: 'FOK' }).result, 'KILLED')
  const { priceTicks: _none, sizeRaw: _size, ...market } = bid
  assert.equal(driver.place({ ...market, type: 'FOK', spendRaw: SHARE }).result, 'KILLED')
  assert.equal(driver.place(ask).result, 'RESTED')
  assert.equal(driver.place({ ...bid, type: 'GTC', priceTicks: 499 }).result, 'RESTED')
  const postOnly = { ...bid, type: 'GTC' as const, postOnly: true }
  assert.equal(driver.place(postOnly).result, 'WOULD_CROSS', 'post-only is never delayed')
  for (const type of ['GTC', 'FAK', 'FOK'] as const) {
    assert.equal(driver.place({ ...bid, type }).result, 'HELD')
  }
  assert.equal(driver.place({ ...market, type: 'FOK', spendRaw: SHARE }).result, 'HELD')
  driver.holds()
})

test('a release takes with its own seq, and what is left of a GTC order then rests', () => {
  const { driver, taker, bid, ask } = setting()
  driver.place({ ...ask, sizeRaw: 60 * SHARE })
  const held = driver.place({ ...bid, type: 'GTC' })
  const later = driver.place({ ...bid, type: 'GTC', priceTicks: 499, sizeRaw: 5 * SHARE })
  assert.equal(later.result, 'RESTED')
  const placedSeq = driver.clearing.orders.seqOf(held.slot)
  const released = driver.release(held)
  assert.equal(released.result, 'RESTED')
  assert.deepEqual(
    released.makers.map(({ sizeRaw }) => sizeRaw),
    [60 * SHARE],
  )
  assert.equal(driver.clearing.orders.seqOf(held.slot), placedSeq, 'an order keeps its seq')
  assert.equal(driver.sharesRaw(taker, bid.marketId, OUTCOME.YES), 60 * SHARE)
  assert.equal(driver.reservedRaw(taker), (40 * SHARE) / 2 + (5 * SHARE * 499) / 1000)
  assert.deepEqual(
    driver.book(bid.marketId).bids.map(({ ticks, sizeRaw }) => [ticks, sizeRaw]),
    [
      [500, 40 * SHARE],
      [499, 5 * SHARE],
    ],
  )
  driver.holds()
})

test('FAK and FOK finish at their release, in any form', () => {
  const { driver, bid, ask } = setting()
  driver.place({ ...ask, sizeRaw: 60 * SHARE })
  const fak = driver.place(bid)
  const fok = driver.place({ ...bid, type: 'FOK' })
  const { priceTicks: _none, sizeRaw: _size, ...market } = bid
  const spend = driver.place({ ...market, type: 'FOK', spendRaw: 10 * SHARE })
  assert.equal(driver.release(fok).result, 'KILLED', 'all or nothing')
  const spent = driver.release(spend)
  assert.deepEqual([spent.result, spent.filledRaw], ['FILLED', 20 * SHARE])
  const rest = driver.release(fak)
  assert.deepEqual([rest.result, rest.filledRaw], ['KILLED', 40 * SHARE])
  assert.equal(driver.clearing.orders.live.all, 0)
  driver.holds()
})

test('self-trade prevention uses the book at the release and the policy of the order', () => {
  const wanted = { cancel_maker: 'KILLED', cancel_taker: 'STP_STOPPED', cancel_both: 'STP_STOPPED' }
  for (const stp of [STP.CANCEL_MAKER, STP.CANCEL_TAKER, STP.CANCEL_BOTH]) {
    const { driver, maker, taker, bid, ask } = setting()
    const rested = driver.place(ask)
    const held = driver.place({ ...bid, stp })
    driver.cancel(maker, rested)
    const own = driver.place({ ...ask, account: taker })
    assert.equal(own.result, 'RESTED', 'a held order does not trade')
    const released = driver.release(held)
    assert.equal(released.result, Object.values(wanted)[stp])
    assert.deepEqual(released.stpCancels, stp === STP.CANCEL_TAKER ? [] : [own.slot])
    assert.equal(driver.clearing.orders.live.all, stp === STP.CANCEL_TAKER ? 1 : 0)
    driver.holds()
  }
})

test('a held order can be canceled, whole, and its release then finds it gone', () => {
  const { driver, taker, bid, ask } = setting()
  driver.place(ask)
  const { priceTicks: _none, sizeRaw: _size, ...market } = bid
  for (const wanted of [bid, { ...market, type: 'FOK' as const, spendRaw: 7 * SHARE }]) {
    const held = driver.place(wanted)
    assert.equal(held.result, 'HELD')
    assert.equal(driver.cancel(taker, held), null)
    assert.deepEqual([driver.freeRaw(taker), driver.reservedRaw(taker)], [1000 * SHARE, 0])
    assert.equal(driver.release(held).result, 'GONE')
    assert.equal(driver.cancel(taker, held), 'ORDER_NOT_OPEN')
    const { openSizeRaw } = driver.clearing.catalogue.existing(bid.marketId)
    assert.equal(openSizeRaw, 100 * SHARE, 'the open size of the order is given back')
    driver.holds()
  }
})

test('a release does not release the next order in its slot', () => {
  const { driver, taker, bid, ask } = setting()
  driver.place(ask)
  const held = driver.place(bid)
  driver.cancel(taker, held)
  const next = driver.place(bid)
  assert.deepEqual([next.slot, next.result], [held.slot, 'HELD'])
  assert.equal(driver.release(held).result, 'GONE')
  assert.equal(driver.clearing.orders.stateOf(next.slot), STATE.HELD)
  assert.equal(driver.release(next).result, 'FILLED')
  driver.holds()
})

test('a snapshot keeps held orders, and a release gives the same state', () => {
  const { driver, bid, ask } = setting()
  driver.place({ ...ask, sizeRaw: 60 * SHARE })
  const held = driver.place({ ...bid, type: 'GTC', stp: STP.CANCEL_BOTH, clientOrderId: 'mine' })
  const { priceTicks: _none, sizeRaw: _size, ...market } = bid
  driver.place({ ...market, type: 'FOK', spendRaw: 7 * SHARE })
  const state = packed(driver.exchange)
  const hash = driver.exchange.stateHash()
  const { seq, nowMs } = { seq: driver.clearing.lastSeq + 1, nowMs: driver.nowMs + DELAY_MS }
  const release = driver.releaseOf(held)
  driver.apply({ ...release, seq, nowMs })
  const after = driver.exchange.stateHash()
  assert.notEqual(after, hash)
  const model = restore(unpacked(state))
  assert.equal(model.stateHash(), hash)
  assert.equal(model.clearing.orders.held.eligibleMsOf(held.slot), NOON_MS + DELAY_MS)
  model.apply({ ...release, seq, nowMs })
  assert.equal(model.stateHash(), after)
  assert.equal(model.checkInvariants(), null)
})

test('the state hash covers when and how a held order goes on', () => {
  const hashOf = (later: number, stp: number) => {
    const { driver, bid, ask } = setting()
    driver.place(ask)
    const held = driver.place(bid)
    driver.clearing.orders.held.admit(held.slot, NOON_MS + DELAY_MS + later, stp)
    return driver.exchange.stateHash()
  }
  assert.equal(new Set([hashOf(0, 0), hashOf(1, 0), hashOf(0, 1)]).size, 3)
})
