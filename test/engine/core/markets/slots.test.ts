import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capture, restore } from '../../../../engine/core/capture.ts'
import { decideReport, decideSeries } from '../../../../engine/core/decide/series.ts'
import {
  isSlotLength,
  type SeriesSpec,
  slotMsOf,
  slotStartMs,
} from '../../../../engine/domain/markets/series.ts'
import { ExchangeDriver } from '../../../support/exchange-driver.ts'
import { rejectName } from '../../../support/reject-name.ts'
import { marketSpec, seriesSpec } from '../../../support/specs.ts'

// Series, their slots and the boundaries that wait for the oracle (rules §10).

const SLOT_MS = 300_000

function opened() {
  const driver = new ExchangeDriver(64)
  driver.control({ kind: 'createSeries', seriesId: 1, series: seriesSpec() })
  const startMs = slotStartMs(seriesSpec(), driver.nowMs) + SLOT_MS
  const slot = (marketId: number, from: number) => {
    const market = marketSpec(marketId, {
      slot: { seriesId: 1, startMs: from },
      deadlineMs: from + SLOT_MS,
    })
    driver.control({ kind: 'createMarket', marketId, book: 0, market })
  }
  const report = (atMs: number, priceE8: number) =>
    driver.control({ kind: 'reportPrice', symbol: 'BTC', atMs, priceE8 })
  const boundary = (atMs: number) => driver.clearing.oracle.boundary('BTC', atMs)
  return { driver, clearing: driver.clearing, startMs, slot, report, boundary }
}

test('slots are aligned to UTC, and weeks begin on Monday', () => {
  const at = Date.parse('2026-11-22T14:07:31.250Z')
  const start = (key: Pick<SeriesSpec, 'frequency' | 'subFrequency'>) =>
    new Date(slotStartMs(key, at)).toISOString()
  const rows = [
    [{ frequency: 'minutely', subFrequency: 'minutes_5' }, '2026-11-22T14:05:00.000Z'],
    [{ frequency: 'hourly', subFrequency: 'hours_4' }, '2026-11-22T12:00:00.000Z'],
    [{ frequency: 'daily', subFrequency: null }, '2026-11-22T00:00:00.000Z'],
    [{ frequency: 'weekly', subFrequency: null }, '2026-11-16T00:00:00.000Z'],
  ] as const
  for (const [key, text] of rows) {
    assert.equal(start(key), text)
    assert.ok(isSlotLength(key))
  }
  assert.equal(isSlotLength({ frequency: 'hourly', subFrequency: 'minutes_5' }), false)
  assert.equal(isSlotLength({ frequency: 'daily', subFrequency: 'hours_1' }), false)
  assert.equal(slotMsOf({ frequency: 'weekly', subFrequency: null }), 7 * 86_400_000)
})

test('a series has its symbol and frequency, its slugs and its prefix alone', () => {
  const { clearing, driver } = opened()
  driver.addMarket({ slug: 'eth-5m-300' })
  const decide = (changes: Partial<SeriesSpec>) =>
    rejectName(decideSeries(clearing, seriesSpec({ stableSlug: 'b', slugPrefix: 'b', ...changes })))
  assert.equal(decide({}), 'SERIES_EXISTS')
  assert.equal(decide({ symbol: 'ETH' }), 'NONE')
  assert.equal(decide({ symbol: 'ETH', stableSlug: 'btc-5min-price' }), 'SLUG_TAKEN')
  assert.equal(decide({ symbol: 'ETH', slugPrefix: 'btc-5m' }), 'SLUG_TAKEN')
  assert.equal(decide({ symbol: 'ETH', slugPrefix: 'eth-5m' }), 'SLUG_TAKEN')
  assert.equal(clearing.series.claims('btc-5m-1771934700'), true)
  assert.equal(clearing.series.claims('btc-5m-x'), false)
})

