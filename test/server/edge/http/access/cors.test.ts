import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Cors } from '../../../../../server/edge/http/access/cors.ts'
import { eachRateClass, RateLimiter } from '../../../../../server/edge/http/access/rate-limit.ts'
import { headerLines, RawClient } from '../../../../support/raw-client.ts'
import { startToys, type ToyExchange } from '../gateway/toy-exchange.ts'

// Which pages of other hosts a browser lets call, by what the replies say.

const APP = 'https://app.example'
const OTHER = 'https://other.example:8443'
const REQUESTED = ['content-type', 'svc-api-key', 'x-on-behalf-of']

let listed: ToyExchange
let open: ToyExchange
let closed: ToyExchange
before(async () => {
  listed = await startToys({ cors: new Cors([APP, OTHER], REQUESTED) })
  open = await startToys({ cors: new Cors('*', REQUESTED) })
  closed = await startToys()
})
after(async () => {
  for (const each of [listed, open, closed]) {
    await each.gateway.stop()
    assert.deepEqual(each.faults, [])
  }
})

interface Answer {
  readonly status: number
  readonly text: string
  header(name: string): string | null
  /** Names of the headers that concern other origins. */
  readonly cors: readonly string[]
}

async function send(
  toys: ToyExchange,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const client = new RawClient(toys.port)
  client.send(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}\r\n`)
  const [reply = ''] = await client.replies(1)
  client.destroy()
  const [head, text = ''] = reply.split('\r\n\r\n')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? null
  const cors = [...head.matchAll(/^(access-control-[\w-]+):/gim)].map(([, name]) => name)
  return { status: Number(reply.slice(9, 12)), text, header, cors }
}

const preflightOf = (origin: string, method = 'POST') => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'content-type,svc-api-key',
})

test('without the setting no reply says anything of origins, and OPTIONS is refused', async () => {
  for (const headers of [{}, preflightOf(APP)]) {
    const refused = await send(closed, 'OPTIONS', '/orders/1', headers)
    assert.deepEqual([refused.status, refused.cors], [405, []])
    assert.equal(refused.header('allow'), 'DELETE, POST')
  }
  const read = await send(closed, 'GET', '/health', { origin: APP })
  assert.deepEqual([read.status, read.cors, read.header('vary')], [200, [], null])
})

test('a page of a listed origin may call, and send cookies', async () => {
  for (const origin of [APP, OTHER]) {
    for (const [path, status] of [
      ['/health', 200],
      ['/markets/none/echo', 404],
      ['/markets/x/echo?limit=0', 400],
      ['/nowhere', 404],
      ['/slow', 405],
      ['/broken', 401],
    ] as const) {
      const read = await send(listed, 'GET', path, { origin })
      assert.equal(read.status, status)
      assert.equal(read.header('access-control-allow-origin'), origin, path)
      assert.equal(read.header('access-control-allow-credentials'), 'true', path)
      assert.match(read.header('access-control-expose-headers') ?? '', /etag, retry-after/)
      assert.equal(read.header('vary'), 'origin', path)
    }
  }
})

test('other pages get the reply without a permission to read it', async () => {
  const others = [
    'https://evil.example',
    'http://app.example',
    `${APP}.evil.example`,
    `${APP}:444`,
    'null',
    `${APP}/`,
    APP.toUpperCase(),
    `${APP}, ${OTHER}`,
    `${APP} `.repeat(20),
    'x',
    '*',
  ]
  for (const origin of others) {
    const read = await send(listed, 'GET', '/health', { origin })
    assert.deepEqual([read.status, read.cors, read.header('vary')], [200, [], 'origin'], origin)
    const requested = await send(listed, 'OPTIONS', '/orders/1', preflightOf(origin))
    assert.deepEqual([requested.status, requested.cors], [204, []], origin)
    assert.equal(requested.header('vary'), 'origin')
  }
  const without = await send(listed, 'GET', '/health')
  assert.deepEqual([without.cors, without.header('vary')], [[], 'origin'])
})

test('with * every page may read, and none may send cookies', async () => {
  for (const origin of [APP, 'null', 'https://evil.example']) {
    const read = await send(open, 'GET', '/health', { origin })
    assert.equal(read.header('access-control-allow-origin'), '*')
    assert.equal(read.header('access-control-allow-credentials'), null)
    assert.equal(read.header('vary'), null)
    const requested = await send(open, 'OPTIONS', '/orders/1', preflightOf(origin))
    assert.equal(requested.header('access-control-allow-origin'), '*')
    assert.equal(requested.header('access-control-allow-credentials'), null)
  }
})

test('a preflight names the methods of its path and the headers that a page may send', async () => {
  for (const toys of [listed, open]) {
    const requested = await send(toys, 'OPTIONS', '/orders/1', preflightOf(APP))
    assert.deepEqual([requested.status, requested.text], [204, ''])
    assert.equal(requested.header('content-length'), null)
    assert.equal(requested.header('access-control-allow-methods'), 'DELETE, POST, OPTIONS')
    assert.equal(requested.header('access-control-allow-headers'), REQUESTED.join(', '))
    assert.equal(requested.header('access-control-max-age'), '7200')
    const read = await send(toys, 'OPTIONS', '/markets/active/slugs', preflightOf(APP, 'GET'))
    assert.equal(read.header('access-control-allow-methods'), 'GET, HEAD, OPTIONS')
    assert.equal((await send(toys, 'OPTIONS', '/nowhere', preflightOf(APP))).status, 404)
    const plain = await send(toys, 'OPTIONS', '/orders/1')
    assert.deepEqual([plain.status, plain.cors], [204, []])
    assert.equal(plain.header('allow'), 'DELETE, POST, OPTIONS')
    for (const [path, allow] of [
      ['/orders/1', 'DELETE, POST, OPTIONS'],
      ['/markets/active/slugs', 'GET, HEAD, OPTIONS'],
    ]) {
      const refused = await send(toys, 'PATCH', path)
      assert.deepEqual([refused.status, refused.header('allow')], [405, allow])
    }
  }
})

test('a call that a page makes after its preflight is answered like any other', async () => {
  const headers = { origin: APP, 'svc-api-key': 'alice', 'content-length': '12' }
  const client = new RawClient(listed.port)
  client.send(`POST /orders/3 HTTP/1.1\r\nhost: x\r\n${headerLines(headers)}\r\n{"note":"a"}`)
  const [reply = ''] = await client.replies(1)
  client.destroy()
  assert.match(reply, /^HTTP\/1.1 201 /)
  assert.match(reply, /^access-control-allow-origin: https:\/\/app\.example\r$/m)
})

test('a flood of preflights of distinct origins meets the rate and keeps nothing', async () => {
  const rates = eachRateClass(() => ({ perSecond: 1, burst: 50 }))
  const addressLimiter = new RateLimiter<string>(rates)
  const toys = await startToys({ cors: new Cors([APP], REQUESTED), addressLimiter })
  const client = new RawClient(toys.port)
  const one = (index: number) =>
    `OPTIONS /orders/1 HTTP/1.1\r\nhost: x\r\norigin: https://a${index}.example\r\n\r\n`
  for (let index = 0; index < 1000; index++) client.send(one(index))
  const replies = await client.replies(1000)
  client.destroy()
  const passed = replies.filter((each) => each.startsWith('HTTP/1.1 204'))
  const refused = replies.filter((each) => each.startsWith('HTTP/1.1 429'))
  assert.ok(passed.length >= 50 && passed.length < 100, `${passed.length}`)
  assert.equal(refused.length, 1000 - passed.length)
  assert.equal(addressLimiter.keys(0), 1)
  assert.ok(refused.every((each) => /^retry-after: \d+\r$/m.test(each)))
  await toys.gateway.stop()
  assert.deepEqual(toys.faults, [])
})

test('an origin with line breaks adds no header to the reply', async () => {
  for (const toys of [listed, open]) {
    for (const more of ['\r\n x: 1', '\n\tx: 1', '\rx: 1', '\u0000']) {
      const text = APP + more
      const client = new RawClient(toys.port)
      const request = `GET /health HTTP/1.1\r\nhost: x\r\norigin: ${text}\r\n\r\n`
      const reply = await client.send(request).finish().closed()
      assert.doesNotMatch(reply, /^x: 1/m, JSON.stringify(text))
      assert.doesNotMatch(reply, /^HTTP\/1.1 5/)
    }
  }
})
