import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../../support/live-exchange.ts'
import { newWallet, signingMessage } from '../../../support/live-session.ts'
import { RawClient } from '../../../support/raw-client.ts'
import { assertRefused, codeOf, type Reply } from '../../../support/replies.ts'
import { upgradeText } from '../../../support/socket-client.ts'
import '../../../support/two-edges.ts'

// The calls that are refused: those that come too often, and trades from blocked countries.

async function during(
  flags: readonly string[],
  work: (live: LiveExchange) => Promise<void>,
): Promise<void> {
  const { live } = await exchange({ flags, limited: true })
  await work(live)
}

const ME = '/profiles/me'
/** A burst of one call, and one call a second. */
const ONCE = '1:1'

function assertLimited(reply: Reply): void {
  assertRefused(reply, 429, 'RATE_LIMITED')
  const { statusCode, error, message } = Object(reply.body)
  assert.deepEqual([statusCode, error, typeof message], [429, 'Too Many Requests', 'string'])
  assert.match(String(reply.headers.get('retry-after')), /^[1-9][0-9]*$/)
}

/** Sends calls at once: at least one passes and at least one is refused. Gives a refusal. */
async function refusedOf(calls: number, call: () => Promise<Reply>): Promise<Reply> {
  const replies = await Promise.all(Array.from({ length: calls }, call))
  const refused = replies.filter(({ status }) => status === 429)
  const passed = replies.length - refused.length
  assert.ok(refused.length > 0 && passed > 0, `${passed} passed, ${refused.length} were refused`)
  return refused[0]
}

const RATES = [
  '--rate-private',
  '2:1',
  '--rate-trade',
  ONCE,
  '--rate-auth',
  ONCE,
  '--address-rate-auth',
  '1:9',
  '--address-rate-public',
  '2:9',
]

/** What the headers of a reply say of a bucket; empty when there are none. */
function bucketOf({ headers }: Reply): Record<string, number> {
  const stated = ['limit', 'remaining', 'reset'].flatMap((name) => {
    const value = headers.get(`ratelimit-${name}`)
    return value === null ? [] : [[name, Number(value)]]
  })
  return Object.fromEntries(stated)
}

const SLOW = ['--rate-private', '1:5', '--rate-trade', '1:700', '--address-rate-public', '1:900']

test('replies state what is left for the profile, or for the address of an unknown caller', () =>
  during([...SLOW, '--address-rate-private', '1:800', '--cors-origin', '*'], async (live) => {
    const fromMs = performance.now()
    /** One token comes back in a second, so a slow test finds some more. */
    const assertBucket = (reply: Reply, limit: number, taken: number) => {
      const { remaining, reset, ...reported } = bucketOf(reply)
      const backAtMost = Math.ceil((performance.now() - fromMs) / 1000)
      assert.deepEqual(reported, { limit })
      const least = Math.max(limit - taken, 0)
      const most = Math.min(least + backAtMost, limit - 1)
      assert.ok(remaining >= least && remaining <= most, `${remaining} of ${limit}`)
      assert.ok(reset >= limit - most - 1 && reset <= limit - least + 1, `${reset} s`)
    }
    const [alice, bob] = [await live.trader(0), await live.trader(0)]
    const market = await live.openMarket('rain')
    const own = (trader: Trader) => live.call(trader, 'GET', ME)
    assertBucket(await own(alice), 5, 1)
    const refused = await refusedOf(30, () => own(alice))
    assertLimited(refused)
    assert.equal(bucketOf(refused).remaining, 0)
    assertBucket(await own(bob), 5, 1)
    // Both replies are the same shared bytes with one entity tag.
    for (const taken of [1, 2]) assertBucket(await live.send('GET', '/fees'), 900, taken)
    const unproven = await live.send('GET', ME)
    assert.deepEqual([unproven.status, bucketOf(unproven).limit], [401, 800])
    const order = await live.place(bob, market)
    assert.deepEqual([order.status, bucketOf(order)], [400, {}], 'an order has no bucket')
    const cancel = await live.call(bob, 'DELETE', '/orders/all')
    assertBucket(cancel, 700, 2)
    const page = await live.send('GET', '/time', { headers: { origin: 'https://app.example' } })
    const exposed = page.headers.get('access-control-expose-headers') ?? ''
    assert.ok(exposed.split(', ').includes('x-seq'), exposed)
    for (const name of ['limit', 'remaining', 'reset']) {
      assert.ok(exposed.split(', ').includes(`ratelimit-${name}`), exposed)
    }
  }))

test('without limits no reply states a bucket', async () => {
  const { live } = await exchange()
  const trader = await live.trader(0)
  const replies = [await live.send('GET', '/time'), await live.patientCall(trader, 'GET', ME)]
  for (const reply of replies) assert.deepEqual([reply.status, bucketOf(reply)], [200, {}])
})

