import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TOOLS } from '../../server/api/mcp/mcp.ts'
import { api } from '../../server/api/routes.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import {
  AT_ONCE,
  byBearer,
  message,
  notification,
  openProgram,
  type Proof,
  reportedIn,
  say,
  toolCall,
} from '../support/live-mcp.ts'
import { orderBody } from '../support/live-orders.ts'
import { tokenOf } from '../support/live-partners.ts'
import { cookieOf, login, newWallet } from '../support/live-session.ts'
import { accepted, assertRefused, codeOf } from '../support/replies.ts'

// POST /mcp in the hands of strangers, thieves and broken programs.

const FUNDS_RAW = 1_000_000_000
const {
  live,
  'rain-tomorrow': market,
  alice,
} = await exchange({ markets: ['rain-tomorrow'], traders: { alice: FUNDS_RAW } })

const bearer = byBearer(alice)
const LIST = message('tools/list')
const ORDERS = toolCall('get_my_orders')
const withBearer = (token: string): Proof => ({ headers: { authorization: `Bearer ${token}` } })

test('a bearer token that is not exactly id and secret gets one 401 for every fault', async () => {
  const { tokenId, secret } = alice
  const other = await live.trader(0)
  const revoked = await tokenOf(live, alice, ['trading'])
  await accepted(live.call(alice, 'DELETE', `/auth/api-tokens/${revoked.tokenId}`))
  const flipped = `${secret[0] === 'A' ? 'B' : 'A'}${secret.slice(1)}`
  const wrong = [
    tokenId,
    secret,
    `${tokenId}.`,
    `.${secret}`,
    `${tokenId}:${secret}`,
    '.',
    'x',
    '..',
    `${tokenId}.${flipped}`,
    `${tokenId}.${secret.slice(1)}`,
    `${tokenId}.${secret}=`,
    `${tokenId}.${secret.replace('=', '')}`,
    `${tokenId}.${secret} x`,
    `${tokenId}..${secret}`,
    `${tokenId}.${Buffer.from(secret, 'base64').toString('hex')}`,
    `${tokenId}.${other.secret}`,
    `${other.tokenId}.${secret}`,
    `${tokenId.toUpperCase()}.${secret}`,
    `${revoked.tokenId}.${revoked.secret}`,
    ...['__proto__', 'constructor'].map((each) => `${each}.${secret}`),
    `${'x'.repeat(2000)}.${secret}`,
  ]
  const texts = new Set<string>()
  for (const token of wrong) {
    const reply = await say(live, withBearer(token), ORDERS)
    assert.equal(reply.status, 401, `${token}: ${reply.text}`)
    texts.add(reply.text)
  }
  assert.equal(texts.size, 1, [...texts].join('\n'))
  assert.equal(codeOf(await say(live, withBearer('x'), ORDERS)), 'API_KEY_INVALID')
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    const headers = { authorization: `${scheme} ${tokenId}.${secret}` }
    assert.equal((await say(live, { headers }, ORDERS)).status, 200, scheme)
  }
})

test('without a proof, or with the proof of an operator, there are no tools', async () => {
  const rows: readonly (readonly [Proof, string])[] = [
    [{}, 'UNAUTHENTICATED'],
    [{ headers: { authorization: `Basic ${alice.tokenId}.${alice.secret}` } }, 'UNAUTHENTICATED'],
    [{ headers: { 'x-api-key': alice.tokenId } }, 'UNAUTHENTICATED'],
    [withBearer('the-operator-of-the-tests'), 'API_KEY_INVALID'],
    [{ headers: { cookie: 'outcomex_session=stolen' } }, 'SESSION_INVALID'],
    [{ headers: { identity: 'Bearer x' } }, 'IDENTITY_INVALID'],
  ]
  for (const [proof, code] of rows) {
    const reply = await say(live, proof, LIST)
    assertRefused(reply, 401, code)
  }
})

test('the secret itself proves nothing on any other route', async () => {
  for (const { method, path, auth, body } of api) {
    if (auth.accepts.length === 0 || path === '/mcp') continue
    const target = path.replaceAll(/:[a-zA-Z]+/g, '1')
    const reply = await live.send(method, target, {
      headers: { ...bearer.headers, 'content-type': 'application/json' },
      ...(body === null ? {} : { body: '{}' }),
    })
    assert.equal(reply.status, 401, `${method} ${path} ${reply.text}`)
  }
})

test('a page of another site does nothing with the cookie of its visitor', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const far = await say(live, { headers: { cookie, origin: 'https://evil.example' } }, LIST)
  assert.equal(codeOf(far), 'ORIGIN_NOT_ALLOWED')
  const form = await say(live, { headers: { cookie } }, LIST, { 'content-type': 'text/plain' })
  assert.equal(codeOf(form), 'JSON_CONTENT_TYPE')
  assert.equal((await say(live, { headers: { cookie } }, LIST)).status, 200)
})

