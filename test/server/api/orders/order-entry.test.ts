import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ORDER_FLAGS } from '../../../../engine/domain/order-flags.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from '../../../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'
import '../../../support/two-edges.ts'

// The forms of an order and its replies (rules §1.3 to §1.8, §4.2, §4.5, §12.4), row by row. Bob
// quotes, Alice takes.

const SHARE = 1_000_000
const FUNDS_RAW = 100_000 * SHARE
const FEE_BPS = 300
const UINT256_MAX = String(2n ** 256n - 1n)
const { live, free, paid, alice, bob } = await exchange({
  flags: ['--block-ms', '60000'],
  markets: { free: {}, paid: { fee: true } },
  fundsRaw: FUNDS_RAW,
  traders: ['alice', 'bob'],
})
/** `free` has no fee, `paid` has one. Alice has YES shares of both. */

for (const market of [free, paid]) {
  // Alice is the maker, so she pays no fee.
  await live.placed(alice, market, { ticks: 500, sizeRaw: 1000 * SHARE })
  await live.placed(bob, market, { outcome: 1, ticks: 500, sizeRaw: 1000 * SHARE })
}
afterEach(async () => {
  for (const trader of [alice, bob]) {
    for (const { slug } of [free, paid]) await live.call(trader, 'DELETE', `/orders/all/${slug}`)
    assert.equal(live.balances(trader).reservedRaw, 0)
  }
})

/** Sends an order with the given fields, signed for its market. */
function send(
  trader: Trader,
  market: LiveMarket,
  fields: object,
  beside: object = {},
): Promise<Reply> {
  const order = { ...unsigned(trader, market), ...fields }
  return live.call(trader, 'POST', '/orders', {
    order: signedFor(order, trader, market),
    ownerId: trader.profileId,
    orderType: 'GTC',
    marketSlug: market.slug,
    ...beside,
  })
}

/** Bob sells YES at this price (asks) or buys it (bids). */
const asks = (market: LiveMarket, ticks: number, shares: number) =>
  live.placed(bob, market, { outcome: 1, ticks: 1000 - ticks, sizeRaw: shares * SHARE })
const bids = (market: LiveMarket, ticks: number, shares: number) =>
  live.placed(bob, market, { ticks, sizeRaw: shares * SHARE })

const ORDER_KEYS = [
  'id',
  'salt',
  'maker',
  'signer',
  'taker',
  'tokenId',
  'token',
  'outcome',
  'makerAmount',
  'takerAmount',
  'originalSize',
  'expiration',
  'nonce',
  'feeRateBps',
  'side',
  'signatureType',
  'signature',
  'orderType',
  'type',
  ...ORDER_FLAGS.map(({ name }) => name),
  'price',
  'marketId',
  'ownerId',
  'createdAt',
  'status',
  'filledSize',
  'remainingSize',
  'averagePrice',
  'marketSlug',
  'market',
]

test('the 201 has every field of the rules and no other, matched or not', async () => {
  const quote = await asks(paid, 400, 10)
  const { order, makerMatches, execution, ...rest } = Object(quote.body)
  assert.deepEqual(rest, {})
  assert.deepEqual(Object.keys(order), ORDER_KEYS)
  assert.deepEqual(order.market, {
    id: order.marketId,
    slug: 'paid',
    title: 'Will paid?',
    yesPositionId: paid.tokens[0],
    noPositionId: paid.tokens[1],
    group: null,
  })
  assert.deepEqual(makerMatches, [])
  const zeros = { contractsGross: '0', contractsFee: '0', contractsNet: '0' }
  assert.deepEqual(execution, {
    matched: false,
    settlementStatus: 'UNMATCHED',
    feeRateBps: FEE_BPS,
    effectiveFeeBps: 0,
    totalsRaw: { ...zeros, usdGross: '0', usdFee: '0', usdNet: '0' },
  })
  const taken = await live.placed(alice, paid, { ticks: 400, sizeRaw: 4 * SHARE })
  assert.deepEqual(Object.keys(at(taken.body, 'order') ?? {}), ORDER_KEYS)
  const [match, ...others] = Object(at(taken.body, 'makerMatches'))
  assert.deepEqual(others, [])
  const { id, createdAt, ...met } = match
  assert.match(id, /^[0-9]+-0$/)
  assert.equal(createdAt, at(taken.body, 'order', 'createdAt'))
  assert.deepEqual(met, { matchedSize: '4000000', orderId: order.id })
  const stated = ['tradeEventId', 'txHash', 'feeRateBps', 'effectiveFeeBps', 'totalsRaw']
  const keys = ['matched', 'settlementStatus', ...stated]
  assert.deepEqual(Object.keys(at(taken.body, 'execution') ?? {}), keys)
  assert.equal(at(taken.body, 'execution', 'txHash'), null, 'no block has the trade yet')
})

