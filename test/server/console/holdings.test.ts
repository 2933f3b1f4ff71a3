import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endWords,
  publishedPrice,
  statusWords,
} from '../../../server/console/exchange/market-format.ts'
import { type HeldMarket, rowsIn } from '../../../server/console/exchange/positions.ts'
import type { MarketView } from '../../../server/console/exchange/shapes.ts'

// What the visitor holds in one market, and what the page shows of a market.

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

const held = (slug: string): HeldMarket => ({
  slug,
  title: `Title of ${slug}`,
  status: 'FUNDED',
  closed: false,
  conditionId: '0x1',
  winningOutcomeIndex: null,
  payoutNumerators: null,
})
const OF_MARKET = { groupTitle: null, isResolved: false, redeemable: null }

test('a row of a book gives both outcomes in raw units', () => {
  const row = {
    market: held('rain'),
    positions: { yes: SIDE, no: NOTHING },
    tokensBalance: { yes: '57000000', no: '0' },
  }
  const positions = { clob: [row], amm: [], isWhole: true }
  const [yes, no] = rowsIn(positions, 'rain')
  assert.deepEqual(yes, {
    ...OF_MARKET,
    slug: 'rain',
    title: 'Title of rain',
    outcome: 'YES',
    sharesRaw: 57_000_000,
    costRaw: 26_443_299,
    valueRaw: 33_060_000,
    priceRaw: 463_918,
    realisedRaw: 5_443_299,
    unrealisedRaw: 6_616_701,
  })
  assert.equal(no?.sharesRaw, 0)
  assert.deepEqual(rowsIn(positions, 'snow'), [])
})

test('a row of a pool has whole units, and becomes the same', () => {
  const row = {
    market: held('meteor'),
    outcomeIndex: 1,
    collateralAmount: '4.5',
    outcomeTokenAmount: '10.000001',
    averageFillPrice: '0.45',
    realizedPnl: '-0.25',
    unrealizedPnl: '0.5',
  }
  assert.deepEqual(rowsIn({ clob: [], amm: [row], isWhole: true }, 'meteor'), [
    {
      ...OF_MARKET,
      slug: 'meteor',
      title: 'Title of meteor',
      outcome: 'NO',
      sharesRaw: 10_000_001,
      costRaw: 4_500_000,
      valueRaw: 5_000_000,
      priceRaw: 450_000,
      realisedRaw: -250_000,
      unrealisedRaw: 500_000,
    },
  ])
})

const MARKET: MarketView = {
  id: 1,
  slug: 'rain',
  title: 'Rain?',
  proxyTitle: null,
  status: 'FUNDED',
  tradeType: 'clob',
  categories: [],
  tags: [],
  createdAt: '2026-03-01T12:00:00.000Z',
  expirationTimestamp: 253_402_214_400_000,
  volume: '0',
  automationType: 'manual',
  winningOutcomeIndex: null,
  payoutNumerators: null,
  metadata: { fee: false },
  prices: [0.3, 0.7],
}

test('the price of a market is as published, of a pool in percent, at the end its payout', () => {
  const resolved: MarketView = { ...MARKET, status: 'RESOLVED' }
  assert.equal(publishedPrice(MARKET), 0.3)
  assert.equal(publishedPrice({ ...MARKET, tradeType: 'amm', prices: [60, 40] }), 0.6)
  assert.equal(publishedPrice({ ...resolved, winningOutcomeIndex: 0 }), 1)
  assert.equal(publishedPrice({ ...resolved, winningOutcomeIndex: 1 }), 0)
  assert.equal(publishedPrice({ ...resolved, payoutNumerators: [3, 7] }), 0.3)
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