test('there is no stream and no session: other methods are 405', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const reply = await live.send(method, '/mcp', { headers: bearer.headers ?? {} })
    assert.equal(reply.status, 405, method)
    assert.equal(reply.headers.get('allow'), 'POST')
  }
  const program = await openProgram(live, bearer)
  assert.equal(program.client.transport?.sessionId, undefined)
  await program.end()
})

test('a body that is not a protocol message is refused', async () => {
  const bad: readonly unknown[] = [
    '{',
    '',
    'null',
    '7',
    '"x"',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"__proto__":{"id":1}}',
    { id: 1, method: 'tools/list' },
    { jsonrpc: '1.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
    { ...LIST, surprise: 1 },
    ...[1.5, true, {}, [], 'x'.repeat(129)].map((id) => ({ ...LIST, id })),
    ...[1, '', null, 'x'.repeat(65)].map((method) => ({ ...LIST, method })),
    ...[1, 'x', [], true].map((params) => ({ ...LIST, params })),
    [LIST, 7],
    [LIST, LIST],
    Array.from({ length: AT_ONCE + 1 }, (_, id) => message('ping', undefined, id)),
    [
      message('ping', undefined, 2),
      message('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
    ],
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"\\ud800"}}',
  ]
  for (const body of bad) {
    const reply = await say(live, bearer, body)
    const stated = `${JSON.stringify(body).slice(0, 120)}: ${reply.text}`
    assert.equal(reply.status, 400, stated)
    assert.match(codeOf(reply), /^(VALIDATION|BODY_MALFORMED)$/, stated)
  }
  const lacks = ['jsonrpc', 'method'].map((field) => ({ field, message: 'is required' }))
  assert.deepEqual(at((await say(live, bearer, {})).body, 'message'), lacks)
  const listed = lacks.map(({ field, message }) => ({ field: `1.${field}`, message }))
  assert.deepEqual(at((await say(live, bearer, [LIST, {}])).body, 'message'), listed)
  const wrong = [{ field: 'method', message: 'must be text' }]
  assert.deepEqual(at((await say(live, bearer, { ...LIST, method: 1 })).body, 'message'), wrong)
  const other = [{ field: 'body', message: 'must be an object or a list' }]
  assert.deepEqual(at((await say(live, bearer, 7)).body, 'message'), other)
  const huge = toolCall('get_market', { addressOrSlug: 'x'.repeat(70_000) })
  assert.equal(codeOf(await say(live, bearer, huge)), 'BODY_TOO_LARGE')
  const old = await say(live, bearer, LIST, { 'mcp-protocol-version': '1999-01-01' })
  assertRefused(old, 400, 'VALIDATION')
  const odd = await say(live, bearer, LIST, { 'mcp-protocol-version': 'x\u00ffx' })
  assertRefused(odd, 400, 'VALIDATION')
})

test('an unknown method or tool is an error of the protocol, and so are bad params', async () => {
  const rows: readonly (readonly [object, number])[] = [
    [message('nothing/here'), -32601],
    [message('resources/list'), -32601],
    [message('prompts/get', { name: 'x' }), -32601],
    [message('logging/setLevel', { level: 'debug' }), -32601],
    [message('__proto__'), -32601],
    [toolCall('nothing'), -32602],
    [toolCall('__proto__'), -32602],
    [toolCall('constructor'), -32602],
    [message('tools/call'), -32603],
    [message('tools/call', { name: 5 }), -32603],
    ...[null, 7, 'x', [1]].map((given) => {
      return [message('tools/call', { name: 'get_market', arguments: given }), -32603] as const
    }),
  ]
  for (const [body, code] of rows) {
    const reply = await accepted(say(live, bearer, body))
    assert.equal(at(reply.body, 'error', 'code'), code, `${JSON.stringify(body)} ${reply.text}`)
    assert.doesNotMatch(reply.text, /[/\\](server|node_modules)[/\\]/, 'no path of ours')
  }
})

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  'x'.repeat(5000),
  '\u0000',
  '__proto__',
  [],
  [[]],
  {},
  { length: 5 },
  '../../admin',
  '%2e%2e',
  "'; DROP TABLE orders; --",
]

/** Sends calls of tools, as many at once as may be; each is done or refused. */
async function assertHandled(calls: readonly object[], what: string): Promise<void> {
  for (let first = 0; first < calls.length; first += AT_ONCE) {
    const reply = await say(live, bearer, calls.slice(first, first + AT_ONCE))
    assert.equal(reply.status, 200, `${what}: ${reply.text}`)
    for (const each of Object.values(Object(reply.body))) {
      const { isError, body } = reportedIn(at(each, 'result'))
      assert.ok(!isError || Number(at(body, 'statusCode')) < 500, `${what}: ${reply.text}`)
    }
  }
}

