import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TOOLS } from '../../../../server/api/mcp/mcp.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { IdentityProvider } from '../../../support/live-identity.ts'
import { byBearer, bySignature, openProgram, type Proof } from '../../../support/live-mcp.ts'
import { orderBody } from '../../../support/live-orders.ts'
import {
  PARTNER_RIGHTS,
  type SubAccount,
  serverWallet,
  tokenOf,
  unsignedBody,
} from '../../../support/live-partners.ts'
import { cookieOf, login, newWallet } from '../../../support/live-session.ts'

// The tools of POST /mcp, by the client of the protocol's library: each does what its call does.

const FUNDS_RAW = 1_000_000_000
const provider = new IdentityProvider()
const {
  live,
  'rain-tomorrow': market,
  alice,
  bob,
} = await exchange({
  flags: provider.flags,
  markets: ['rain-tomorrow'],
  fundsRaw: FUNDS_RAW,
  traders: ['alice', 'bob'],
})

const program = await openProgram(live, byBearer(alice))
after(async () => {
  await program.end()
})

const idOf = (value: unknown) => textAt(value, 'order', 'id')

async function resting(trader = alice): Promise<string> {
  const reply = await live.placed(trader, market, { ticks: 400, sizeRaw: 1_000_000 })
  return idOf(reply.body)
}

/** Reads: the arguments of the tool, and the call that must give the same text. */
const READS: Readonly<Record<string, readonly [given: object, path: string]>> = {
  search_markets: [{ query: 'rain' }, '/markets/search?query=rain'],
  list_markets: [{ sortBy: 'newest', limit: 1 }, '/markets/active?sortBy=newest&limit=1'],
  get_market: [{ addressOrSlug: 'rain-tomorrow' }, '/markets/rain-tomorrow'],
  get_order_book: [{ slug: 'rain-tomorrow' }, '/markets/rain-tomorrow/orderbook'],
  get_market_price_history: [{ slug: 'rain-tomorrow' }, '/markets/rain-tomorrow/historical-price'],
  get_market_trades: [
    { slug: 'rain-tomorrow', afterSeq: 0 },
    '/markets/rain-tomorrow/trades?afterSeq=0',
  ],
  get_my_balance: [{}, '/portfolio/balance'],
  get_my_positions: [{}, '/portfolio/positions'],
  get_my_orders: [{ limit: 1, cursor: null }, '/orders?limit=1'],
}
const CHANGES = ['place_order', 'cancel_order', 'cancel_market_orders', 'cancel_all_orders']

test('the list has every tool, with its fields, and says which ones only read', async () => {
  assert.deepEqual(
    TOOLS.map(({ name }) => name).sort(),
    [...Object.keys(READS), 'get_my_order', ...CHANGES].sort(),
  )
  const { tools } = await program.client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    TOOLS.map(({ name }) => name),
  )
  for (const { name, description, inputSchema, annotations } of tools) {
    assert.match(String(description), /^[A-Z].{20,}\.$/, name)
    assert.equal(at(inputSchema, 'additionalProperties'), false, name)
    assert.equal(annotations?.readOnlyHint, !CHANGES.includes(name), name)
    for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
      assert.equal(typeof at(schema, 'description'), 'string', `${name} ${field}`)
    }
  }
  const named = (name: string) => tools.find((each) => each.name === name)?.inputSchema
  assert.deepEqual(named('get_market_price_history')?.required, ['slug'])
  const interval = at(named('get_market_price_history'), 'properties', 'interval')
  assert.deepEqual(at(interval, 'enum'), ['5m', '1h', '6h', '1d', '1w', '1m', 'all'])
  assert.equal(at(interval, 'default'), undefined, 'from and to may stand in its place')
  assert.deepEqual(named('place_order')?.required, ['order', 'orderType', 'marketSlug'])
  assert.equal(named('get_my_balance')?.required, undefined)
})

test('a tool that reads gives the text of its call, for the caller', async () => {
  await resting(bob)
  await live.placed(alice, market, { ticks: 400, sizeRaw: 1_000_000, outcome: 1 })
  const traded = await live.place(bob, market, { ticks: 600, sizeRaw: 1_000_000 })
  assert.equal(at(traded.body, 'execution', 'matched'), true, traded.text)
  await resting()
  for (const [name, [given, path]] of Object.entries(READS)) {
    const reported = await program.use(name, { ...given })
    const reply = await live.call(alice, 'GET', path)
    assert.equal(reply.status, 200, `${path} ${reply.text}`)
    assert.deepEqual(timeless(reported.body), timeless(reply.body), name)
    assert.equal(reported.isError, false, name)
  }
  const ofMarket = await program.use('get_market_trades', { slug: market.slug })
  assert.notEqual(at(ofMarket.body, 'trades', 0), undefined, 'there is something to compare')
  assert.notEqual(at((await program.use('get_my_positions')).body, 'clob', 0), undefined)
})

/** A book says when it was read. */
function timeless(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'timestamp' ? 0 : value)))
}

