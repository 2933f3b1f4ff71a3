import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../server/api/routes.ts'
import type { Services } from '../../server/api/services.ts'
import type { Route } from '../../server/edge/http/route.ts'
import { exchange } from '../support/exchange.ts'
import { at } from '../support/json-path.ts'
import { ADMIN_TOKEN } from '../support/live-exchange.ts'
import { IdentityProvider } from '../support/live-identity.ts'
import { tokenOf } from '../support/live-partners.ts'
import { cookieOf, login, newWallet } from '../support/live-session.ts'
import { assertRefused, codeOf, type Reply } from '../support/replies.ts'

// Each route is called wrongly in every way that all routes share.

const SCOPES = ['trading', 'account_creation', 'delegated_signing', 'withdrawal']
const provider = new IdentityProvider()
const { live, alice } = await exchange({
  flags: provider.flags,
  markets: ['rain-tomorrow'],
  traders: { alice: { collateralRaw: 10_000_000, apiToken: { scopes: SCOPES } } },
})

const cookie = cookieOf(await login(live, newWallet()))
const identity = `Bearer ${await provider.token(live, alice.account)}`

/** The path of a route with its example's parameters. */
function pathOf(route: Route<Services>): string {
  return route.path.replace(/:([a-zA-Z]+)/g, (_all, name) =>
    String(at(route.example, 'params', name)),
  )
}

/** Calls a route with a proof that it accepts. */
function asAllowed(route: Route<Services>, path: string, body?: unknown): Promise<Reply> {
  const scheme = route.auth.accepts.at(0)?.scheme
  if (scheme === 'hmac') return live.call(alice, route.method, path, body)
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    ...(scheme === 'session' ? { cookie } : {}),
    ...(scheme === 'identity' ? { identity } : {}),
    ...(scheme === 'admin' ? { authorization: `Bearer ${ADMIN_TOKEN}` } : {}),
    // A login with every header, but without a valid proof.
    ...(route.path === '/auth/login'
      ? { 'x-account': 'x', 'x-signing-message': 'x', 'x-signature': 'x' }
      : {}),
  }
  return live.send(route.method, path, text === undefined ? { headers } : { headers, body: text })
}

const nameOf = (route: Route<Services>) => `${route.method} ${route.path}`

/** A query that takes the names of filters, which the handler checks. */
const takesAnyKey = (query: Route<Services>['query']) =>
  Object.values(query).some((schema) => Object(schema).type === 'object')

test('every route refuses an unknown query parameter and names it', async () => {
  for (const route of api.filter(({ query }) => !takesAnyKey(query))) {
    for (const query of ['surprise=1', '%73urprise', 'surprise=%zz']) {
      const reply = await asAllowed(
        route,
        `${pathOf(route)}?${query}`,
        route.body === null ? undefined : {},
      )
      assertRefused(reply, 400, 'VALIDATION', nameOf(route))
      assert.match(reply.text, /"field":"(surprise|%73urprise)"/)
    }
  }
})

test('a caller without any proof gets the 401 of the route', async () => {
  for (const route of api) {
    const scheme = route.auth.accepts.at(0)?.scheme
    if (scheme === undefined) continue
    const reply = await live.send(route.method, pathOf(route))
    const code = { session: 'COOKIE_REQUIRED', admin: 'ADMIN_TOKEN_INVALID' }
    const expected = at(code, scheme) ?? 'UNAUTHENTICATED'
    assertRefused(reply, 401, String(expected), nameOf(route))
  }
})

test('a token without a scope of the route gets 403 before its body is parsed', async () => {
  for (const lacking of SCOPES) {
    const rest = SCOPES.filter((each) => each !== lacking)
    const token = await tokenOf(live, alice, rest)
    for (const route of api) {
      const accepted = route.auth.accepts.find(({ scheme }) => scheme === 'hmac')
      if (accepted?.scopes.some((each) => each === lacking) !== true) continue
      const body = route.body === null ? undefined : '{'
      const reply = await live.call(token, route.method, pathOf(route), body)
      assertRefused(reply, 403, 'SCOPE_MISSING', nameOf(route))
    }
  }
})

