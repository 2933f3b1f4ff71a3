import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Act } from '../../../../server/console/account/account-replies.ts'
import { historyRow } from '../../../../server/console/account/history-rows.ts'
import {
  type BookPosition,
  type HeldMarket,
  type PoolPosition,
  positionRows,
  rawOfUnits,
} from '../../../../server/console/exchange/positions.ts'

// What the account of the console shows of the replies about its visitor.

const market = (slug: string, more: Partial<HeldMarket> = {}): HeldMarket => ({
  slug,
  title: `Title of ${slug}`,
  status: 'FUNDED',
  closed: false,
  conditionId: `0x${slug}`,
  winningOutcomeIndex: null,
  payoutNumerators: null,
  ...more,
})
const side = (cost: string, marketValue: string, unrealizedPnl: string) => {
  return { cost, fillPrice: '500000', marketValue, realisedPnl: '-7', unrealizedPnl }
}
const NONE = { ...side('0', '0', '0'), fillPrice: '0' }

const inBook = (slug: string, yes: string, no: string, more = {}): BookPosition => ({
  market: market(slug, more),
  positions: { yes: side('50', '60', '10'), no: no === '0' ? NONE : side('40', '30', '-10') },
  tokensBalance: { yes, no },
})
const inPool = (slug: string, outcomeIndex: number, more = {}): PoolPosition => ({
  market: market(slug, more),
  outcomeIndex,
  collateralAmount: '12.5',
  outcomeTokenAmount: '20',
  averageFillPrice: '0.625',
  realizedPnl: '-1.000001',
  unrealizedPnl: '-0.5',
})

test('a position has a row for each outcome with shares, of books and of pools', () => {
  const rows = positionRows({
    clob: [inBook('rain', '100', '0'), inBook('sold', '0', '0'), inBook('both', '5', '-3')],
    amm: [inPool('pool', 1, { group: { slug: 'cup', title: 'The cup' } })],
    isWhole: true,
  })
  assert.deepEqual(
    rows.map(({ slug, outcome, sharesRaw }) => [slug, outcome, sharesRaw]),
    [
      ['rain', 'YES', 100],
      ['both', 'YES', 5],
      ['both', 'NO', -3],
      ['pool', 'NO', 20_000_000],
    ],
  )
  const [rain, , , pool] = rows
  assert.deepEqual(
    [rain?.costRaw, rain?.valueRaw, rain?.unrealisedRaw, rain?.realisedRaw, rain?.groupTitle],
    [50, 60, 10, -7, null],
  )
  assert.deepEqual(
    [pool?.costRaw, pool?.valueRaw, pool?.unrealisedRaw, pool?.realisedRaw, pool?.groupTitle],
    [12_500_000, 12_000_000, -500_000, -1_000_001, 'The cup'],
  )
})

test('shares are redeemed once a payout is known, by one button for a market', () => {
  const over = { closed: true, status: 'RESOLVED' }
  const rows = positionRows({
    clob: [
      inBook('won', '1', '2', { ...over, winningOutcomeIndex: 0 }),
      inBook('split', '0', '2', { ...over, payoutNumerators: [1, 1] }),
      inBook('unpaid', '1', '0', over),
      inBook('open', '1', '0', { winningOutcomeIndex: 0 }),
    ],
    amm: [],
    isWhole: true,
  })
  assert.deepEqual(
    rows.map(({ slug, redeemable, isResolved }) => [slug, redeemable, isResolved]),
    [
      ['won', '0xwon', true],
      ['won', null, true],
      ['split', '0xsplit', true],
      ['unpaid', null, true],
      ['open', null, false],
    ],
  )
})

test('whole units become raw ones exactly', () => {
  for (const [text, raw] of [
    ['0', 0],
    ['12.5', 12_500_000],
    ['-0.000001', -1],
    ['9007199254.740991', 9_007_199_254_740_991],
  ] as const) {
    assert.equal(rawOfUnits(text), raw)
  }
})

const act = (strategy: string, more: Partial<Act> = {}): Act => ({
  blockTimestamp: 1_767_225_600,
  market: { slug: 'rain', title: 'Rain?', group: null },
  transactionHash: null,
  collateralAmount: '45',
  outcomeTokenAmounts: ['97', '0'],
  strategy,
  ...more,
})
const trade = { outcomeIndex: 1, outcomeTokenAmount: '97', outcomeTokenPrice: 0.45 }

test('an act has the sign of its money and the shares that it moved', () => {
  const rows = [
    act('Market Buy', { ...trade, transactionHash: '0x1' }),
    act('Limit Sell', trade),
    act('Buy', trade),
    act('Split', { outcomeTokenAmounts: ['5', '5'] }),
    act('Merge', { outcomeTokenAmounts: ['5', '5'] }),
    act('Claim', { collateralAmount: '0' }),
    act('Convert', { outcomeTokenAmounts: ['1', '1', '1'] }),
    act('Add Liquidity', { outcomeTokenAmounts: ['0', '0'] }),
  ].map(historyRow)
  assert.deepEqual(
    rows.map(({ what, collateral, shares }) => [what, collateral, shares]),
    [
      ['Market Buy', '−45', '97 NO'],
      ['Limit Sell', '+45', '97 NO'],
      ['Buy', '−45', '97 NO'],
      ['Split', '−45', '5 YES, 5 NO'],
      ['Merge', '+45', '5 YES, 5 NO'],
      ['Claim', '0', '97 YES'],
      ['Convert', '+45', ''],
      ['Add Liquidity', '−45', ''],
    ],
  )
  const [first, second] = rows
  assert.deepEqual(
    [first?.atMs, first?.price, first?.isMined, second?.isMined],
    [1_767_225_600_000, 0.45, true, false],
  )
})

test('what is in a block has a transaction that a block explorer knows', () => {
  const rows = [
    act('Market Buy', { ...trade, transactionHash: '0x1' }),
    act('Limit Sell', trade),
    act('Split', { transactionHash: '0x2' }),
  ].map(historyRow)
  assert.deepEqual(
    rows.map(({ isMined, txHash }) => [isMined, txHash]),
    [
      [true, '0x1'],
      [false, null],
      [true, '0x2'],
    ],
  )
})