test('a report is of a known symbol, neither old nor from the future', () => {
  const { clearing, driver } = opened()
  const { nowMs } = driver
  const decide = (symbol: string, atMs: number) =>
    rejectName(decideReport(clearing, symbol, atMs, nowMs))
  assert.equal(decide('ETH', nowMs), 'SYMBOL_UNKNOWN')
  assert.equal(decide('BTC', nowMs - 60_001), 'REPORT_NOT_TIMELY')
  assert.equal(decide('BTC', nowMs + 1001), 'REPORT_NOT_TIMELY')
  for (const atMs of [nowMs - 60_000, nowMs, nowMs + 1000])
    assert.equal(decide('BTC', atMs), 'NONE')
})

test('a boundary keeps the earliest report of its first five seconds', () => {
  const { slot, report, boundary, startMs } = opened()
  slot(1, startMs)
  for (const [atMs, priceE8] of [
    [startMs - 1, 1],
    [startMs + 5001, 2],
  ] as const) {
    report(atMs, priceE8)
    assert.equal(boundary(startMs)?.report, null)
  }
  report(startMs + 4000, 3)
  report(startMs + 5000, 4)
  report(startMs + 2000, 5)
  assert.deepEqual(boundary(startMs)?.report, { atMs: startMs + 2000, priceE8: 5 })
})

test('after five seconds the first report decides a boundary, after a minute none', () => {
  const late = (...reports: readonly (readonly [cameMs: number, stampMs: number])[]) => {
    const { driver, slot, report, boundary, startMs } = opened()
    slot(1, startMs)
    for (const [cameMs, stampMs] of reports) {
      driver.nowMs = startMs + cameMs
      report(startMs + stampMs, 1 + stampMs)
    }
    return boundary(startMs)?.report?.priceE8
  }
  assert.equal(late([4000, 3000], [5000, 1000]), 1001)
  assert.equal(late([4000, 3000], [5001, 1000]), 3001)
  assert.equal(late([30_000, 3000], [30_001, 0]), 3001)
  assert.equal(late([60_000, 4000]), 4001)
  assert.equal(late([60_001, 4000]), undefined)
})

test('a boundary lasts while a slot needs it, and the state hash holds over a snapshot', () => {
  const { driver, clearing, slot, report, boundary, startMs } = opened()
  slot(1, startMs)
  slot(2, startMs + SLOT_MS)
  report(startMs, 100)
  driver.control({ kind: 'decideBoundary', symbol: 'BTC', atMs: startMs, priceE8: 100 })
  driver.control({ kind: 'openSlot', marketId: 1, book: 1, strikeE8: 100 })
  assert.equal(boundary(startMs), undefined)
  assert.equal(boundary(startMs + SLOT_MS)?.needs, 2)
  const model = restore(structuredClone(capture(driver.exchange)))
  assert.equal(model.stateHash(), driver.exchange.stateHash())
  assert.equal(model.clearing.oracle.boundary('BTC', startMs + SLOT_MS)?.needs, 2)
  driver.control({ kind: 'failSlot', marketId: 2 })
  driver.control({ kind: 'lockMarket', marketId: 1 })
  driver.control({
    kind: 'resolveMarkets',
    resolutions: [{ marketId: 1, payoutNumerators: [1, 0], closeE8: 100 }],
  })
  assert.deepEqual([...clearing.oracle.boundaries()], [])
  const { book, strikeE8, closeE8 } = clearing.catalogue.existing(1)
  assert.deepEqual([book, strikeE8, closeE8], [0, 100, 100])
})

test('a series that ended leaves memory behind its last slot, with its symbol', () => {
  const { driver, clearing, slot, report, startMs } = opened()
  slot(1, startMs)
  report(startMs, 7)
  driver.control({ kind: 'endSeries', seriesId: 1 })
  assert.deepEqual([clearing.series.count, clearing.series.hasSymbol('BTC')], [1, true])
  assert.equal(clearing.series.byKey(seriesSpec()), undefined)
  driver.control({ kind: 'failSlot', marketId: 1 })
  driver.control({ kind: 'archiveMarket', marketId: 1 })
  assert.deepEqual([clearing.series.count, clearing.series.hasSymbol('BTC')], [0, false])
  assert.equal(clearing.oracle.newest('BTC'), undefined)
})
