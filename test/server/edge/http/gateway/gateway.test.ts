import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { REJECT } from '../../../../../engine/domain/reject-precedence.ts'
import { PROFILE_RATES, RateLimiter } from '../../../../../server/edge/http/access/rate-limit.ts'
import { RawClient } from '../../../../support/raw-client.ts'
import { until } from '../../../../support/until.ts'
import { BODY_MAX, startToys, type ToyExchange } from './toy-exchange.ts'

let toys: ToyExchange
before(async () => {
  toys = await startToys()
})
after(async () => {
  await toys.gateway.stop()
})

const SIGNED = { 'svc-api-key': 'alice' }

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

async function send(path: string, init: RequestInit = {}, url = toys.url): Promise<Reply> {
  const response = await fetch(url + path, init)
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
}

function post(
  path: string,
  body: string,
  headers: Record<string, string> = SIGNED,
): Promise<Reply> {
  return send(path, { method: 'POST', body, headers })
}

function code(reply: Reply): unknown {
  const { body } = reply
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : null
}

function issues(reply: Reply): unknown {
  const { body } = reply
  return typeof body === 'object' && body !== null && 'message' in body ? body.message : null
}

test('path parameters and the query arrive typed, with defaults filled in', async () => {
  const plain = await send('/markets/btc/echo')
  assert.deepEqual(plain.body, { slug: 'btc', query: { limit: 50 } })
  assert.equal(plain.headers.get('content-type'), 'application/json; charset=utf-8')
  const full = await send(
    '/markets/b%74c/echo?limit=7&ratio=0.25&deep=false&name=a+b%21&statuses=LIVE&statuses=MATCHED',
  )
  assert.deepEqual(full.body, {
    slug: 'btc',
    query: { limit: 7, ratio: 0.25, deep: false, name: 'a b!', statuses: ['LIVE', 'MATCHED'] },
  })
  const one = await send('/markets/btc/echo?statuses=LIVE')
  assert.deepEqual(one.body, { slug: 'btc', query: { limit: 50, statuses: ['LIVE'] } })
})

test('a literal segment wins over a named one unless it leads to no route', async () => {
  assert.deepEqual((await send('/markets/active/slugs')).body, ['btc'])
  assert.deepEqual((await send('/markets/active/echo')).body, {
    slug: 'active',
    query: { limit: 50 },
  })
})