test('numbers and decimal texts mean the same, and amounts come back as numbers', async () => {
  const texts = { makerAmount: '100000', takerAmount: '1000000', expiration: '0', nonce: '0' }
  const reply = await accepted(send(alice, free, { ...texts, salt: UINT256_MAX }), 201)
  const numbers = { makerAmount: 100_000, takerAmount: 1_000_000, expiration: 0, nonce: 0 }
  const salt = Number.MAX_SAFE_INTEGER - 1
  const same = await accepted(send(alice, free, { ...numbers, salt }), 201)
  for (const [body, echo] of [
    [reply.body, UINT256_MAX],
    [same.body, String(salt)],
  ] as const) {
    const { salt: stated, makerAmount, takerAmount, expiration, nonce } = Object(at(body, 'order'))
    assert.deepEqual([stated, makerAmount, takerAmount], [echo, 100_000, 1_000_000])
    assert.deepEqual([expiration, nonce], ['0', 0])
  }
  // A salt as text and the same salt as number make the same order.
  const again = await send(alice, free, { ...numbers, salt: String(salt) })
  assert.equal(at(again.body, 'code'), 'DUPLICATE_ORDER')
})

const BUY = 0
const SELL = 1

/** The examples and bounds of rules §1.5, each with its price; null for a refusal. */
const AMOUNTS: readonly [
  side: number,
  type: 'GTC' | 'FAK',
  makerAmount: number,
  takerAmount: number,
  price: string | null,
][] = [
  [BUY, 'GTC', 6_500_000, 10_000_000, '0.65'],
  [BUY, 'GTC', 8_428_863, 22_123_000, '0.381'],
  [SELL, 'GTC', 5_000_000, 3_750_000, '0.75'],
  [SELL, 'GTC', 1_234_000, 470_154, '0.381'],
  [BUY, 'FAK', 6_500_000, 10_000_000, '0.65'],
  [SELL, 'FAK', 1_234_000, 470_154, '0.381'],
  [BUY, 'GTC', 1, 1000, '0.001'],
  [BUY, 'GTC', 999, 1000, '0.999'],
  [SELL, 'GTC', 1000, 1, '0.001'],
  [SELL, 'GTC', 1000, 999, '0.999'],
  [BUY, 'GTC', 8_406_892, 22_123_400, null],
  [BUY, 'GTC', 0, 1000, null],
  [BUY, 'GTC', 1000, 1000, null],
  [SELL, 'GTC', 1000, 0, null],
  [SELL, 'GTC', 1000, 1000, null],
  [BUY, 'GTC', 6_500_001, 10_000_000, null],
  [SELL, 'GTC', 1_234_000, 470_155, null],
]

test('the amounts give the price, and the field price must agree with them', async () => {
  for (const [side, orderType, makerAmount, takerAmount, price] of AMOUNTS) {
    const stated = `${side} ${orderType} ${makerAmount} ${takerAmount}`
    const order = { side, makerAmount, takerAmount }
    const reply = await send(alice, free, order, { orderType })
    if (price === null) {
      assert.equal(at(reply.body, 'code'), 'AMOUNTS_INVALID', stated)
      continue
    }
    assert.equal(reply.status, 201, `${stated} ${reply.text}`)
    assert.equal(at(reply.body, 'order', 'price'), Number(price), stated)
    const amounts = ['makerAmount', 'takerAmount'].map((name) => at(reply.body, 'order', name))
    assert.deepEqual(amounts, [makerAmount, takerAmount], stated)
    const again = await send(alice, free, { ...order, price: Number(price) }, { orderType })
    assert.equal(again.status, 201, `${stated} ${again.text}`)
    const other = await send(alice, free, { ...order, price: Number(price) / 2 }, { orderType })
    assert.match(String(at(other.body, 'message')), /^Price does not match amounts: /, stated)
    await live.call(alice, 'DELETE', '/orders/all/free')
  }
})

