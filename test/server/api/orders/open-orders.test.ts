import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { openOrders } from '../../../../server/api/orders/order-status.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { startLive, type Trader } from '../../../support/live-exchange.ts'
import type { LiveMarket, OrderRequest } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS } from '../../../support/live-partners.ts'
import { cookieOf, login } from '../../../support/live-session.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'

// The open orders of a profile over all markets: to list them, to cancel them, to look one up.

const FUNDS_RAW = 1_000_000_000
const { live } = await exchange()

const markets = [
  await live.openMarket('rain'),
  await live.openMarket('snow'),
  await live.openMarket('fog'),
]
const bob = await live.trader(FUNDS_RAW)

function rest(trader: Trader, market: LiveMarket, wanted: OrderRequest = {}): Promise<string> {
  return live.ordered(trader, market, { ticks: 400, sizeRaw: 1_000_000, ...wanted })
}

/** Orders over all markets, round robin. Gives their ids, the newest first. */
async function restMany(trader: Trader, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let each = 0; each < count; each++) {
    ids.unshift(await rest(trader, markets[each % markets.length]))
  }
  return ids
}

async function page(trader: Trader, query = ''): Promise<Reply> {
  const reply = await accepted(live.call(trader, 'GET', `/orders${query}`))
  return reply
}

function listAt(value: unknown, ...path: string[]): unknown[] {
  const found = at(value, ...path)
  assert.ok(Array.isArray(found))
  return found
}

const idsOf = ({ body }: Reply) => listAt(body, 'data').map((each) => at(each, 'id'))

test('open orders are listed over all markets, newest first, once their replies came', async () => {
  const alice = await live.trader(FUNDS_RAW)
  assert.deepEqual((await page(alice)).body, { data: [], nextCursor: null })
  const theirs = await rest(bob, markets[0])
  const [newest, dead, older] = await restMany(alice, 3)
  assert.equal((await live.call(alice, 'DELETE', `/orders/${dead}`)).status, 200)
  const reply = await page(alice)
  assert.deepEqual(idsOf(reply), [newest, older])
  assert.deepEqual(openOrders.replyIssues(reply.body), [])
  const slugs = listAt(reply.body, 'data').map((each) => at(each, 'marketSlug'))
  assert.deepEqual(slugs, ['fog', 'rain'])
  const [first] = listAt(reply.body, 'data')
  const inMarket = await live.call(alice, 'GET', '/markets/fog/user-orders')
  assert.deepEqual(first, { ...Object(at(inMarket.body, 0)), side: 0 })
  await live.call(bob, 'DELETE', `/orders/${theirs}`)
})

test('a cursor leads through all pages, and ends with null', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const ids = await restMany(alice, 7)
  for (const limit of [1, 3, 7, 200]) {
    const found: unknown[] = []
    let cursor: unknown = ''
    let pages = 0
    while (cursor !== null) {
      const reply = await page(alice, `?limit=${limit}&cursor=${String(cursor)}`)
      found.push(...idsOf(reply))
      cursor = at(reply.body, 'nextCursor')
      pages++
    }
    assert.deepEqual(found, ids)
    assert.equal(pages, Math.ceil(ids.length / limit))
  }
  const second = at((await page(alice, '?limit=2')).body, 'nextCursor')
  const fresh = await rest(alice, markets[0])
  const next = idsOf(await page(alice, `?limit=2&cursor=${String(second)}`))
  assert.deepEqual(next, ids.slice(2, 4), 'an order that came meanwhile moves no page')
  assert.deepEqual(idsOf(await page(alice, '?limit=1')), [fresh])
  assert.deepEqual(
    idsOf(await page(bob, `?cursor=${String(second)}`)),
    [],
    'it opens no other list',
  )
})

test('a text that is no cursor is refused, and so is a limit out of its bounds', async () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64url')
  const bad = ['0', '-1', '1.5', '01', '1e3', ' 1', '1 ', 'NaN', '1234567890123456789'].map(encoded)
  // A cursor has one form: with other last bits, or with padding, it is none.
  const others = ['=', 'NDE=', 'NDF', '%00', 'x'.repeat(33), '9'.repeat(200), '%2B']
  const limits = ['limit=0', 'limit=201', 'limit=x', 'limit=', 'limit=1&limit=1', 'page=1']
  const queries = [...bad, ...others].map((each) => `cursor=${each}`)
  for (const query of [...queries, ...limits, 'cursor=NDE&cursor=NDE']) {
    const reply = await live.call(bob, 'GET', `/orders?${query}`)
    assertRefused(reply, 400, 'VALIDATION', query)
  }
  assert.equal((await live.call(bob, 'GET', '/orders?cursor=NDE')).status, 200)
  assert.equal((await live.call(bob, 'GET', '/orders?cursor=')).status, 200)
})