test('the price history takes each interval, and no other', async () => {
  for (const interval of ['5m', '1h', '6h', '1d', '1w', '1m', 'all']) {
    const reported = await program.use('get_market_price_history', { slug: market.slug, interval })
    assert.equal(reported.isError, false, reported.text)
    const plain = `/markets/${market.slug}/historical-price?interval=${interval}`
    const reply = await live.send('GET', plain)
    assert.equal(at(reported.body, 'title'), at(reply.body, 'title'))
  }
  const reported = await program.use('get_market_price_history', {
    slug: market.slug,
    interval: '2d',
  })
  assert.ok(reported.isError)
  assert.equal(at(reported.body, 'code'), 'VALIDATION')
  assert.equal(at(reported.body, 'message', 0, 'field'), 'interval')
})

test('an order is placed, shown and canceled by tools as by calls', async () => {
  const placed = await program.use('place_order', orderBody(alice, market, { ticks: 300 }))
  assert.equal(placed.isError, false, placed.text)
  const orderId = idOf(placed.body)
  assert.equal(at(placed.body, 'order', 'ownerId'), alice.profileId)
  const shown = await program.use('get_my_order', { orderId })
  assert.equal(idOf(shown.body), orderId)
  assert.equal((await live.call(alice, 'GET', `/orders/${orderId}`)).text, shown.text)
  const canceled = await program.use('cancel_order', { orderId })
  const { message, filledSize } = Object(canceled.body)
  assert.deepEqual([message, filledSize], ['Order canceled successfully', '0'])
  const again = await program.use('cancel_order', { orderId })
  assert.deepEqual([again.isError, at(again.body, 'code')], [true, 'ORDER_NOT_OPEN'])
  const named = { ...orderBody(alice, market, { ticks: 300 }), clientOrderId: 'by-a-program' }
  assert.equal((await program.use('place_order', named)).isError, false)
  const byName = await program.use('cancel_order', { clientOrderId: 'by-a-program' })
  assert.equal(byName.isError, false, byName.text)
})

test('open orders are canceled in one market or in all', async () => {
  const snow = await live.openMarket('snow-tomorrow')
  await program.use('cancel_all_orders')
  for (const where of [market, market, snow]) {
    const reported = await program.use('place_order', orderBody(alice, where, { ticks: 300 }))
    assert.equal(reported.isError, false, reported.text)
  }
  const theirs = await resting(bob)
  const inMarket = await program.use('cancel_market_orders', { slug: market.slug })
  assert.equal(Object(at(inMarket.body, 'canceled')).length, 2, inMarket.text)
  const inAll = await program.use('cancel_all_orders')
  assert.equal(Object(at(inAll.body, 'canceled')).length, 1, inAll.text)
  const orders = await program.use('get_my_orders')
  assert.deepEqual(at(orders.body, 'data'), [])
  const bobs = await live.call(bob, 'GET', `/orders/${theirs}`)
  assert.equal(at(bobs.body, 'order', 'status'), 'LIVE', 'orders of others stay')
})

test('a refusal is the result of the tool, with the JSON of the refusal', async () => {
  const order = orderBody(alice, market, { ticks: 300 })
  const placed = await program.use('place_order', order)
  const rows: readonly (readonly [string, object, string, string?])[] = [
    ['get_market', { addressOrSlug: 'nowhere' }, 'MARKET_NOT_FOUND'],
    ['get_order_book', { slug: 'nowhere' }, 'MARKET_NOT_FOUND'],
    ['get_order_book', { slug: 'No Slug' }, 'MARKET_NOT_FOUND'],
    ['get_order_book', {}, 'VALIDATION', 'slug'],
    ['get_order_book', { slug: market.slug, depth: 5 }, 'VALIDATION', 'depth'],
    ['search_markets', { query: 'rain', limit: '5' }, 'VALIDATION', 'limit'],
    ['search_markets', { query: null }, 'VALIDATION', 'query'],
    ['get_my_orders', { limit: 0 }, 'VALIDATION', 'limit'],
    ['get_my_orders', { cursor: '!' }, 'VALIDATION', 'cursor'],
    ['cancel_order', {}, 'VALIDATION', 'orderId'],
    ['cancel_order', { surprise: 1 }, 'VALIDATION', 'surprise'],
    ['cancel_market_orders', { slug: 'nowhere' }, 'MARKET_NOT_FOUND'],
    ['cancel_all_orders', { slug: market.slug }, 'VALIDATION', 'slug'],
    ['place_order', order, 'DUPLICATE_ORDER'],
    ['place_order', { ...order, surprise: 1 }, 'VALIDATION', 'surprise'],
    ['place_order', { ...order, marketSlug: 'nowhere' }, 'MARKET_NOT_FOUND'],
    ['place_order', {}, 'VALIDATION', 'order'],
    ['place_order', { ...orderBody(bob, market) }, 'OWNER_MISMATCH'],
  ]
  for (const [name, given, code, field] of rows) {
    const reported = await program.use(name, { ...given })
    const payload = `${name} ${JSON.stringify(given).slice(0, 80)}: ${reported.text}`
    assert.equal(reported.isError, true, payload)
    assert.equal(at(reported.body, 'code'), code, payload)
    assert.equal(typeof at(reported.body, 'statusCode'), 'number', payload)
    if (field !== undefined) assert.equal(at(reported.body, 'message', 0, 'field'), field, payload)
  }
  await program.use('cancel_order', { orderId: idOf(placed.body) })
})