test('a query that does not fit its schema exactly is refused with its field', async () => {
  const bad: [query: string, field: string][] = [
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=%201', 'limit'],
    ['limit=+1', 'limit'],
    ['limit=0x1', 'limit'],
    ['limit=1.0', 'limit'],
    ['limit=01', 'limit'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=-0', 'limit'],
    ['limit=9007199254740993', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['ratio=NaN', 'ratio'],
    ['ratio=Infinity', 'ratio'],
    ['ratio=.5', 'ratio'],
    ['ratio=1.5', 'ratio'],
    ['deep=1', 'deep'],
    ['deep=TRUE', 'deep'],
    ['deep=', 'deep'],
    ['statuses=OPEN', 'statuses.0'],
    ['name=%zz', 'name'],
    ['name=%ff', 'name'],
    ['name=123456789012345678901', 'name'],
    ['nope=1', 'nope'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['limit=1&%zz=1', '%zz'],
    ['=1', 'query'],
  ]
  for (const [query, field] of bad) {
    const refused = await send(`/markets/btc/echo?${query}`)
    assert.equal(refused.status, 400, query)
    const first = issues(refused)
    assert.ok(Array.isArray(first), query)
    assert.equal(first[0].field, field, query)
  }
  assert.equal((await send('/markets/active/slugs?x=1')).status, 400)
  assert.equal((await send('/markets/active/slugs?&')).status, 200)
})

test('a validation refusal has the four fields and an array of messages', async () => {
  const refused = await send('/markets/btc/echo?limit=0')
  assert.deepEqual(refused.body, {
    message: [{ field: 'limit', message: 'must be at least 1' }],
    error: 'Bad Request',
    statusCode: 400,
    code: 'VALIDATION',
  })
})

test('a path parameter with a broken encoding or form is refused', async () => {
  for (const path of [
    '/markets/%zz/echo',
    '/markets/%c3/echo',
    '/markets/A%2F/echo',
    '/orders/x',
  ]) {
    const refused = path.startsWith('/orders') ? await post(path, '{"note":"a"}') : await send(path)
    assert.equal(refused.status, 400, path)
    assert.equal(code(refused), 'VALIDATION')
  }
})

test('an unknown path is 404; a known path with another method is 405 with Allow', async () => {
  for (const path of [
    '/',
    '/nope',
    '/markets',
    '/markets//echo',
    '/markets/btc/echo/',
    '//',
    '/MARKETS/btc/echo',
  ]) {
    assert.equal(code(await send(path)), 'PATH_NOT_FOUND', path)
  }
  for (const method of ['DELETE', 'PUT', 'OPTIONS', 'PATCH', 'PROPFIND']) {
    const refused = await send('/markets/btc/echo', { method })
    assert.equal(refused.status, 405, method)
    assert.equal(refused.headers.get('allow'), 'GET, HEAD')
  }
})

test('HEAD is GET without the body', async () => {
  const head = await send('/markets/active/slugs', { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length'), head.body], [200, '7', null])
  assert.equal((await send('/slow', { method: 'HEAD' })).status, 405)
})

test('the refusal of a handler has its own status, code and extra fields', async () => {
  const missing = await send('/markets/none/echo')
  assert.deepEqual(missing.body, {
    message: REJECT.MARKET_NOT_FOUND.sentence,
    error: 'Not Found',
    statusCode: 404,
    code: 'MARKET_NOT_FOUND',
  })
  const stale = await post('/orders/1', '{"note":"stale"}')
  assert.equal(stale.status, 400)
  assert.deepEqual(Object.keys(stale.body ?? {}), [
    'message',
    'error',
    'statusCode',
    'code',
    'expectedFeeRateBps',
  ])
  const later = await post('/orders/1', '{"note":"later"}')
  assert.deepEqual([later.status, code(later)], [425, 'trading_disabled'])
})

test('of several faults of a call, those of the caller come before those of the body', async () => {
  const rows: [headers: Record<string, string>, body: string, status: number, name: string][] = [
    [{}, '{', 401, 'API_KEY_INVALID'],
    [{ 'svc-api-key': 'reader' }, '{', 403, 'SCOPE_MISSING'],
    [{ cookie: 'session=alice', 'content-type': 'text/plain' }, '{', 415, 'JSON_CONTENT_TYPE'],
    [SIGNED, '{', 400, 'BODY_MALFORMED'],
    [SIGNED, '{"note":5}', 400, 'VALIDATION'],
  ]
  for (const [headers, body, status, name] of rows) {
    const refused = await post('/orders/x', body, headers)
    assert.deepEqual([refused.status, code(refused)], [status, name])
  }
  const cookie = { cookie: 'session=alice', 'content-type': 'application/json; charset=utf-8' }
  const placed = await post('/orders/3', '{"note":"hi"}', cookie)
  assert.deepEqual([placed.status, placed.body], [201, { by: 7, note: 'hi', lot: 3 }])
  assert.equal(placed.headers.get('cache-control'), 'private, no-store')
})

test('a body that is not JSON, or does not fit its schema, is refused without effect', async () => {
  const before = toys.placed.length
  const malformed = [
    '{',
    '{"note":"a"} x',
    '\ufeff{"note":"a"}',
    "{'note':1}",
    '[',
    'NaN',
    '"\u0000"',
    '{"note":"a",}',
  ]
  for (const body of malformed) {
    assert.equal(code(await post('/orders/1', body)), 'BODY_MALFORMED', body)
  }
  const notUtf8 = await send('/orders/1', {
    method: 'POST',
    body: new Uint8Array([...new TextEncoder().encode('{"note":"'), 0xff, 0x22, 0x7d]),
    headers: SIGNED,
  })
  assert.equal(code(notUtf8), 'BODY_MALFORMED')
  const invalid: [body: string, field: string][] = [
    ['', 'note'],
    ['{}', 'note'],
    ['[]', 'body'],
    ['null', 'body'],
    ['5', 'body'],
    ['{"note":null}', 'note'],
    ['{"note":"123456789"}', 'note'],
    ['{"note":"a","count":1.5}', 'count'],
    ['{"note":"a","count":-1}', 'count'],
    ['{"note":"a","count":9007199254740992}', 'count'],
    ['{"note":"a","count":1e400}', 'count'],
    ['{"note":"a","count":"1"}', 'count'],
    ['{"note":"a","tags":["12345"]}', 'tags.0'],
    ['{"note":"a","tags":["","","",""]}', 'tags'],
    ['{"note":"a","more":1}', 'more'],
    ['{"note":"a","__proto__":{"count":1}}', '__proto__'],
    ['{"note":"a","constructor":1}', 'constructor'],
    ['{"note":"a","toString":1}', 'toString'],
  ]
  for (const [body, field] of invalid) {
    const refused = await post('/orders/1', body)
    assert.equal(code(refused), 'VALIDATION', body)
    const first = issues(refused)
    assert.ok(Array.isArray(first), body)
    assert.equal(first[0].field, field, body)
  }
  const wide = `{"note":"a","tags":[${'"abcde",'.repeat(5000)}1]}`
  const reported = 'does not match the schema of this call; see GET /openapi.json'
  assert.deepEqual(issues(await post('/orders/1', wide)), [{ field: 'body', message: reported }])
  const deep = '['.repeat(BODY_MAX / 2) + ']'.repeat(BODY_MAX / 2)
  assert.equal((await post('/orders/1', deep)).status, 400)
  assert.equal(toys.placed.length, before)
})

test('a raw route gets its body and its target byte for byte', async () => {
  const raw = await post('/raw', '{ not json', SIGNED)
  assert.deepEqual(raw.body, { bytes: 10, target: '/raw' })
  assert.equal((await post('/raw?x=1', '{}')).status, 400)
})

test('a reply may set its own status and headers, and one header twice', async () => {
  const loggedIn = await post('/auth/login', '', {})
  assert.equal(loggedIn.status, 207)
  assert.deepEqual(loggedIn.headers.getSetCookie(), ['a=1', 'b=2'])
})

test('a caller with an empty bucket gets 429 with the seconds to wait', async () => {
  const slowTrade = { ...PROFILE_RATES, trade: { perSecond: 0.5, burst: 2 } }
  let nowMs = 0
  const limits = await startToys({
    profileLimiter: new RateLimiter<number>(slowTrade),
    addressLimiter: new RateLimiter<string>({
      ...PROFILE_RATES,
      public: { perSecond: 1, burst: 1 },
    }),
    clock: () => nowMs,
  })
  const trade = () =>
    send('/orders/1', { method: 'POST', body: '{"note":"a"}', headers: SIGNED }, limits.url)
  assert.deepEqual([(await trade()).status, (await trade()).status], [201, 201])
  const refused = await trade()
  assert.deepEqual([refused.status, code(refused)], [429, 'RATE_LIMITED'])
  assert.equal(refused.headers.get('retry-after'), '2')
  nowMs = 2000
  assert.equal((await trade()).status, 201)
  assert.equal((await send('/markets/active/slugs', {}, limits.url)).status, 200)
  assert.equal((await send('/nope', {}, limits.url)).status, 429)
  await limits.gateway.stop()
})

test('a body that arrives late takes a token of the time when it is there', async () => {
  const oneTrade = { ...PROFILE_RATES, trade: { perSecond: 1, burst: 1 } }
  let nowMs = 0
  const profileLimiter = new RateLimiter<number>(oneTrade)
  const limits = await startToys({ profileLimiter, clock: () => nowMs })
  const head = 'POST /orders/1 HTTP/1.1\r\nhost: x\r\nsvc-api-key: alice\r\n'
  const late = new RawClient(limits.port).send(`${head}content-length: 12\r\n\r\n`)
  await until(() => limits.gateway.inFlight === 1)
  nowMs = 8000
  const body = '{"note":"a"}'
  const init = { method: 'POST', body, headers: SIGNED }
  assert.equal((await send('/orders/1', init, limits.url)).status, 201)
  nowMs = 9000
  const [reply] = await late.send(body).replies(1)
  assert.match(reply, /^HTTP\/1\.1 201 .*\r\nratelimit-remaining: 0\r\nratelimit-reset: 1\r\n/s)
  late.destroy()
  await limits.gateway.stop()
})

test('a route without capacity refuses before the body arrives; other routes go on', async () => {
  const services = { placed: [], wait: async () => {}, takesRaw: false }
  const full = await startToys({ services })
  const head = 'POST /raw HTTP/1.1\r\nhost: x\r\nsvc-api-key: alice\r\ncontent-length: 5\r\n\r\n'
  const client = new RawClient(full.port).send(head)
  const [refused] = await client.replies(1)
  assert.match(refused, /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*"code":"OVERLOADED"/s)
  // The connection stays open, and the next request follows the unread body.
  const [, next] = await client.send(`12345${head.replace('/raw', '/orders/1')}{"no"`).replies(2)
  assert.match(next, /^HTTP\/1\.1 400 /)
  client.destroy()
  await full.gateway.stop()
})

test('a stop lets the calls in flight finish and takes no new ones', async () => {
  const leaving = await startToys()
  const slow = send('/slow', { method: 'POST' }, leaving.url)
  await leaving.waiting(1)
  const stopped = leaving.gateway.stop()
  await assert.rejects(send('/markets/active/slugs', {}, leaving.url))
  leaving.release()
  assert.deepEqual((await slow).body, { done: true })
  await stopped
  assert.equal(leaving.gateway.inFlight, 0)
})

test('a listener on a port in use fails with a sentence', async () => {
  const [other, third] = [await startToys(), await startToys()]
  await assert.rejects(
    third.gateway.listen('127.0.0.1', other.port),
    /cannot listen on 127\.0\.0\.1:\d+; is the port in use\?/,
  )
  await third.gateway.stop()
  await other.gateway.stop()
})

test('an observer receives the route of a call, never its path', async () => {
  const before = toys.seen.length
  await send('/markets/eth/echo?limit=0')
  const { route, status, refusal } = toys.seen[before]
  assert.deepEqual([route?.path, status, refusal], ['/markets/:slug/echo', 400, 'VALIDATION'])
})