test('a session reads the orders of its account, and of no sub-account', async () => {
  const alice = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
  const id = await rest(alice, markets[0])
  const wallet = privateKeyToAccount(`0x${Buffer.from(alice.key).toString('hex')}`)
  const headers = { cookie: cookieOf(await login(live, wallet)) }
  const listed = await live.send('GET', '/orders', { headers })
  assert.deepEqual(idsOf(listed), [id])
  const one = await live.send('GET', `/orders/${id}`, { headers })
  assert.equal(at(one.body, 'order', 'id'), id)
  const other = await live.send('GET', `/orders?onBehalfOf=${bob.profileId}`, { headers })
  assertRefused(other, 403, 'SCOPE_MISSING')
  const all = await live.send('DELETE', '/orders/all', { headers })
  assert.equal(all.status, 401, 'to cancel takes a token')
  assert.equal((await live.send('GET', '/orders')).status, 401)
  assert.equal((await live.send('GET', `/orders/${id}`)).status, 401)
})

test('in every state an order reads as it does in the batch of statuses', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const open = await rest(alice, markets[0])
  const canceled = await rest(alice, markets[1])
  await live.call(alice, 'DELETE', `/orders/${canceled}`)
  const matched = await rest(alice, markets[2], { ticks: 500 })
  const taker = { ticks: 500, outcome: 1 as const, sizeRaw: 1_000_000 }
  const took = await live.place(bob, markets[2], taker, { orderType: 'FAK' })
  assert.equal(at(took.body, 'execution', 'matched'), true, took.text)
  const killed = await live.place(alice, markets[2], { ticks: 1 }, { orderType: 'FAK' })
  const expected = { LIVE: open, CANCELED: canceled, MATCHED: matched }
  const all = { ...expected, UNMATCHED: orderIdOf(killed) }
  for (const [status, id] of Object.entries(all)) {
    const one = await accepted(live.call(alice, 'GET', `/orders/${id.toUpperCase()}`))
    assert.equal(at(one.body, 'order', 'status'), status)
    const items = { items: [{ orderId: id }] }
    const batch = await live.call(alice, 'POST', '/orders/status/batch', items)
    assert.deepEqual(one.body, at(batch.body, 'results', 0, 'data'))
  }
  const theirs = orderIdOf(took)
  const mine = await live.call(bob, 'GET', `/orders/${theirs}`)
  assert.equal(listAt(mine.body, 'makerMatches').length, 1, 'a taker gets its makers')
})

test("an unknown order and another profile's get one refusal, after one look-up", async (t) => {
  // Its query thread ends here, which is a fault.
  const own = await startLive()
  t.after(() => own.stop().catch(() => {}))
  const market = await own.openMarket('rain')
  const [alice, carol] = [await own.trader(FUNDS_RAW), await own.trader(FUNDS_RAW)]
  const placed = await own.place(alice, market, { ticks: 400 })
  const id = orderIdOf(placed)
  const ids = [id, randomUUID(), '00000000-0000-4000-8000-000000000000']
  const replies = await Promise.all(ids.map((each) => own.call(carol, 'GET', `/orders/${each}`)))
  for (const { status, text } of replies) {
    assert.deepEqual([status, text], [404, replies[0].text])
    assert.ok(!text.includes(id))
  }
  assert.equal(at(replies[0].body, 'code'), 'ORDER_NOT_FOUND')
  for (const bad of ['x', `${id}0`, '%00']) {
    assert.equal((await own.call(carol, 'GET', `/orders/${bad}`)).status, 400, bad)
  }
  const literal = await own.call(carol, 'GET', '/orders/all')
  assert.deepEqual([literal.status, literal.headers.get('allow')], [405, 'DELETE'])
  // Without the tables nobody learns that an id is none: each id is a question to them.
  await own.exchange.query.kill()
  own.isHasty = true
  for (const each of ids) {
    const reply = await own.call(carol, 'GET', `/orders/${each}`)
    assertRefused(reply, 503, 'READ_TIMEOUT')
  }
})

test('one call cancels the open orders of its caller over all markets, and no other', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const mine = await restMany(alice, 7)
  const theirs = await rest(bob, markets[1])
  for (const path of ['/orders/all/', '/orders/all?slug=rain', '/orders/all/%20', '/orders//all']) {
    const reply = await live.call(alice, 'DELETE', path)
    assert.ok(reply.status === 400 || reply.status === 404, `${path}: ${reply.text}`)
  }
  assert.deepEqual(idsOf(await page(alice)), mine, 'a market that is not named is not every market')
  const all = await accepted(live.call(alice, 'DELETE', '/orders/all'))
  assert.equal(at(all.body, 'message'), 'Orders canceled successfully')
  assert.deepEqual(listAt(all.body, 'canceled').sort(), mine.sort())
  assert.deepEqual(at(all.body, 'failed'), [])
  assert.deepEqual(live.balances(alice), { freeRaw: FUNDS_RAW, reservedRaw: 0 })
  const none = await live.call(alice, 'DELETE', '/orders/all')
  assert.deepEqual([none.status, at(none.body, 'canceled')], [200, []])
  assert.equal((await live.call(bob, 'DELETE', `/orders/${theirs}`)).status, 200)
})