test('a strange argument of any tool is a refusal at most', async () => {
  for (const { name, route } of TOOLS) {
    const fields = [...Object.keys(route.params), ...Object.keys(route.query), 'order', 'orderId']
    for (const field of [...fields, 'constructor', 'toString', 'path', 'caller']) {
      const calls = STRANGE.map((value, id) => toolCall(name, { [field]: value }, id))
      await assertHandled(calls, `${name} ${field}`)
    }
  }
})

test('keys that every object inherits are no arguments', async () => {
  const raw = (given: string) =>
    '{"jsonrpc":"2.0","id":1,"method":"tools/call",' +
    `"params":{"name":"get_order_book","arguments":${given}}}`
  for (const given of [
    `{"__proto__":{"slug":"${market.slug}"}}`,
    `{"constructor":{"prototype":{"slug":"${market.slug}"}}}`,
  ]) {
    const reply = await say(live, bearer, raw(given))
    const { isError, body } = reportedIn(at(reply.body, 'result'))
    assert.deepEqual([isError, at(body, 'code')], [true, 'VALIDATION'], reply.text)
  }
  assert.equal(Reflect.get({}, 'slug'), undefined)
})

test('notifications get 202, and one that cancels leaves no request unanswered', async () => {
  const cancel = notification('notifications/cancelled', { requestId: 1, reason: 'x' })
  const alone = await say(live, bearer, cancel)
  assert.deepEqual([alone.status, alone.text], [202, ''])
  assert.equal((await say(live, bearer, [cancel, cancel])).status, 202)
  const mixed = await say(live, bearer, [ORDERS, cancel, message('ping', undefined, 'two')])
  assert.equal(mixed.status, 200, mixed.text)
  const ids = Object.values(Object(mixed.body)).map((each) => at(each, 'id'))
  assert.deepEqual(ids, [1, 'two'])
})

test('parameters for tasks, progress and related messages change no answer', async () => {
  const orders = async () =>
    Object(at((await live.call(alice, 'GET', '/orders')).body, 'data')).length
  const before = await orders()
  for (const more of [
    { task: { ttl: 1000 } },
    { _meta: { progressToken: 1 } },
    { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } } },
  ]) {
    const params = { name: 'place_order', arguments: orderBody(alice, market), ...more }
    const reply = await accepted(say(live, bearer, message('tools/call', params)))
    const isTask = 'task' in more
    assert.equal(at(reply.body, 'error') !== undefined, isTask, reply.text)
  }
  assert.equal(await orders(), before + 2, 'what got an error was not done')
  await live.call(alice, 'DELETE', '/orders/all')
})

test('the tools of one request run in its order', async () => {
  const { order } = orderBody(alice, market)
  const placing = { order, ownerId: alice.profileId, orderType: 'GTC', marketSlug: market.slug }
  const reply = await say(live, bearer, [
    toolCall('place_order', { ...placing, clientOrderId: 'one-of-many' }, 'a'),
    toolCall('cancel_order', { clientOrderId: 'one-of-many' }, 'b'),
    toolCall('cancel_order', { clientOrderId: 'one-of-many' }, 'c'),
    toolCall('get_my_orders', {}, 'd'),
  ])
  const results = Object.values(Object(reply.body)).map((each) => reportedIn(at(each, 'result')))
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, false, true, false],
    reply.text,
  )
  assert.deepEqual(at(results[3].body, 'data'), [])
})

test('an order whose numbers grow past a body is refused, and nothing waits', async () => {
  const order = Array.from({ length: 9_000 }, () => '1e20').join(',')
  const raw =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order",' +
    `"arguments":{"order":[${order}]}}}`
  const reply = await say(live, bearer, raw)
  const { body } = reportedIn(at(reply.body, 'result'))
  assert.equal(at(body, 'code'), 'BODY_TOO_LARGE', reply.text.slice(0, 200))
})

test('metrics count a tool as a call of its route, and give its place back', async () => {
  await say(live, bearer, [ORDERS, toolCall('get_order_book', { slug: 'nowhere' }, 2)])
  const text = await live.metrics()
  assert.match(
    text,
    /outcomex_http_requests_total\{[^}]*route="\/markets\/:slug\/orderbook"[^}]*status="404"/,
  )
  for (const bulkhead of ['frees', 'orders', 'reads', 'searches', 'others']) {
    assert.match(
      text,
      new RegExp(`outcomex_requests_under_way\\{kind="${bulkhead}"\\} 0`),
      bulkhead,
    )
  }
})

test('afterwards no request is open', () => {
  assert.equal(live.gateway.inFlight, 0)
})
