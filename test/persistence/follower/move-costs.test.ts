import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SIDE } from '../../../engine/domain/order.ts'
import { openMatchingReadTables } from '../../../persistence/follower/read-database.ts'
import { PositionCosts } from '../../../persistence/follower/tables/accounts/average-cost.ts'
import { UNPACED } from '../../../persistence/follower/tables/pace.ts'
import { positions } from '../../../persistence/query/read/positions.ts'
import { newFolder } from '../../support/data-folder.ts'

// What splits, merges, conversions and redemptions do to the cost of positions (rules §9.1).

const OWNER = 7
const { connection } = openMatchingReadTables(newFolder(), () => new Uint8Array(32))
after(() => connection.close())
const read = positions.open(connection)
const table = new PositionCosts(connection)
let markets = 0

/** Size, cost and profit of YES and of NO, as the tables show them. */
function shown(marketId: number): readonly (readonly number[])[] {
  table.flush(UNPACED)
  const rows = read({ accountId: OWNER, marketIds: [marketId] })
  return rows.map(({ sizeRaw, costRaw, realisedRaw }) => [sizeRaw, costRaw, realisedRaw])
}

function buy(marketId: number, outcome: number, sharesRaw: number, collateralRaw: number): void {
  const part = { tradeSeq: 1, owner: OWNER, marketId, outcome, side: SIDE.BUY }
  table.traded({ ...part, sharesRaw, collateralRaw })
}

test('a split costs each side half, and NO the odd unit', () => {
  const marketId = ++markets
  table.split(OWNER, marketId, 7)
  assert.deepEqual(shown(marketId), [
    [7, 3, 0],
    [7, 4, 0],
  ])
})

test('a merge pays each side by the cost that leaves it, and YES the odd unit', () => {
  const marketId = ++markets
  buy(marketId, 0, 10_000_000, 6_000_000)
  buy(marketId, 1, 20_000_000, 6_000_000)
  // YES removes 3,000,000 and NO 1,500,000: the 5,000,000 go two to one.
  table.merged(OWNER, marketId, 5_000_000)
  assert.deepEqual(shown(marketId), [
    [5_000_000, 3_000_000, 333_334],
    [15_000_000, 4_500_000, 166_666],
  ])
})

test('a merge of shares that cost nothing pays half each', () => {
  const marketId = ++markets
  buy(marketId, 0, 5, 0)
  buy(marketId, 1, 5, 0)
  table.merged(OWNER, marketId, 5)
  assert.deepEqual(shown(marketId), [
    [0, 0, 3],
    [0, 0, 2],
  ])
})

test('a redemption realises what each side pays, and the loss of the other', () => {
  const marketId = ++markets
  buy(marketId, 0, 10_000_000, 6_000_000)
  buy(marketId, 1, 4_000_000, 1_000_000)
  table.redeemed(OWNER, marketId, [10_000_000, 0])
  assert.deepEqual(shown(marketId), [
    [0, 0, 4_000_000],
    [0, 0, -1_000_000],
  ])
})

test('a conversion hands the cost of NO on to the YES, less the collateral that came', () => {
  const [a, b, c, d] = [++markets, ++markets, ++markets, ++markets]
  buy(a, 1, 10_000_000, 8_000_000)
  buy(b, 1, 20_000_000, 14_000_001)
  const converted = [
    ...[a, b].map((marketId) => ({ marketId, yesRaw: 0, noRaw: -10_000_000 })),
    ...[c, d].map((marketId) => ({ marketId, yesRaw: 9_900_000, noRaw: 0 })),
  ]
  // 8,000,000 and 7,000,000 leave; 9,900,000 come back; 5,100,000 are the cost of two YES.
  table.converted({ owner: OWNER, collateralRaw: 9_900_000, converted })
  assert.deepEqual(shown(a), [[0, 0, 0]])
  assert.deepEqual(shown(b), [[10_000_000, 7_000_001, 0]])
  assert.deepEqual(shown(c), [[9_900_000, 2_550_000, 0]])
  assert.deepEqual(shown(d), [[9_900_000, 2_550_000, 0]])
})

test('a conversion that pays more than its NO cost realises the rest', () => {
  const [a, b, c] = [++markets, ++markets, ++markets]
  for (const marketId of [a, b]) buy(marketId, 1, 10, 2)
  const given = [a, b].map((marketId) => ({ marketId, yesRaw: 0, noRaw: -10 }))
  const got = { marketId: c, yesRaw: 10, noRaw: 0 }
  table.converted({ owner: OWNER, collateralRaw: 10, converted: [...given, got] })
  assert.deepEqual(shown(a), [[0, 0, 6]])
  assert.deepEqual(shown(b), [[0, 0, 0]])
  assert.deepEqual(shown(c), [[10, 0, 0]])
})

test('a conversion of all NO has no YES to hand their cost to', () => {
  const [a, b] = [++markets, ++markets]
  for (const marketId of [a, b]) buy(marketId, 1, 10, 9)
  const converted = [a, b].map((marketId) => ({ marketId, yesRaw: 0, noRaw: -10 }))
  table.converted({ owner: OWNER, collateralRaw: 10, converted })
  assert.deepEqual(shown(a), [[0, 0, -8]])
  assert.deepEqual(shown(b), [[0, 0, 0]])
})
