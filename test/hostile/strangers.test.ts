import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { api } from '../../server/api/routes.ts'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { byIdentity, IdentityProvider } from '../support/live-identity.ts'
import { orderBody } from '../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet } from '../support/live-partners.ts'
import { accepted, orderIdOf } from '../support/replies.ts'
import { SocketClient } from '../support/socket-client.ts'
import { closeAll } from '../support/socket-desk.ts'

// A stranger, who proves nothing, requests all that is open about a profile that has all there is
// to have. No reply and no frame has a private name or a private value of that profile.

const UNIT = 1_000_000
const STAKE = '10000000'
const LISTED = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const CLIENT_ORDER_ID = 'the-own-name-of-an-order'
const FEE_CAP_BPS = 137
/** Documents, which name the private fields of other calls. */
const DOCUMENTS = new Set([
  '/',
  '/docs',
  '/docs/:page',
  '/docs/asyncapi',
  '/docs/openapi',
  '/asyncapi.json',
  '/openapi.json',
])
/** No open reply has them, whatever they are about. */
const NOBODYS = new Set([
  'email',
  'phone',
  'ip',
  'ips',
  'userAgent',
  'session',
  'sessions',
  'cookie',
  'secret',
  'apiKey',
  'apiToken',
  'scopes',
  'allowedScopes',
  'clientOrderId',
  'signature',
  'salt',
  'balance',
  'balances',
  'free',
  'reserved',
  'withdrawable',
  'parked',
  'feeCapBps',
  'effectiveFeeRateBps',
  'withdrawalAddresses',
  'destinationAddress',
  'partnerId',
])
/** No open reply has them of a person; a market, for one, has settings of its own. */
const PERSONAL = new Set([
  'client',
  'smartWallet',
  'embeddedAccount',
  'settings',
  'mode',
  'tradeWalletOption',
  'tradeWalletChoosen',
  'referralCode',
  'referralData',
  'referredUsersCount',
  'points',
  'accumulativePoints',
  'enrolledInPointsProgram',
  'isOnboarded',
  'leaderboardPosition',
  'isTop100',
  'isFrozen',
  'frozen',
  'orders',
  'tokenId',
  'tokens',
  'lastUsedAt',
])
/** The contract has these two in the profile of a taker. */
const OF_TAKERS = new Map([['/markets/:slug/events', new Set(['client', 'smartWallet'])]])

const provider = new IdentityProvider()
const clients: SocketClient[] = []
const { live } = await exchange({
  flags: ['--block-ms', '1', '--pack-rest', '0', ...provider.flags],
})
/** Private texts of ann: none of them is in an open reply. */
const values: string[] = []

const call = (method: string, path: string, body?: unknown) =>
  live.patientCall(ann, method, path, body)

async function quoted(): Promise<object> {
  const quote = await call('POST', '/parlay/quote', { legs, stake: STAKE })
  return { quoteId: at(quote.body, 'quoteId'), legs, stake: STAKE }
}

async function trade(): Promise<void> {
  const sold = { side: 'sell', ticks: 450, sizeRaw: UNIT } as const
  await live.placed(ann, rain, { ticks: 500, sizeRaw: UNIT })
  await live.placed(ann, rain, sold)
}

const maker = await live.trader(100_000 * UNIT)
const rights = { apiToken: { scopes: PARTNER_RIGHTS } }
const ann = await live.trader(7_654_321_987, { username: 'ann', feeCapBps: FEE_CAP_BPS, ...rights })
assert.equal((await live.admin('/admin/house', { collateralRaw: 1000 * UNIT })).status, 200)
const rain = await live.openMarket('rain', { categories: ['Weather'] })
const snow = await live.openMarket('snow')
for (const market of [rain, snow]) {
  const sell = { outcome: 1, ticks: 500, sizeRaw: 1000 * UNIT } as const
  await live.placed(maker, market, sell)
}
await live.placed(maker, snow, { ticks: 450, sizeRaw: 100 * UNIT })
await live.placed(maker, rain, { ticks: 450, sizeRaw: 100 * UNIT })
const legs = [rain, snow].map(({ slug: marketSlug }) => ({ marketSlug, outcomeIndex: 0 }))
await trade()
const made = await accepted(call('POST', '/parlay/create', await quoted()), 201)
const packId = textAt(made.body, 'id')
const order = { ...orderBody(ann, rain, { ticks: 100 }), clientOrderId: CLIENT_ORDER_ID }
const rested = await accepted(call('POST', '/orders', order), 201)
const token = await provider.token(live, ann.account)
const path = '/portfolio/withdrawal-addresses'
const listed = await byIdentity(live, token, 'POST', path, { address: LISTED })
assert.ok(listed.status < 300, listed.text)
assert.equal((await call('PUT', '/market-bookmarks/clob/rain')).status, 200)
const shown = await call('PATCH', '/market-bookmarks/visibility', { isPublic: true })
assert.equal(shown.status, 200)
const { account } = await serverWallet(live, ann, UNIT)
const { body } = await call('GET', '/portfolio/balance')
await live.exchange.boards.pass(live.nowMs())
values.push(
  ann.tokenId,
  ann.secret,
  LISTED,
  CLIENT_ORDER_ID,
  account,
  textAt(body, 'free'),
  orderIdOf(rested),
  `:${FEE_CAP_BPS},`,
)
afterEach(async () => {
  await closeAll(live, clients)
})