async function upgradeStatus(live: LiveExchange, address: string): Promise<string> {
  const socket = new RawClient(live.port)
  socket.send(upgradeText({ 'X-Forwarded-For': address }))
  while (!socket.received.includes('\r\n')) await new Promise(setImmediate)
  socket.destroy()
  return socket.received.split(' ')[1]
}

test('behind a proxy each address that the proxy names has its own bucket', async () => {
  const flags = ['--address-header', 'X-Forwarded-For', '--address-rate-public', ONCE]
  await during(flags, async (live) => {
    const request = (address: string) =>
      live.send('GET', '/health', { headers: { 'x-forwarded-for': `10.0.0.1, ${address}` } })
    assertLimited(await refusedOf(8, () => request('203.0.113.7')))
    for (let each = 1; each < 9; each++) {
      assert.equal((await request(`203.0.113.${each * 10}`)).status, 200)
    }
    const upgrades = Array.from({ length: 8 }, () => upgradeStatus(live, '192.0.2.1'))
    assert.deepEqual([...new Set(await Promise.all(upgrades))].sort(), ['101', '429'])
    assert.equal(await upgradeStatus(live, '192.0.2.2'), '101')
  })
})

test('without that flag a proxy header names nobody', async () => {
  await during(['--address-rate-public', ONCE], async (live) => {
    const refused = await refusedOf(8, () =>
      live.send('GET', '/health', { headers: { 'x-forwarded-for': newWallet().address } }),
    )
    assertLimited(refused)
  })
})

test('profiles and addresses have a bucket for each rate class', async () => {
  await during(RATES, async (live) => {
    const [alice, bob] = [await live.trader(100e6), await live.trader(100e6)]
    const market = await live.openMarket('limited')
    const read = () => live.call(alice, 'GET', ME)
    const refused = await refusedOf(8, read)
    assertLimited(refused)
    assert.equal((await live.call(bob, 'GET', ME)).status, 200, 'profiles are apart')
    assertLimited(await refusedOf(8, () => live.place(alice, market, { sizeRaw: 1e6 })))
    await live.placed(bob, market, { sizeRaw: 1e6 })
    const path = '/auth/api-tokens/nothing'
    assertLimited(await refusedOf(8, () => live.call(alice, 'DELETE', path)))
    const text = await live.metrics()
    const figure = (name: string, by: string, rateClass: string) => {
      const line = `outcomex_rate_limit${name}{by="${by}",lane="${rateClass}"} `
      const found = text.split('\n').find((each) => each.startsWith(line))
      return Number(found?.slice(line.length))
    }
    for (const rateClass of ['private', 'trade', 'auth']) {
      assert.ok(figure('ed_total', 'profile', rateClass) > 0, rateClass)
      assert.equal(figure('ed_total', 'address', rateClass), 0)
    }
    assert.ok(figure('_keys', 'profile', 'trade') <= 2)
    assert.equal(figure('ed_total', 'profile', 'admin'), 0)

    assertLimited(await refusedOf(30, () => live.send('GET', '/auth/signing-message')))
    const login = () => live.send('POST', '/auth/login', { body: '{' })
    const logins = await Promise.all([login(), login(), login()])
    assertLimited(logins.find(({ status }) => status === 429) ?? logins[0])
    assertLimited(await refusedOf(30, () => live.send('GET', '/no/such/path')))

    let reply = refused
    while (reply.status === 429) reply = await read()
    assert.equal(reply.status, 200)
  })
})

/** A call of each rate class that changes nothing. The first test covers the public class. */
function callsOf(live: LiveExchange, trader: Trader) {
  return {
    private: () => live.call(trader, 'GET', ME),
    trade: () => live.call(trader, 'POST', '/orders/cancel', { clientOrderId: 'none' }),
    auth: () => live.call(trader, 'DELETE', '/auth/api-tokens/nothing'),
    admin: () => live.operator('GET', '/admin/profiles/1'),
  }
}

async function limitedCount(live: LiveExchange, by: string, rateClass: string): Promise<number> {
  const text = await live.metrics()
  const line = `outcomex_rate_limited_total{by="${by}",lane="${rateClass}"} `
  const found = text.split('\n').find((each) => each.startsWith(line))
  return Number(found?.slice(line.length))
}

test('a list of ids costs more tokens than one read', async () => {
  await during(['--rate-private', '1:6'], async (live) => {
    const alice = await live.trader(100e6)
    // A read that comes too early is tried again, and each try costs tokens.
    await Promise.all([live.exchange.query.warm(), live.followed()])
    const items = Array.from({ length: 50 }, () => ({ orderId: randomUUID() }))
    const request = () => live.call(alice, 'POST', '/orders/status/batch', { items })
    assertLimited(await refusedOf(2, request))
    const bob = await live.trader(100e6)
    const few = await Promise.all([1, 2, 3].map(() => live.call(bob, 'GET', ME)))
    assert.deepEqual(
      few.map(({ status }) => status),
      [200, 200, 200],
    )
  })
})