test('a wrong admin token opens nothing', async () => {
  for (const route of api) {
    if (route.auth.accepts.at(0)?.scheme !== 'admin') continue
    for (const token of ['', 'x', `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1), alice.tokenId]) {
      const headers = { authorization: `Bearer ${token}` }
      const body = route.body === null ? {} : { body: JSON.stringify(route.example.body) }
      const reply = await live.send(route.method, pathOf(route), { headers, ...body })
      assertRefused(reply, 401, 'ADMIN_TOKEN_INVALID', nameOf(route))
    }
    const signed = route.body === null ? undefined : {}
    assert.equal((await live.call(alice, route.method, pathOf(route), signed)).status, 401)
  }
})

/** Whether some route takes the method at this path: names of another path may fit it too. */
function isTaken(method: string, path: string): boolean {
  const requested = path.split('?')[0].split('/')
  return api.some((route) => {
    const parts = route.path.split('/')
    const fits = parts.every((part, at) => part === requested[at] || part.startsWith(':'))
    return route.method === method && parts.length === requested.length && fits
  })
}

test('an unknown method gets 405 with the methods that the path takes', async () => {
  const methodsOf = new Map<string, string[]>()
  for (const route of api) {
    methodsOf.set(route.path, [...(methodsOf.get(route.path) ?? []), route.method])
  }
  for (const route of api) {
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND']) {
      if (isTaken(method, pathOf(route))) continue
      const reply = await live.send(method, pathOf(route))
      assertRefused(reply, 405, 'METHOD_NOT_ALLOWED', nameOf(route))
      const allow = String(reply.headers.get('allow'))
      for (const known of methodsOf.get(route.path) ?? []) assert.ok(allow.includes(known), allow)
    }
  }
})

test('the front page names the exchange, and each of its links works', async () => {
  const page = await live.send('GET', '/')
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(page.text, /<h1>outcomex<\/h1>\s*<p>A self-hosted prediction-market exchange/)
  const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
  assert.ok(links.includes('/openapi.json') && links.includes('/markets/active'))
  for (const path of links) assert.equal((await live.send('GET', path)).status, 200, path)
})

test('an unknown path is 404, however it is spelled', async () => {
  const paths = ['/nope', '/orders/', '/orders//x', '/ORDERS', '/markets', '/admin', '/.env']
  const tricks = ['/orders/.../', '/%2e%2e/etc/passwd', '/orders%00', '/health/x', '/auth', '/%']
  for (const path of [...paths, ...tricks]) {
    const reply = await live.send('GET', path)
    assert.ok(reply.status === 404 || reply.status === 405, `${path} ${reply.text}`)
    assert.equal(typeof at(reply.body, 'message'), 'string')
  }
})

const NOT_BODIES = [
  '{',
  'null',
  '[]',
  '7',
  '"x"',
  '{"surprise":1}',
  '{"__proto__":{"a":1}}',
  '\u0000',
]

test('every route refuses a body that is not an object of known fields', async () => {
  for (const route of api) {
    if (route.body === null) continue
    for (const body of NOT_BODIES) {
      const reply = await asAllowed(route, pathOf(route), body)
      const stated = `${nameOf(route)} ${body}`
      assert.equal(reply.status, 400, `${stated} ${reply.text}`)
      assert.match(codeOf(reply), /^(VALIDATION|BODY_MALFORMED)$/, stated)
    }
    const huge = await asAllowed(route, pathOf(route), `"${'x'.repeat(70_000)}"`)
    assertRefused(huge, 413, 'BODY_TOO_LARGE', nameOf(route))
  }
})

/** Values that are wrong, or that break a careless parser. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  -(2 ** 53),
  1e308,
  '',
  ' ',
  'x'.repeat(20_000),
  '\u0000',
  '\ud800',
  '9007199254740993',
  '__proto__',
  [],
  [[]],
  {},
  { length: 5 },
]

test('a strange value in any field of a body causes a refusal at most', async () => {
  for (const route of api) {
    const example = route.example.body
    if (typeof example !== 'object' || example === null) continue
    const fields = Object.keys(at(route.body, 'properties') ?? {})
    for (const field of fields) {
      for (const value of STRANGE) {
        const reply = await asAllowed(route, pathOf(route), { ...example, [field]: value })
        const shown = JSON.stringify(value).slice(0, 40)
        const stated = `${nameOf(route)} ${field} ${shown}: ${reply.text}`
        assert.ok(reply.status < 500, stated)
        assert.notEqual(reply.body, undefined, stated)
      }
    }
  }
})

test('a strange value of any path parameter is refused', async () => {
  const strange = [
    '%00',
    '%ff',
    'x'.repeat(300),
    // The client itself would resolve two dots, and would then call another path.
    '...',
    '*',
    "'",
    '%22',
    '-',
    '0',
    '1e9',
    '%F0%9F%98%80',
  ]
  for (const route of api) {
    if (!route.path.includes(':')) continue
    for (const value of strange) {
      const path = route.path.replace(/:[a-zA-Z]+/g, value)
      const reply = await asAllowed(route, path, route.example.body)
      assert.ok(
        reply.status >= 400 && reply.status < 500,
        `${nameOf(route)} ${value} ${reply.text}`,
      )
      assert.equal(at(reply.body, 'statusCode'), reply.status)
    }
  }
})

test('afterwards the exchange answers and nothing is in flight', async () => {
  assert.equal((await live.send('GET', '/health')).text, '{"status":"ok"}')
  const ready = await live.send('GET', '/ready')
  assert.equal(at(ready.body, 'ready'), true)
  assert.equal(await live.gauge('outcomex_replies_waiting'), 0)
  assert.equal(live.gateway.inFlight, 0)
})
