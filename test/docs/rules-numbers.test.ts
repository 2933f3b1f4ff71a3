import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { TradingModes } from '../../engine/core/markets/trading-mode.ts'
import { buyFeeSharesRaw, sellFeeCollateralRaw } from '../../engine/core/money/taker-fee.ts'
import { MARKET_STATUSES, takesOrders } from '../../engine/domain/markets/market.ts'
import { TRADING_MODES } from '../../engine/domain/markets/trading-window.ts'
import { REJECT } from '../../engine/domain/reject-precedence.ts'
import { roundedBps } from '../../engine/domain/units.ts'
import { rankOf } from '../../server/api/accounts/profile-fields.ts'
import {
  collectionIdOf,
  conditionIdOf,
  positionIdOf,
} from '../../server/api/markets/market-changes.ts'
import { keccak256, keccakReady } from '../../server/crypto/keccak.ts'
import { blankAmounts, readAmounts } from '../../server/edge/intake/order/order-amounts.ts'
import { raw } from '../support/scenario.ts'

// Computes the tables of server/docs/rules.md again, from the words and numbers in them.

const page = readFileSync(new URL('../../server/docs/rules.md', import.meta.url), 'utf8')
const UNIT = 1_000_000

/** Cells of those rows of a section whose first cell matches. */
function rowsOf(section: string, first: RegExp): string[][] {
  const [, after = ''] = page.split(new RegExp(`^### ${section.replace('.', '\\.')} .*$`, 'm'))
  const [body = ''] = after.split(/^#{2,3} /m)
  const rows = body.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.map((row) => row.split('|').slice(1, -1))
  return cells.map((row) => row.map((cell) => cell.trim())).filter(([cell]) => first.test(cell))
}

const numberIn = (cell: string) => Number(cell.replaceAll(',', ''))

before(() => keccakReady)

test('the amounts of limit orders give the price beside them', () => {
  const rows = rowsOf('1.5', / @ /)
  assert.equal(rows.length, 5)
  for (const [order = '', maker = '', taker = ''] of rows) {
    const [, side, size = '', price = ''] = /^(buy|sell) ([\d.]+) @ ([\d.]+)$/.exec(order) ?? []
    const isRefused = maker === 'refused'
    const sizeRaw = raw(size)
    const given = {
      side: side === 'buy' ? 0 : 1,
      isFok: false,
      makerAmount: isRefused ? Math.ceil(sizeRaw * Number(price)) : numberIn(maker),
      takerAmount: isRefused ? sizeRaw : numberIn(taker),
      price: Number(price),
    }
    const amounts = blankAmounts()
    const refusal = readAmounts(given, amounts)
    assert.equal(refusal, isRefused ? REJECT.AMOUNTS_INVALID : null, order)
    if (isRefused) assert.match(taker, /^22,123,400 is no multiple of 1,000$/)
    else assert.equal(amounts.sizeRaw, sizeRaw, order)
  }
})

test('the table of fees agrees with the formula', () => {
  const [head = [], buys = [], sales = [], paid = []] = rowsOf('3.1', /100 shares|raw|bps/)
  assert.equal(head.length, 6)
  for (const [column, price] of head.entries()) {
    if (column === 0) continue
    const sharesRaw = 100 * UNIT
    const collateralRaw = 100 * raw(price)
    const inShares = buyFeeSharesRaw(300, collateralRaw, sharesRaw)
    const inCollateral = sellFeeCollateralRaw(300, collateralRaw, sharesRaw)
    assert.equal(numberIn(buys[column]), inShares, price)
    assert.equal(numberIn(sales[column]), inCollateral, price)
    assert.equal(numberIn(paid[column]), roundedBps(inShares, sharesRaw), price)
    assert.equal(numberIn(paid[column]), roundedBps(inCollateral, collateralRaw), price)
  }
})

test('the ranks have the rates of the ladder', () => {
  const [names = [], rates = []] = rowsOf('3.3', /^(rank|bps)$/)
  assert.equal(names.length, 6)
  for (const [column, name] of names.entries()) {
    if (column > 0) assert.equal(rankOf(name).feeRateBps, numberIn(rates[column]), name)
  }
})

test('the trading modes allow what their table says', () => {
  const rows = rowsOf('4.6', /^`/)
  assert.deepEqual(
    rows.map(([mode]) => mode?.slice(1, -1)),
    [...TRADING_MODES],
  )
  for (const [name, ...cells] of rows) {
    const modes = new TradingModes()
    const mode = TRADING_MODES.find((each) => name === `\`${each}\``)
    assert(mode !== undefined)
    if (mode !== 'normal') {
      const window = { windowId: 1, startsAtMs: 0, endsAtMs: null, mode, publicMessage: '' }
      modes.apply({ kind: 'putTradingWindow', window, seq: 1, nowMs: 0 })
    }
    const refusals = [modes.orderReject(false, 1), modes.orderReject(true, 1)]
    const found = [...refusals, modes.cancelReject(1)].map((reject) =>
      reject === null ? 'yes' : 'no',
    )
    assert.deepEqual(cells.slice(0, 3), found, mode)
  }
})

test('the statuses of markets allow trading as their table says', () => {
  const named = rowsOf('12.3', /^[A-Z]/)
  const rows = named.flatMap(([names = '', trades]) =>
    names.split(', ').map((status) => [status, trades]),
  )
  assert.deepEqual(
    rows,
    MARKET_STATUSES.map((status) => [status, takesOrders(status) ? 'yes' : 'no']),
  )
})

test('the ids of the worked condition follow from the values beside them', () => {
  const stated = new Map(rowsOf('6.1', /condition|token/).map(([what = '', id = '']) => [what, id]))
  const questionId = keccak256(Buffer.from('example question 1'))
  const condition = conditionIdOf(`0x${'0'.repeat(38)}aa`, questionId)
  const [collateral = ''] = /0x833589[0-9A-Fa-f]{34}/.exec(page) ?? []
  const tokenOf = (indexSet: number) =>
    positionIdOf(collateral, collectionIdOf(condition, indexSet))
  assert.deepEqual(Object.fromEntries(stated), {
    condition,
    'YES token': tokenOf(1),
    'NO token': tokenOf(2),
  })
})