interface TakerRow {
  readonly name: string
  readonly type: 'FOK' | 'FAK'
  readonly side: number
  readonly amounts: readonly [makerAmount: number, takerAmount: number]
  /** Shares and collateral that move; null if nothing trades. */
  readonly moved: readonly [sharesRaw: number, collateralRaw: number] | null
}

/** The book has an ask of 10 shares at 0.5 and a bid for 10 at 0.3. */
const TAKERS: readonly TakerRow[] = [
  {
    name: 'a market buy spends all of its collateral',
    type: 'FOK',
    side: BUY,
    amounts: [5_000_000, 1],
    moved: [10_000_000, 5_000_000],
  },
  {
    name: 'a market buy that the book cannot absorb does nothing',
    type: 'FOK',
    side: BUY,
    amounts: [5_000_001, 1],
    moved: null,
  },
  {
    name: 'a market buy spends any positive integer',
    type: 'FOK',
    side: BUY,
    amounts: [1, 1],
    moved: [2, 1],
  },
  {
    name: 'a market sale sells all of its shares',
    type: 'FOK',
    side: SELL,
    amounts: [10_000_000, 1],
    moved: [10_000_000, 3_000_000],
  },
  {
    name: 'a market sale that the book cannot absorb does nothing',
    type: 'FOK',
    side: SELL,
    amounts: [10_000_001, 1],
    moved: null,
  },
  {
    name: 'a market sale needs no step of a thousand',
    type: 'FOK',
    side: SELL,
    amounts: [1_234_567, 1],
    moved: [1_234_567, 370_370],
  },
  {
    name: 'a market sale may be of one raw share',
    type: 'FOK',
    side: SELL,
    amounts: [1, 1],
    moved: [1, 0],
  },
  {
    name: 'a FOK with a price fills at that price or better',
    type: 'FOK',
    side: BUY,
    amounts: [6_000_000, 10_000_000],
    moved: [10_000_000, 5_000_000],
  },
  {
    name: 'a FOK with a price fills whole or not at all',
    type: 'FOK',
    side: BUY,
    amounts: [5_500_000, 11_000_000],
    moved: null,
  },
  {
    name: 'a FOK with a price never fills beyond it',
    type: 'FOK',
    side: BUY,
    amounts: [4_990_000, 10_000_000],
    moved: null,
  },
  {
    name: 'a FAK takes what crosses and its rest is killed',
    type: 'FAK',
    side: BUY,
    amounts: [5_500_000, 11_000_000],
    moved: [10_000_000, 5_000_000],
  },
  {
    name: 'a FAK that sells takes what crosses',
    type: 'FAK',
    side: SELL,
    amounts: [25_000_000, 7_500_000],
    moved: [10_000_000, 3_000_000],
  },
  {
    name: 'a FAK that crosses nothing never rests',
    type: 'FAK',
    side: BUY,
    amounts: [4_990_000, 10_000_000],
    moved: null,
  },
]

for (const { name, type, side, amounts, moved } of TAKERS) {
  test(`${name} (${type})`, async () => {
    await asks(free, 500, 10)
    await bids(free, 300, 10)
    const [makerAmount, takerAmount] = amounts
    const before = live.balances(alice)
    const order = { side, makerAmount, takerAmount }
    const reply = await accepted(send(alice, free, order, { orderType: type }), 201)
    const { execution, makerMatches, order: stored } = Object(reply.body)
    assert.equal(execution.matched, moved !== null)
    assert.equal(execution.settlementStatus, moved === null ? 'UNMATCHED' : 'MATCHED')
    assert.equal(stored.status, moved === null ? 'UNMATCHED' : 'MATCHED')
    assert.equal(makerMatches.length, moved === null ? 0 : 1)
    assert.equal(stored.price === null, takerAmount === 1, 'the market form has no price')
    const [sharesRaw, collateralRaw] = moved ?? [0, 0]
    const { contractsGross, usdGross } = execution.totalsRaw
    assert.deepEqual([contractsGross, usdGross], [String(sharesRaw), String(collateralRaw)])
    const gainRaw = side === BUY ? -collateralRaw : collateralRaw
    const afterwards = { freeRaw: before.freeRaw + gainRaw, reservedRaw: 0 }
    assert.deepEqual(live.balances(alice), afterwards, 'nothing stays reserved')
  })
}

