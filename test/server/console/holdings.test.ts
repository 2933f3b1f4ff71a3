import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endWords,
  reportedPrice,
  statusWords,
} from '../../../server/console/exchange/market-words.ts'
import type { MarketView } from '../../../server/console/exchange/shapes.ts'
import { heldIn } from '../../../server/console/market/own/holdings.ts'

// What the visitor holds in one market, and what is said of a market.

const SIDE = {
  cost: '26443299',
  fillPrice: '463918',
  marketValue: '33060000',
  realisedPnl: '5443299',
  unrealizedPnl: '6616701',
}
const NOTHING = {
  cost: '0',
  fillPrice: '0',
  marketValue: '0',
  realisedPnl: '0',
  unrealizedPnl: '0',
}

test('a row of a book gives both outcomes in raw units', () => {
  const market = { slug: 'rain' }
  const row = {
    market,
    positions: { yes: SIDE, no: NOTHING },
    tokensBalance: { yes: '57000000', no: '0' },
  }
  const [yes, no] = heldIn({ clob: [row], amm: [] }, 'rain')
  assert.deepEqual(yes, {
    outcome: 0,
    sharesRaw: 57_000_000,
    costRaw: 26_443_299,
    worthRaw: 33_060_000,
    average: 0.463918,
    realisedRaw: 5_443_299,
    unrealisedRaw: 6_616_701,
  })
  assert.equal(no?.sharesRaw, 0)
  assert.deepEqual(heldIn({ clob: [row], amm: [] }, 'snow'), [])
})

test('a row of a pool tells whole units, and becomes the same', () => {
  const row = {
    market: { slug: 'meteor' },
    outcomeIndex: 1 as const,
    collateralAmount: '4.5',
    outcomeTokenAmount: '10.000001',
    averageFillPrice: '0.45',
    realizedPnl: '-0.25',
    unrealizedPnl: '0.5',
  }
  assert.deepEqual(heldIn({ clob: [], amm: [row] }, 'meteor'), [
    {
      outcome: 1,
      sharesRaw: 10_000_001,
      costRaw: 4_500_000,
      worthRaw: 5_000_000,
      average: 0.45,
      realisedRaw: -250_000,
      unrealisedRaw: 500_000,
    },
  ])
})

const MARKET: MarketView = {
  ...{ id: 1, slug: 'rain', title: 'Rain?', proxyTitle: null, status: 'FUNDED' },
  ...{ tradeType: 'clob', categories: [], tags: [], createdAt: '2026-03-01T12:00:00.000Z' },
  ...{ expirationTimestamp: 253_402_214_400_000, volume: '0', automationType: 'manual' },
  ...{ winningOutcomeIndex: null, payoutNumerators: null, metadata: { fee: false } },
  prices: [0.3, 0.7],
}

test('the price of a market is what was told, of a pool in percent, at the end its payout', () => {
  const resolved: MarketView = { ...MARKET, status: 'RESOLVED' }
  assert.equal(reportedPrice(MARKET), 0.3)
  assert.equal(reportedPrice({ ...MARKET, tradeType: 'amm', prices: [60, 40] }), 0.6)
  assert.equal(reportedPrice({ ...resolved, winningOutcomeIndex: 0 }), 1)
  assert.equal(reportedPrice({ ...resolved, winningOutcomeIndex: 1 }), 0)
  assert.equal(reportedPrice({ ...resolved, payoutNumerators: [3, 7] }), 0.3)
})

test('a market says how it stands and how long it trades', () => {
  const resolved: MarketView = { ...MARKET, status: 'RESOLVED' }
  assert.equal(statusWords(MARKET), 'Open')
  assert.equal(statusWords({ ...resolved, winningOutcomeIndex: 1 }), 'Resolved: NO won')
  const split = statusWords({ ...resolved, payoutNumerators: [1, 2] })
  assert.equal(split, 'Resolved: Split: YES 33.33%, NO 66.67%')
  assert.equal(endWords(MARKET, 0), '–')
  const slot: MarketView = { ...MARKET, expirationTimestamp: 247_000 }
  assert.equal(endWords(slot, 0), '4:07')
  assert.equal(endWords(slot, 247_000), 'ended')
})