/** The private names in a JSON value, with the way to each. */
function privateIn(value: unknown, allowed: ReadonlySet<string>, way = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => privateIn(each, allowed, `${way}[]`))
  if (typeof value !== 'object' || value === null) return []
  const entries: [string, unknown][] = Object.entries(value)
  const isPerson = entries.some(([name]) => ['account', 'profileId', 'username'].includes(name))
  return entries.flatMap(([name, each]) => {
    const isPrivate = NOBODYS.has(name) || (isPerson && PERSONAL.has(name) && !allowed.has(name))
    return [...(isPrivate ? [`${way}.${name}`] : []), ...privateIn(each, allowed, `${way}.${name}`)]
  })
}

function assertRevealsNothing(text: string, stated: unknown, what: string, route = ''): void {
  assert.deepEqual(privateIn(stated, OF_TAKERS.get(route) ?? new Set()), [], what)
  for (const value of values) {
    assert.ok(!text.toLowerCase().includes(value.toLowerCase()), `${what}: ${value}`)
  }
}

/** The path of an open read about ann, her market and her pack. */
function pathOf({ path, example }: (typeof api)[number]): string {
  const known = {
    account: ann.account,
    slug: rain.slug,
    addressOrSlug: rain.slug,
    type: 'pnl',
    id: path.startsWith('/parlay') ? packId : '__home__',
    categoryId: '1',
  }
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => String(at(known, name)))
  const requested: [string, unknown][] = Object.entries(example.query ?? {})
  const text = path.startsWith('/profiles') ? 'ann' : rain.slug
  const query = requested.map(([name, each]): [string, string] => {
    return [name, name === 'query' ? text : String(each)]
  })
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}

test('no open read shows a stranger what only its owner may know', async () => {
  let reported = 0
  for (const each of api) {
    if (each.method !== 'GET' || each.auth.accepts.length > 0 || DOCUMENTS.has(each.path)) continue
    const path = pathOf(each)
    // Before their first count the obligations are 503 for a minute.
    const isCounted = each.path === '/solvency'
    const { status, text, body } = await (isCounted ? live.send('GET', path) : live.read(path))
    assert.ok(status < 500 || isCounted, `${path}: ${text}`)
    assertRevealsNothing(text, body, path, each.path)
    if (status === 200 && text.toLowerCase().includes(ann.account.toLowerCase())) reported++
  }
  assert.ok(reported >= 9, `${reported} replies are about her`)
})

test('no open frame shows a stranger what only its owner may know', async () => {
  const client = await SocketClient.open(live.port)
  clients.push(client)
  const marketSlugs = [rain.slug]
  client.socket.emit('subscribe_market_prices', { marketSlugs })
  client.socket.emit('subscribe_trades', { marketSlugs })
  client.socket.emit('subscribe_market_lifecycle')
  client.socket.emit('subscribe_live_offers')
  await client.take('system', 4)
  const offered = { legs, stakeMax: STAKE, payout: '30000000' }
  assert.equal((await call('POST', '/parlay/offers', offered)).status, 201)
  await trade()
  await live.openMarket('hail')
  for (const event of ['liveOffer', 'trade', 'marketCreated', 'orderbookUpdate']) {
    await client.take(event, 1)
  }
  for (const { event, payload } of client.frames) {
    assertRevealsNothing(JSON.stringify(payload), payload, event)
  }
})

test('the names of a reply that would reveal too much are noticed', () => {
  const reported = { data: [{ account: ann.account, client: 'eoa', free: '1' }], settings: {} }
  assert.deepEqual(privateIn(reported, new Set()), ['.data[].client', '.data[].free'])
})