test('an order is LIVE through its expiration second and CANCELED after it', async () => {
  const expirationSec = Math.floor(live.nowMs() / 1000) + 100
  const reply = await send(alice, free, { expiration: expirationSec, takerAmount: 20_000_000 })
  assert.equal(at(reply.body, 'order', 'expiration'), String(expirationSec), reply.text)
  const orderId = orderIdOf(reply)
  const statusOf = async () => {
    const requested = { items: [{ orderId }] }
    const { body } = await live.call(alice, 'POST', '/orders/status/batch', requested)
    return at(body, 'results', 0, 'data', 'order', 'status')
  }
  live.shiftClock(expirationSec * 1000 - live.nowMs())
  live.exchange.pipeline.tick()
  const status = await statusOf()
  // The check is skipped if the machine stood still for the whole second.
  if (live.nowMs() < (expirationSec + 1) * 1000) assert.equal(status, 'LIVE')
  await live.pass(1000)
  assert.equal(await statusOf(), 'CANCELED')
})

test('after its deadline a market is LOCKED, has no open order and takes none', async () => {
  const market = await live.openMarket('brief', { deadline: live.nowMs() + 60_000 })
  const resting = await live.placed(alice, market, { ticks: 100 })
  await live.pass(60_000)
  assert.equal(live.balances(alice).reservedRaw, 0)
  assert.equal(at((await live.send('GET', '/markets/brief')).body, 'status'), 'LOCKED')
  const path = '/markets/brief/user-orders?statuses=CANCELED'
  const { body } = await live.call(alice, 'GET', path)
  assert.equal(at(body, 0, 'id'), at(resting.body, 'order', 'id'))
  const late = await live.place(alice, market)
  assertRefused(late, 400, 'MARKET_NOT_TRADABLE')
})

test('post-only is for GTC only, and taker delay never holds it', async () => {
  for (const orderType of ['FOK', 'FAK']) {
    const reply = await live.place(alice, free, {}, { orderType, postOnly: true })
    assertRefused(reply, 400, 'VALIDATION')
  }
  const slow = await live.openMarket('slow', { takerDelayMs: 30_000 })
  await asks(slow, 500, 10)
  const crossing = await live.place(alice, slow, { ticks: 500 }, { postOnly: true })
  assert.equal(at(crossing.body, 'message'), REJECT.POST_ONLY_WOULD_MATCH.sentence)
  const quiet = await live.place(alice, slow, { ticks: 499 }, { postOnly: true })
  assert.equal(at(quiet.body, 'execution', 'settlementStatus'), 'UNMATCHED', quiet.text)
  for (const trader of [alice, bob]) await live.call(trader, 'DELETE', '/orders/all/slow')
})

test('a client order id is private, and other profiles may use the same one', async () => {
  const theirs = await live.placed(bob, free, { outcome: 1 }, { clientOrderId: 'secret of bob' })
  const taken = await live.placed(alice, free, { sizeRaw: SHARE })
  assert.equal('clientOrderId' in Object(at(taken.body, 'execution')), false, 'no key, no null')
  const items = [{ orderId: at(taken.body, 'order', 'id') }]
  const status = await live.call(alice, 'POST', '/orders/status/batch', { items })
  const orders = await live.call(alice, 'GET', '/markets/free/user-orders?statuses=MATCHED')
  for (const { text } of [taken, status, orders]) assert.doesNotMatch(text, /secret|clientOrderId/)
  const same = await live.placed(alice, free, { ticks: 1 }, { clientOrderId: 'secret of bob' })
  assert.equal(at(same.body, 'execution', 'clientOrderId'), 'secret of bob')
  assert.notEqual(at(same.body, 'order', 'id'), at(theirs.body, 'order', 'id'))
})