test('each rate flag bounds its own rate class, and metrics count per bucket', async () => {
  for (const [by, other, head] of [
    ['profile', 'address', '--rate-'],
    ['address', 'profile', '--address-rate-'],
  ] as const) {
    const rateClasses = ['private', 'trade', 'auth', 'admin'] as const
    const flags = rateClasses.flatMap((rateClass) => [`${head}${rateClass}`, '2:2'])
    await during(flags, async (live) => {
      const calls = callsOf(live, await live.trader(0))
      // Reading metrics is a call of the last of these rate classes.
      for (const rateClass of rateClasses) assertLimited(await refusedOf(12, calls[rateClass]))
      for (const rateClass of rateClasses) {
        assert.ok((await limitedCount(live, by, rateClass)) > 0, `${by} ${rateClass}`)
        assert.equal(await limitedCount(live, other, rateClass), 0, `${other} ${rateClass}`)
      }
    })
  }
})

const OTHER_TRADES =
  /^\/(heartbeats$|order-groups|amm\/|parlay\/(create|offers|partner\/buy)|sports-markets\/)/

test('if unknown countries are refused, a trade must name an allowed country', async () => {
  const flags = ['--geo-header', 'x-country', '--geo-block', 'CU', '--geo-unknown', 'refuse']
  await during(flags, async (live) => {
    const trader = await live.trader(0)
    const from = (country: string | null) =>
      country === null ? {} : { headers: { 'x-country': country } }
    const trading = api.filter(({ method, path }) => {
      const isOfOrders = path.startsWith('/orders') && path !== '/orders/status/batch'
      return method !== 'GET' && (isOfOrders || OTHER_TRADES.test(path))
    })
    assert.ok(trading.length >= 10)
    for (const route of api) {
      const path = route.path.replace(/:[a-zA-Z]+/g, 'x')
      const body = route.body === null ? undefined : {}
      for (const [country, isRefused] of [
        [null, true],
        ['XX', true],
        ['CU', true],
        ['DE', false],
      ] as const) {
        const reply = await live.call(trader, route.method, path, body, from(country))
        const expected = isRefused && trading.includes(route)
        const isBlocked = reply.status === 403 && codeOf(reply) === 'REGION_BLOCKED'
        assert.equal(isBlocked, expected, `${route.method} ${path} ${country} ${reply.text}`)
      }
    }
  })
})

test('trades from a blocked country are refused, and no other call is', async () => {
  await during(['--geo-header', 'CF-IPCountry', '--geo-block', 'CU,ir'], async (live) => {
    const trader = await live.trader(100e6)
    const market = await live.openMarket('nearby')
    const from = (country: string) => ({ headers: { 'cf-ipcountry': country } })
    const cancelAll = (country: string) =>
      live.call(trader, 'DELETE', `/orders/all/${market.slug}`, undefined, from(country))
    for (const country of ['CU', 'cu', 'IR', 'Ir', ' IR ', 'DE, CU']) {
      const reply = await cancelAll(country)
      assertRefused(reply, 403, 'REGION_BLOCKED', country)
      assert.equal(at(reply.body, 'error'), 'Forbidden')
      assert.match(String(at(reply.body, 'message')), /country/)
      const order = await live.call(trader, 'POST', '/orders', { order: 5 }, from(country))
      assert.equal(codeOf(order), 'REGION_BLOCKED', 'the refusal comes before the order is read')
      assert.equal((await live.call(trader, 'GET', ME, undefined, from(country))).status, 200)
      assert.equal((await live.send('GET', `/markets/${market.slug}`, from(country))).status, 200)
    }
    const edited = await live.call(trader, 'PATCH', ME, { bio: 'Away.' }, from('CU'))
    assert.equal(edited.status, 200, 'an edit of a profile is not trading')
    const message = await signingMessage(live)
    const wallet = newWallet()
    const headers = {
      ...from('CU').headers,
      'x-account': wallet.address,
      'x-signing-message': message,
      'x-signature': await wallet.signMessage({ message }),
    }
    assert.equal((await live.send('POST', '/auth/login', { headers })).status, 200)
    for (const country of ['DE', 'de', 'CUB', 'C', 'XX', 'T1', '', 'CÜ']) {
      const reply = await cancelAll(encodeURIComponent(country))
      assert.equal(reply.status, 200, `${country} ${reply.text}`)
    }
    await live.placed(trader, market, { sizeRaw: 1e6 })
  })
})
