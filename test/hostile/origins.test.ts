import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { api } from '../../server/api/routes.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import type { LiveExchange } from '../support/live-exchange.ts'
import { cookieOf, login, newWallet } from '../support/live-session.ts'
import { accepted, assertRefused, codeOf, type Reply } from '../support/replies.ts'
import { SocketClient } from '../support/socket-client.ts'

// Pages of other sites that use the cookie of their visitor, with and without a proxy.

const PUBLIC_URL = 'https://exchange.example'
const { live: plain } = await exchange()

const { live: proxied } = await exchange({ flags: ['--public-url', PUBLIC_URL] })
afterEach(() => assert.deepEqual([...plain.faults, ...proxied.faults], []))

function labelOf(live: LiveExchange, cookie: string, origin: string): Promise<Reply> {
  const headers = new Headers({ cookie, 'content-type': 'application/json' })
  if (origin !== '') headers.set('origin', origin)
  return live.send('POST', '/auth/api-tokens/derive', { headers, body: '{}' })
}

test('a page of another site can change nothing with a cookie, but can read', async () => {
  const own = `http://127.0.0.1:${plain.port}`
  for (const [live, right] of [
    [plain, own],
    [proxied, PUBLIC_URL],
  ] as const) {
    const cookie = cookieOf(await login(live, newWallet()))
    const wrong = [
      'https://evil.example',
      'null',
      'x',
      `${right}.evil.example`,
      `${right}:81`,
      right === own ? PUBLIC_URL : 'http://exchange.example',
      `ftp://${new URL(right).host}`,
    ]
    for (const origin of wrong) {
      const reply = await labelOf(live, cookie, origin)
      assertRefused(reply, 403, 'ORIGIN_NOT_ALLOWED', `${origin}: ${reply.text}`)
      const out = await live.send('POST', '/auth/logout', {
        headers: { cookie, origin, 'content-type': 'application/json' },
      })
      assert.equal(codeOf(out), 'ORIGIN_NOT_ALLOWED')
      await accepted(live.send('GET', '/auth/verify-auth', { headers: { cookie, origin } }))
    }
    for (const origin of [right, '']) {
      assert.equal((await labelOf(live, cookie, origin)).status, 201, origin)
    }
  }
})

test('behind a TLS proxy the cookie is Secure and sockets need the public origin', async () => {
  const reply = await login(proxied, newWallet())
  const sets = reply.headers.getSetCookie()
  for (const [at, name] of ['outcomex_session', 'limitless_session'].entries()) {
    const [pair, ...flags] = sets[at].split('; ')
    assert.equal(pair.split('=')[0], `__Host-${name}`)
    assert.deepEqual(flags.slice(2), ['HttpOnly', 'SameSite=Lax', 'Secure'])
  }
  const cookie = cookieOf(reply)
  const bare = await login(plain, newWallet())
  assert.doesNotMatch(bare.headers.getSetCookie()[0], /Secure/)
  const rows = [
    [PUBLIC_URL, 'authenticated'],
    [`http://127.0.0.1:${proxied.port}`, 'exception'],
    ['http://exchange.example', 'exception'],
  ] as const
  for (const [origin, event] of rows) {
    const client = await SocketClient.open(proxied.port, { headers: { cookie, origin } })
    const [stated] = await client.take(event, 1)
    assert.ok(event === 'authenticated' || at(stated, 'code') === 'ORIGIN_NOT_ALLOWED')
    client.close()
  }
  const out = await proxied.send('POST', '/auth/logout', {
    headers: { cookie, origin: PUBLIC_URL, 'content-type': 'application/json' },
  })
  assert.match(out.headers.getSetCookie()[0], /Max-Age=0; HttpOnly; SameSite=Lax; Secure$/)
})

test('a page of a listed origin may use the cookie of its visitor; * allows none', async () => {
  const app = 'https://app.example'
  for (const [setting, isTrusted] of [
    [app, true],
    ['*', false],
  ] as const) {
    const { live } = await exchange({ flags: ['--cors-origin', setting] })
    const cookie = cookieOf(await login(live, newWallet()))
    const changed = await labelOf(live, cookie, app)
    assert.equal(changed.status, isTrusted ? 201 : 403, changed.text)
    assert.equal(changed.headers.get('access-control-allow-origin'), setting)
    const other = await labelOf(live, cookie, 'https://evil.example')
    assert.equal(codeOf(other), 'ORIGIN_NOT_ALLOWED')
    assert.equal(other.headers.get('access-control-allow-credentials'), null)
    const client = await SocketClient.open(live.port, { headers: { cookie, origin: app } })
    await client.take(isTrusted ? 'authenticated' : 'exception', 1)
    client.close()
    await live.stop()
  }
})

test('every path answers a preflight with its methods and what a signed call sends', async () => {
  const { live } = await exchange({
    flags: ['--cors-origin', '*', '--header-prefix', 'svc-,lmts-'],
  })
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  for (const { path, method } of api) {
    const reply = await live.send('OPTIONS', path.replaceAll(/:\w+/g, '1'), { headers })
    assert.equal(reply.status, 204, path)
    const methods = reply.headers.get('access-control-allow-methods')?.split(', ') ?? []
    assert.ok(methods.includes(method), `${method} ${path}`)
    const names = reply.headers.get('access-control-allow-headers')?.split(', ') ?? []
    for (const prefix of ['svc-', 'lmts-']) {
      for (const name of ['api-key', 'timestamp', 'signature']) {
        assert.ok(names.includes(prefix + name), prefix + name)
      }
    }
    const others = ['content-type', 'authorization', 'identity', 'x-on-behalf-of', 'x-account']
    for (const name of others) assert.ok(names.includes(name), name)
  }
})

test('the OpenAPI document names the public URL and the session cookie', async () => {
  const { body } = await proxied.send('GET', '/openapi.json')
  assert.equal(at(body, 'servers', 0, 'url'), PUBLIC_URL)
  const scheme = at(body, 'components', 'securitySchemes', 'session')
  assert.equal(at(scheme, 'name'), '__Host-outcomex_session')
})

test('the document of the sockets is in no shared cache with the host of its caller', async () => {
  for (const live of [plain, proxied]) {
    const { headers } = await live.send('GET', '/asyncapi.json')
    assert.equal(headers.get('cache-control'), 'no-store')
  }
})
