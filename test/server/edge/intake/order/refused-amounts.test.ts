import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { keccakReady } from '../../../../../server/crypto/keccak.ts'
import * as kit from '../order-kit.ts'
import { send } from '../order-kit.ts'

before(() => keccakReady)

interface Refused {
  readonly message: string
  readonly rule: string
  readonly impliedPrice: string | null
  readonly nearestPrices: readonly string[]
}

function refused(side: number, orderType: string, makerAmount: number, takerAmount: number) {
  const order = kit.signed({ ...kit.unsignedOrder(), side, makerAmount, takerAmount })
  const result = send({ ...kit.orderBody(order), orderType })
  assert.equal(result.name, 'AMOUNTS_INVALID', result.text)
  const body: Refused = JSON.parse(result.text)
  return body
}

test('refused amounts name the broken rule, the price they give and the ticks beside it', () => {
  const rows: [number, string, number, number, string, string | null, string[]][] = [
    [0, 'GTC', 0, 1000, 'AMOUNT_ZERO', '0', ['0.001']],
    [0, 'GTC', 1000, 0, 'AMOUNT_ZERO', null, []],
    [1, 'FAK', 1000, 0, 'AMOUNT_ZERO', '0', ['0.001']],
    [0, 'FOK', 0, 1, 'AMOUNT_ZERO', null, []],
    [0, 'GTC', 6_500_000_000_650, 10_000_000_001_000, 'SIZE_MAX', '0.65', ['0.65']],
    [0, 'FOK', 10_000_000_000_001, 1, 'SIZE_MAX', null, []],
    [0, 'GTC', 6_500_000, 1, 'MARKET_FORM', null, []],
    [1, 'FAK', 6_500_000, 1, 'MARKET_FORM', null, []],
    [0, 'GTC', 8_406_892, 22_123_400, 'SIZE_STEP', '0.38', ['0.38']],
    [0, 'GTC', 6_500_001, 10_000_000, 'PRICE_TICK', '0.6500001', ['0.65', '0.651']],
    [1, 'GTC', 10_000_000, 6_507_000, 'PRICE_TICK', '0.6507', ['0.65', '0.651']],
    [0, 'GTC', 3_333_333, 10_000_000, 'PRICE_TICK', '0.3333333', ['0.333', '0.334']],
    [0, 'FOK', 1, 10_000, 'PRICE_TICK', '0.0001', ['0.001']],
    [0, 'GTC', 99_999, 100_000, 'PRICE_TICK', '0.99999', ['0.999']],
    [0, 'GTC', 1000, 1000, 'PRICE_RANGE', '1', ['0.999']],
    [1, 'GTC', 5_000_000, 50_000_000, 'PRICE_RANGE', '10', ['0.999']],
  ]
  for (const [side, type, makerAmount, takerAmount, rule, price, nearest] of rows) {
    const stated = refused(side, type, makerAmount, takerAmount)
    const label = `${side} ${type} ${makerAmount} ${takerAmount}: ${stated.message}`
    assert.equal(stated.rule, rule, label)
    assert.equal(stated.impliedPrice, price, label)
    assert.deepEqual(stated.nearestPrices, nearest, label)
    assert.match(stated.message, /[.]$/, label)
  }
})

test('each rule of the amounts has its own sentence, which says what to send', () => {
  const { message: step } = refused(0, 'GTC', 8_406_892, 22_123_400)
  assert.match(step, /22123400 raw units is not a multiple of 1000.* 22123000 or 22124000/)
  const { message: remainder } = refused(1, 'GTC', 400, 152)
  assert.match(remainder, /To sell all of it, send orderType FOK with takerAmount 1/)
  assert.doesNotMatch(step, /To sell/)
  const { message: tick } = refused(0, 'GTC', 6_500_001, 10_000_000)
  assert.match(tick, /price of 0[.]6500001.* makerAmount 6500000 for 0[.]65 or 6510000 for 0[.]651/)
  const { message: sale } = refused(1, 'GTC', 10_000_000, 6_507_000)
  assert.match(sale, /takerAmount 6500000 for 0[.]65 or 6510000 for 0[.]651/)
  const { message: range } = refused(0, 'GTC', 20_000_000, 10_000_000)
  assert.match(range, /price of 2 .* 0[.]001 to 0[.]999/)
  const { message: form } = refused(0, 'GTC', 6_500_000, 1)
  assert.match(form, /takerAmount 1 .* FOK/)
  const { message: most } = refused(0, 'FOK', 10_000_000_000_001, 1)
  assert.match(most, /10000000000001 .* at most 10000000000000/)
})

test('a price beside the amounts that differs from theirs is refused with both', () => {
  const order = { ...kit.signed(kit.unsignedOrder()), price: 0.64 }
  const result = send(kit.orderBody(order))
  assert.equal(result.name, 'PRICE_MISMATCH')
  const { message, impliedPrice } = JSON.parse(result.text)
  assert.equal(impliedPrice, '0.65')
  assert.match(message, /^Price does not match amounts: .*0[.]64.*0[.]65/)
  const market = kit.signed({ ...kit.unsignedOrder(), takerAmount: 1, price: 0.65 })
  const stated = send({ ...kit.orderBody(market), orderType: 'FOK' })
  assert.match(JSON.parse(stated.text).message, /takerAmount 1 .* omit price/)
})

test('a token of another market is refused with the two tokens of this one', () => {
  const order = kit.signed({ ...kit.unsignedOrder(), tokenId: '5' })
  const result = send(kit.orderBody(order))
  assert.equal(result.name, 'TOKEN_NOT_IN_MARKET')
  const { message, tokens } = JSON.parse(result.text)
  assert.deepEqual(tokens, { yes: kit.YES, no: kit.NO })
  assert.match(message, /tokens[.]yes or tokens[.]no/)
})
