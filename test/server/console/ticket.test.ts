import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORDER_FLAGS } from '../../../engine/domain/order-flags.ts'
import type { OrderRequest } from '../../../server/console/exchange/order-amounts.ts'
import {
  type Draft,
  KINDS,
  meaningOf,
  mostOf,
  priceOfLevel,
  steppedPrice,
} from '../../../server/console/market/own/draft.ts'
import { estimateOf } from '../../../server/console/market/own/estimate.ts'
import {
  linesOf,
  resultOf,
  shortageOf,
  warningOf,
} from '../../../server/console/market/own/ticket-format.ts'
import { rawOf, ticksOf } from '../../../server/console/page/format.ts'

// The order ticket: what is typed, what it means, and what is shown before one signs.

const DRAFT: Draft = {
  isBuy: true,
  outcome: 0,
  kind: 'GTC',
  flags: {},
  price: '52.5',
  amount: '10',
}

test('cents are read as ticks, and anything that is no price is not', () => {
  const rows = [
    ['52', 520],
    ['52.5', 525],
    [' 0.1 ', 1],
    ['99.9', 999],
    ['0', null],
    ['0.0', null],
    ['100', null],
    ['52.55', null],
    ['52.', null],
    ['-5', null],
    ['5e1', null],
    ['', null],
  ] as const
  for (const [text, ticks] of rows) assert.equal(ticksOf(text), ticks, text)
})

test('amounts are read exactly, and anything that is no amount is not', () => {
  const rows = [
    ['10', 10_000_000],
    ['0.000001', 1],
    ['22.123', 22_123_000],
    ['2.', 2_000_000],
    ['0.1', 100_000],
    ['999999999', 999_999_999_000_000],
    ['0.0000001', null],
    ['1,000', null],
    ['-1', null],
    ['1e3', null],
    ['.5', null],
    ['', null],
  ] as const
  for (const [text, raw] of rows) assert.equal(rawOf(text), raw, text)
})

test('a ticket means an order once its fields are right', () => {
  assert.deepEqual(meaningOf(DRAFT), {
    request: {
      isBuy: true,
      outcome: 0,
      type: 'GTC',
      flags: {},
      priceTicks: 525,
      amountRaw: 10_000_000,
    },
    faults: { price: '', amount: '' },
  })
})

test('an empty field is no fault yet, a wrong one is', () => {
  const empty = meaningOf({ ...DRAFT, price: '', amount: '' })
  assert.deepEqual(empty, { request: null, faults: { price: '', amount: '' } })
  const wrong = meaningOf({ ...DRAFT, price: '52.55', amount: 'ten' })
  assert.equal(wrong.request, null)
  assert.notEqual(wrong.faults.price, '')
  assert.notEqual(wrong.faults.amount, '')
  assert.notEqual(meaningOf({ ...DRAFT, amount: '1.0001' }).faults.amount, '')
})

test('the ticket sends each flag of an order with the types that take it', () => {
  for (const { name, needs } of ORDER_FLAGS) {
    for (const kind of KINDS) {
      const { request } = meaningOf({ ...DRAFT, kind, flags: { [name]: true } })
      const expected = needs === null || needs === request?.type ? { [name]: true } : {}
      assert.deepEqual(request?.flags, expected, `${name} of ${kind}`)
    }
  }
})

test('a market order is a FOK without a price, and post-only is for resting orders alone', () => {
  const market = meaningOf({
    ...DRAFT,
    kind: 'MARKET',
    price: 'x',
    flags: { postOnly: true },
  }).request
  assert.deepEqual([market?.type, market?.priceTicks, market?.flags], ['FOK', null, {}])
  assert.equal(meaningOf({ ...DRAFT, flags: { postOnly: true } }).request?.flags.postOnly, true)
  assert.equal(
    meaningOf({ ...DRAFT, kind: 'FAK', flags: { postOnly: true } }).request?.flags.postOnly,
    undefined,
  )
})

test('steps stay within the prices that there are', () => {
  assert.equal(steppedPrice('52.5', 1), '52.6')
  assert.equal(steppedPrice('99.9', 1), '99.9')
  assert.equal(steppedPrice('0.1', -10), '0.1')
  assert.equal(steppedPrice('', 1), '50.1')
})

test('a level of the YES book is the other price for NO', () => {
  assert.equal(priceOfLevel(0.523, 0), '52.3')
  assert.equal(priceOfLevel(0.523, 1), '47.7')
})

