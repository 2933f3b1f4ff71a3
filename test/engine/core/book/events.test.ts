import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EVENT,
  eventAt,
  eventIsBid,
  eventKind,
  eventLeftRaw,
  eventTicks,
} from '../../../../engine/domain/event.ts'
import { OUTCOME, SIDE } from '../../../../engine/domain/order.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'

const SHARE = 1_000_000

test('a sweep wider than the event buffer is reported whole, in order, with one end', () => {
  const MAKERS = 3000
  // Capacity for the orders of one owner.
  const driver = new ExchangeDriver(1 << 15)
  const marketId = driver.addMarket()
  const maker = driver.addAccount(MAKERS * SHARE)
  const taker = driver.addAccount(MAKERS * SHARE)
  const buy = { marketId, side: SIDE.BUY, type: 'GTC' as const, sizeRaw: SHARE }
  const slots: number[] = []
  for (let each = 0; each < MAKERS; each++) {
    const placed = driver.place({ ...buy, account: maker, outcome: OUTCOME.NO, priceTicks: 500 })
    slots.push(placed.slot)
  }
  const sizeRaw = MAKERS * SHARE
  const sweep = { ...buy, account: taker, outcome: OUTCOME.YES, priceTicks: 500, sizeRaw }
  const swept = driver.place({ ...sweep, type: 'FOK' })
  assert.equal(swept.result, 'FILLED')
  assert.deepEqual(
    swept.makers.map((each) => each.slot),
    slots,
  )
  assert.equal(driver.clearing.orders.live.all, 0)
  driver.holds()
})

test('the end of a command says on which side of the ladder its order stands', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const account = driver.addAccount(100 * SHARE)
  let isBid: boolean | undefined
  const { onEvents } = driver.exchange
  driver.exchange.onEvents = (words, f64s, count) => {
    onEvents(words, f64s, count)
    const last = eventAt(0, count - 1)
    assert.equal(eventKind(words, last), EVENT.DONE)
    isBid = eventIsBid(words, last)
  }
  const buy = { account, marketId, side: SIDE.BUY, type: 'GTC' as const, sizeRaw: SHARE }
  driver.place({ ...buy, outcome: OUTCOME.YES, priceTicks: 300 })
  assert.equal(isBid, true)
  driver.place({ ...buy, outcome: OUTCOME.NO, priceTicks: 300 })
  assert.equal(isBid, false)
})

test('the event of a canceled order says what the order gave back', () => {
  const driver = new ExchangeDriver(64)
  const marketId = driver.addMarket()
  const account = driver.addAccount(100 * SHARE)
  const reported: number[][] = []
  const { onEvents } = driver.exchange
  driver.exchange.onEvents = (words, f64s, count) => {
    onEvents(words, f64s, count)
    for (let record = 0; record < count; record++) {
      const event = eventAt(0, record)
      const kind = eventKind(words, event)
      if (kind === EVENT.DONE || kind === EVENT.FILL) continue
      reported.push([kind, eventTicks(words, event), eventLeftRaw(f64s, event)])
    }
  }
  const buy = { account, marketId, side: SIDE.BUY, type: 'GTC' as const, sizeRaw: SHARE }
  const first = driver.place({ ...buy, outcome: OUTCOME.YES, priceTicks: 400 })
  driver.place({ ...buy, outcome: OUTCOME.YES, priceTicks: 401, sizeRaw: 2 * SHARE })
  driver.place({ ...buy, outcome: OUTCOME.NO, priceTicks: 599 })
  driver.cancelMany(marketId, [first, first])
  assert.deepEqual(reported, [
    [EVENT.STP_CANCEL, 401, 2 * SHARE],
    [EVENT.CANCELED, 400, SHARE],
    [EVENT.NOT_OPEN, 0, 0],
  ])
})
