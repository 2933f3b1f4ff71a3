import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  APIError,
  Client,
  type OrderClient,
  type OrderResponse,
  OrderType,
  Side,
} from '@limitless-exchange/sdk'
import { openClientVenue } from '../support/client-venue.ts'
import { SHARE } from '../support/exchange-client.ts'
import { ServerProcess, verify } from '../support/server-process.ts'

// The public client, unmodified from npm, against the demo, or an exchange on a local chain. It
// trades in a market of its own, where the demo's market maker does not quote.

const SLUG = 'quiet-market'
const { server, traders, exchange, options, settled, end } = await openClientVenue()
after(end)

const market = await exchange.makeMarket(SLUG, true)

interface Party {
  readonly client: Client
  readonly orders: OrderClient
}

const clientOf = ({ tokenId, secret }: { tokenId: string; secret: string }) =>
  new Client({ baseURL: server.baseUrl, hmacCredentials: { tokenId, secret } })

function partyOf(trader: (typeof traders)[number]): Party {
  const { privateKey } = trader
  const client = clientOf(trader)
  return { client, orders: client.newOrderClient(privateKey) }
}
const [alice, bob] = traders.map(partyOf)

function limit(
  party: Party,
  order: { side: Side; token: string; price: number; size: number },
  type: OrderType.GTC | OrderType.FAK = OrderType.GTC,
): Promise<OrderResponse> {
  const { side, token: tokenId, price, size } = order
  return party.orders.createOrder({
    tokenId,
    side,
    price,
    size,
    orderType: type,
    marketSlug: SLUG,
  })
}

function spend(party: Party, side: Side, token: string, amount: number): Promise<OrderResponse> {
  return party.orders.createOrder({
    tokenId: token,
    side,
    makerAmount: amount,
    orderType: OrderType.FOK,
    marketSlug: SLUG,
  })
}

interface Listed {
  readonly id: string
  readonly status: string
  readonly remainingSize: string
}

function listed(party: Party, ...statuses: string[]): Promise<Listed[]> {
  const query = statuses.map((status) => `statuses=${status}`).join('&')
  return party.client.http.get(`/markets/${SLUG}/user-orders${query === '' ? '' : `?${query}`}`)
}

async function idsOf(party: Party, status: string): Promise<string[]> {
  return (await listed(party, status)).map(({ id }) => id)
}

const { yes, no } = market.tokens
const totalsOf = ({ execution }: OrderResponse) => {
  assert.ok(execution?.totalsRaw !== undefined, 'an order reply says what was filled')
  const { contractsGross, usdGross } = execution.totalsRaw
  return { contractsGross, usdGross }
}

test('the client finds the active markets, a market and a book with quotes', async () => {
  const { data, totalMarketsCount } = await alice.client.markets.getActiveMarkets({
    limit: 25,
    page: 1,
    sortBy: 'newest',
  })
  assert.equal(data.length, 25, 'the markets fill a page')
  assert.ok(Number(totalMarketsCount) >= data.length)
  assert.ok(data.some(({ slug }) => slug === SLUG))
  // A group has no book, and a slot may end meanwhile.
  const lasting = data.filter(
    ({ tradeType, expirationDate }) => tradeType === 'clob' && expirationDate === 'No deadline',
  )
  const [lively] = lasting.filter(({ slug }) => slug !== SLUG)
  const detail = await alice.client.markets.getMarket(lively.slug)
  assert.equal(detail.title, lively.title)
  assert.deepEqual(alice.client.markets.getVenue(lively.slug), detail.venue)
  for (const { slug } of lasting) {
    const book = await alice.client.markets.getOrderBook(slug)
    assert.match(book.tokenId, /^[0-9]+$/)
  }
})

test('the client reads its own profile', async () => {
  // The demo names its own traders and brings them friends meanwhile.
  const carol = await exchange.makeTrader('carol', 0)
  const { portfolio } = clientOf(carol)
  const profile = await portfolio.getProfile(carol.account)
  assert.equal(profile.id, carol.profileId)
  assert.equal(profile.rank?.feeRateBps, 300)
  assert.deepEqual(await portfolio.getProfile(), profile)
  const { data } = await portfolio.getProfile('', { withRawResponse: true })
  assert.deepEqual(data, profile)
  const statusOf = (address: string) =>
    portfolio.getProfile(address).then(
      () => 200,
      (error: unknown) => (error instanceof APIError ? error.status : 0),
    )
  assert.equal(await statusOf(bob.orders.walletAddress), 403)
  assert.equal(await statusOf(`0x${'1'.repeat(40)}`), 404)
  assert.equal(await statusOf('carol'), 400)
})

test('a bid rests, and a buyer of the other outcome mints a pair with it', async () => {
  const bid = await limit(alice, { side: Side.BUY, token: yes, price: 0.4, size: 100 })
  assert.equal(bid.execution?.matched, false)
  assert.deepEqual(await idsOf(alice, 'LIVE'), [bid.order.id])
  const book = await alice.client.markets.getOrderBook(SLUG)
  assert.deepEqual(book.bids, [{ price: 0.4, size: 100 * SHARE, side: 'BUY' }])
  const mint = await limit(bob, { side: Side.BUY, token: no, price: 0.6, size: 100 })
  assert.deepEqual(
    mint.makerMatches?.map(({ orderId, matchedSize }) => [orderId, matchedSize]),
    [[bid.order.id, String(100 * SHARE)]],
  )
  assert.deepEqual(totalsOf(mint), {
    contractsGross: String(100 * SHARE),
    usdGross: String(60 * SHARE),
  })
  assert.deepEqual(await idsOf(alice, 'MATCHED'), [bid.order.id])
})