test('the most of an order is what is free, in whole steps', () => {
  const means = { collateralRaw: 10_000_000, sharesRaw: 7_123_456 }
  assert.equal(mostOf({ ...DRAFT, price: '30' }, means), '33.333')
  assert.equal(mostOf({ ...DRAFT, price: '' }, means), '')
  assert.equal(mostOf({ ...DRAFT, kind: 'MARKET' }, means), '10')
  assert.equal(mostOf({ ...DRAFT, isBuy: false }, means), '7.123')
  assert.equal(mostOf({ ...DRAFT, isBuy: false, kind: 'MARKET' }, means), '7.123456')
})

const REQUEST: OrderRequest = {
  isBuy: true,
  outcome: 0,
  type: 'GTC',
  flags: {},
  priceTicks: 550,
  amountRaw: 200_000_000,
}
const OFFERS = [
  { ticks: 520, sizeRaw: 100_000_000 },
  { ticks: 550, sizeRaw: 50_000_000 },
]

test('the summary shows cost, fee, average and worst price, and what waits', () => {
  const lines = new Map(linesOf(REQUEST, estimateOf(REQUEST, OFFERS, 300), 300))
  assert.equal(lines.get('Trades now'), '150 shares')
  assert.equal(lines.get('Average price'), '53¢')
  assert.equal(lines.get('Worst price'), '55¢')
  assert.equal(lines.get('Cost'), '$79.50')
  assert.equal(lines.get('Fee'), '3.99 shares (rate 3%)')
  assert.equal(lines.get('You get'), '146.01 YES')
  assert.equal(lines.get('Waits in the book'), '50 shares at 55¢')
  assert.equal(lines.get('Reserved until it trades or is canceled'), '$27.50')
})

test('an order that only waits shows what it reserves, and no row is empty', () => {
  const request: OrderRequest = { ...REQUEST, priceTicks: 500, amountRaw: 20_000_000 }
  assert.deepEqual(linesOf(request, estimateOf(request, OFFERS, 300), 300), [
    ['Trades now', 'nothing'],
    ['Waits in the book', '20 shares at 50¢'],
    ['Reserved until it trades or is canceled', '$10.00'],
  ])
  const sale = { ...request, isBuy: false }
  const reserved = linesOf(sale, estimateOf(sale, [], 300), 300).at(-1)
  assert.deepEqual(reserved, ['Reserved until it trades or is canceled', '20 shares'])
  const taker: OrderRequest = { ...request, type: 'FAK' }
  assert.deepEqual(linesOf(taker, estimateOf(taker, OFFERS, 300), 300), [['Trades now', 'nothing']])
})

test('a rate that is not known yet is not guessed', () => {
  const lines = new Map(linesOf(REQUEST, estimateOf(REQUEST, OFFERS, 0), null))
  assert.equal(lines.get('Fee'), 'by your rank, after login')
})

test('the ticket warns of what would go otherwise than expected', () => {
  const warning = (request: OrderRequest, offers = OFFERS) =>
    warningOf(request, estimateOf(request, offers, 0))
  assert.equal(warning(REQUEST), '')
  assert.match(warning({ ...REQUEST, flags: { postOnly: true } }), /post-only/)
  assert.equal(warning({ ...REQUEST, flags: { postOnly: true }, priceTicks: 500 }), '')
  assert.match(warning({ ...REQUEST, type: 'FOK' }), /nothing would trade/)
  assert.match(warning({ ...REQUEST, type: 'FAK' }), /50 shares/)
  assert.match(warning({ ...REQUEST, type: 'FAK' }, []), /Nobody/)
  assert.equal(warning({ ...REQUEST, type: 'FAK', amountRaw: 150_000_000 }), '')
})

test('a shortage is shown before one signs', () => {
  const means = { collateralRaw: 109_999_999, sharesRaw: 200_000_000 }
  assert.match(shortageOf(REQUEST, means), /\$110\.00/)
  assert.equal(shortageOf(REQUEST, { ...means, collateralRaw: 110_000_000 }), '')
  assert.equal(shortageOf({ ...REQUEST, isBuy: false }, means), '')
  assert.match(shortageOf({ ...REQUEST, isBuy: false }, { ...means, sharesRaw: 1 }), /free YES/)
})

test('the outcome of an order is read from its reply', () => {
  const totalsRaw = { contractsGross: '150000000', usdGross: '79500000' }
  const matched = { matched: true, settlementStatus: 'MATCHED', totalsRaw }
  assert.equal(resultOf(REQUEST, matched), 'Bought 150 YES for $79.50.')
  const unmatched = { ...matched, matched: false, settlementStatus: 'UNMATCHED' }
  assert.match(resultOf(REQUEST, unmatched), /Order placed/)
  assert.match(resultOf({ ...REQUEST, type: 'FAK' }, unmatched), /Nothing traded/)
  assert.match(resultOf(REQUEST, { ...unmatched, settlementStatus: 'DELAYED' }), /after the delay/)
})