test('every proof of a caller opens the tools, and only the scope lets it trade', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const reading = await tokenOf(live, alice, ['withdrawal'])
  const identity = { identity: `Bearer ${await provider.token(live, alice.account)}` }
  const proofs: readonly (readonly [string, Proof, mayTrade: boolean])[] = [
    ['bearer', byBearer(alice), true],
    ['signature', bySignature(live, alice), true],
    ['bearer without the scope', byBearer(reading), false],
    ['signature without the scope', bySignature(live, reading), false],
    ['session', { headers: { cookie } }, false],
    ['identity token', { headers: identity }, false],
  ]
  for (const [name, proof, mayTrade] of proofs) {
    const other = await openProgram(live, proof)
    assert.equal((await other.client.listTools()).tools.length, TOOLS.length, name)
    for (const [tool, [given]] of Object.entries(READS)) {
      const reported = await other.use(tool, { ...given })
      assert.equal(reported.isError, false, `${name} ${tool} ${reported.text}`)
    }
    const orderId = await resting()
    for (const [tool, given] of [
      ['place_order', orderBody(alice, market, { ticks: 300 })],
      ['cancel_order', { orderId }],
      ['cancel_market_orders', { slug: market.slug }],
      ['cancel_all_orders', {}],
    ] as const) {
      const reported = await other.use(tool, { ...given })
      assert.equal(reported.isError, !mayTrade, `${name} ${tool} ${reported.text}`)
      if (mayTrade) continue
      const { code, scope, statusCode } = Object(reported.body)
      assert.deepEqual([code, scope, statusCode], ['SCOPE_MISSING', 'trading', 403], name)
    }
    await other.end()
  }
})

test('a caller sees only its own orders, positions and money', async () => {
  const orderId = await resting()
  const stranger = await live.trader(5_000_000)
  const other = await openProgram(live, byBearer(stranger))
  assert.deepEqual(at((await other.use('get_my_orders')).body, 'data'), [])
  assert.deepEqual(at((await other.use('get_my_positions')).body, 'clob'), [])
  assert.equal(at((await other.use('get_my_balance')).body, 'free'), '5000000')
  for (const tool of ['get_my_order', 'cancel_order']) {
    const reported = await other.use(tool, { orderId })
    assert.deepEqual([reported.isError, at(reported.body, 'code')], [true, 'ORDER_NOT_FOUND'], tool)
  }
  await other.use('cancel_all_orders')
  const mine = await program.use('get_my_order', { orderId })
  assert.equal(at(mine.body, 'order', 'status'), 'LIVE')
  await other.end()
})

async function ordersOf(desk: SubAccount, partner: Trader): Promise<unknown[]> {
  const reply = await live.call(partner, 'GET', `/orders?onBehalfOf=${desk.profileId}`)
  return Object(at(reply.body, 'data'))
}

test('a partner trades for a server wallet, named by argument, header or query', async () => {
  const partner = await live.trader(0, { apiToken: { scopes: PARTNER_RIGHTS } })
  const desk = await serverWallet(live, partner, FUNDS_RAW)
  const foreign = await serverWallet(
    live,
    await live.trader(0, { apiToken: { scopes: PARTNER_RIGHTS } }),
    FUNDS_RAW,
  )
  const { headers } = byBearer(partner)
  const id = desk.profileId
  const ways = [
    [await openProgram(live, { headers }), { onBehalfOf: id }],
    [await openProgram(live, { headers: { ...headers, 'x-on-behalf-of': String(id) } }), {}],
    [await openProgram(live, { headers }, `?onBehalfOf=${id}`), {}],
  ] as const
  for (const [other, naming] of ways) {
    const { onBehalfOf: _named, ownerId: _owner, ...order } = unsignedBody(partner, id, market)
    const placed = await other.use('place_order', { ...order, ...naming })
    assert.equal(at(placed.body, 'order', 'ownerId'), id, placed.text)
    const listed = await other.use('get_my_orders', naming)
    assert.equal(Object(at(listed.body, 'data')).length, 1, listed.text)
    const reported = await other.use('get_my_balance', { onBehalfOf: foreign.profileId })
    const isNamed = 'onBehalfOf' in naming
    assert.equal(
      at(reported.body, 'code'),
      isNamed ? 'NOT_SUB_ACCOUNT' : 'VALIDATION',
      reported.text,
    )
    const canceled = await other.use('cancel_all_orders', naming)
    assert.equal(Object(at(canceled.body, 'canceled')).length, 1, canceled.text)
    assert.deepEqual(await ordersOf(desk, partner), [])
    await other.end()
  }
})