test('a post-only order that would match is refused and leaves no trace', async () => {
  const ask = await limit(bob, { side: Side.BUY, token: no, price: 0.5, size: 20 })
  const refused = alice.orders.createOrder({
    tokenId: yes,
    side: Side.BUY,
    price: 0.5,
    size: 5,
    orderType: OrderType.GTC,
    marketSlug: SLUG,
    postOnly: true,
  })
  await assert.rejects(refused, (error: unknown) => {
    assert.ok(error instanceof APIError)
    assert.equal(error.status, 400)
    assert.match(error.message, /Post only order would match/)
    return true
  })
  assert.deepEqual(await listed(alice), [])
  assert.deepEqual(await bob.orders.cancel(ask.order.id), {
    message: 'Order canceled successfully',
    orderId: ask.order.id,
    filledSize: '0',
    remainingSize: String(20 * SHARE),
    averagePrice: null,
  })
  assert.deepEqual(await idsOf(bob, 'CANCELED'), [ask.order.id])
})

test('a FAK takes what it meets, and the remainder never rests', async () => {
  await limit(bob, { side: Side.BUY, token: no, price: 0.5, size: 10 })
  const order = { side: Side.BUY, token: yes, price: 0.5, size: 25 }
  const taken = await limit(alice, order, OrderType.FAK)
  assert.equal(taken.execution?.settlementStatus, 'MATCHED')
  assert.equal(totalsOf(taken).contractsGross, String(10 * SHARE))
  const none = await limit(alice, order, OrderType.FAK)
  assert.equal(none.execution?.settlementStatus, 'UNMATCHED')
  assert.deepEqual(await idsOf(alice, 'UNMATCHED'), [none.order.id])
  assert.deepEqual(await listed(alice), [])
})

test('FOK market orders buy by spend and sell by shares, whole or not at all', async () => {
  const ask = await limit(bob, { side: Side.BUY, token: no, price: 0.5, size: 40 })
  const bought = await spend(alice, Side.BUY, yes, 10)
  assert.deepEqual(totalsOf(bought), {
    contractsGross: String(20 * SHARE),
    usdGross: String(10 * SHARE),
  })
  const tooMuch = await spend(alice, Side.BUY, yes, 1000)
  assert.equal(tooMuch.execution?.matched, false)
  assert.equal(tooMuch.execution?.settlementStatus, 'UNMATCHED')
  await bob.orders.cancel(ask.order.id)
  const bid = await limit(bob, { side: Side.BUY, token: yes, price: 0.3, size: 8 })
  const sold = await spend(alice, Side.SELL, yes, 8)
  assert.deepEqual(totalsOf(sold), {
    contractsGross: String(8 * SHARE),
    usdGross: String(2.4 * SHARE),
  })
  assert.equal(sold.makerMatches?.[0].orderId, bid.order.id)
})

test('two sellers of both outcomes merge their pair', async () => {
  const ask = await limit(alice, { side: Side.SELL, token: yes, price: 0.6, size: 30 })
  const merged = await limit(bob, { side: Side.SELL, token: no, price: 0.4, size: 30 })
  assert.equal(merged.makerMatches?.[0].orderId, ask.order.id)
  assert.deepEqual(totalsOf(merged), {
    contractsGross: String(30 * SHARE),
    usdGross: String(12 * SHARE),
  })
})

test('the client cancels orders in a batch and all at once', async () => {
  const resting = []
  for (const price of [0.1, 0.11, 0.12, 0.13]) {
    resting.push(await limit(alice, { side: Side.BUY, token: yes, price, size: 5 }))
  }
  const [first, second, ...rest] = resting.map(({ order }) => order.id)
  const batch = await alice.client.http.post('/orders/batch-cancel', { orderIds: [first, second] })
  assert.deepEqual(batch, {
    message: 'Orders canceled successfully',
    failed: [],
    canceled: [first, second],
    orders: [first, second].map((orderId) => ({
      orderId,
      filledSize: '0',
      remainingSize: String(5 * SHARE),
      averagePrice: null,
    })),
  })
  const again = alice.client.http.post('/orders/cancel-batch', { orderIds: [first] })
  await assert.rejects(again, (error: unknown) => error instanceof APIError && error.status === 400)
  const live = await (await alice.client.markets.getMarket(SLUG)).getUserOrders()
  assert.deepEqual(live.map(({ id }) => id).sort(), [...rest].sort())
  const all = await alice.orders.cancelAll(SLUG)
  assert.equal(all.message, 'Orders canceled successfully')
  assert.deepEqual(await listed(alice), [])
  const canceled = await idsOf(alice, 'CANCELED')
  assert.ok([first, second, ...rest].every((id) => canceled.includes(id)))
})

test('orders of all four statuses are found, newest first, also after a restart', async () => {
  await limit(alice, { side: Side.BUY, token: yes, price: 0.2, size: 5 })
  const before = await listed(alice, 'LIVE', 'MATCHED', 'CANCELED', 'UNMATCHED')
  assert.deepEqual([...new Set(before.map(({ status }) => status))].sort(), [
    'CANCELED',
    'LIVE',
    'MATCHED',
    'UNMATCHED',
  ])
  await settled()
  const stopped = await server.stop()
  assert.deepEqual(await verify(options.dataDir), stopped)
  const again = await ServerProcess.start(options)
  try {
    assert.deepEqual(again.recovered, stopped)
    const { tokenId, secret } = traders[0]
    const client = new Client({ baseURL: again.baseUrl, hmacCredentials: { tokenId, secret } })
    const party = { client, orders: alice.orders }
    assert.deepEqual(await listed(party, 'LIVE', 'MATCHED', 'CANCELED', 'UNMATCHED'), before)
  } finally {
    await again.kill()
  }
})
