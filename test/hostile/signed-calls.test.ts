import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import type { CallChange } from '../support/live-exchange.ts'
import { byIdentity, IdentityProvider } from '../support/live-identity.ts'
import { assertRefused, type Reply } from '../support/replies.ts'

// Proofs over HTTP on the routes that main itself guards (rules §12.1).

const PATH = '/profiles/partner-accounts'
const ME = '/profiles/me'
const SKEW_MS = 30_000
const provider = new IdentityProvider()
const { live } = await exchange({ flags: [...provider.flags, '--header-prefix', 'svc-,my-'] })

const fields = { apiToken: { scopes: ['trading', 'account_creation', 'delegated_signing'] } }
const alice = await live.trader(0, fields)
const bob = await live.trader(0, fields)

function assertAnswer(reply: Reply, expected: number | string, what: string): void {
  if (typeof expected === 'number') {
    assert.equal(reply.status, expected, `${what}: ${reply.text}`)
    return
  }
  assertRefused(reply, 401, expected, what)
}

const at = (offsetMs: number) => new Date(live.nowMs() + offsetMs).toISOString()

test('a timestamp is good for thirty seconds on both sides of server time', async () => {
  for (const [offsetMs, expected] of [
    [0, 200],
    [-SKEW_MS + 5000, 200],
    [SKEW_MS - 5000, 200],
    [-SKEW_MS - 100, 'TIMESTAMP_INVALID'],
    [SKEW_MS + 5000, 'TIMESTAMP_INVALID'],
  ] as const) {
    const reply = await live.call(alice, 'GET', ME, undefined, { timestamp: at(offsetMs) })
    assertAnswer(reply, expected, `${offsetMs}`)
  }
  for (const timestamp of [String(live.nowMs()), 'now', at(0).slice(0, -1), `${at(0)}, ${at(0)}`]) {
    const reply = await live.call(alice, 'GET', ME, undefined, { timestamp })
    assertAnswer(reply, 'TIMESTAMP_INVALID', timestamp)
  }
  const offset = at(0).replace('Z', '+00:00')
  assertAnswer(await live.call(alice, 'GET', ME, undefined, { timestamp: offset }), 200, offset)
})

test('the signature covers the call as it was sent: method, path with query, body', async () => {
  const rows: [method: string, path: string, body: unknown, CallChange, number | string][] = [
    ['GET', `${PATH}?page=1&limit=2`, undefined, {}, 200],
    ['GET', `${PATH}?p%61ge=1`, undefined, {}, 200],
    ['GET', `${PATH}?page=1`, undefined, { signedPath: PATH }, 'HMAC_INVALID'],
    ['GET', PATH, undefined, { signedPath: `${PATH}?page=1` }, 'HMAC_INVALID'],
    ['GET', `${PATH}?p%61ge=1`, undefined, { signedPath: `${PATH}?page=1` }, 'HMAC_INVALID'],
    [
      'GET',
      `${PATH}?page=1&limit=2`,
      undefined,
      { signedPath: `${PATH}?limit=2&page=1` },
      'HMAC_INVALID',
    ],
    ['GET', ME, undefined, { method: 'get' }, 'HMAC_INVALID'],
    ['GET', ME, undefined, { method: 'POST' }, 'HMAC_INVALID'],
    ['GET', ME, undefined, { signedBody: '{}' }, 'HMAC_INVALID'],
    ['PATCH', ME, '{}', {}, 200],
    ['PATCH', ME, '{"bio":"é😀"}', {}, 200],
    ['PATCH', ME, '{}', { signedBody: '' }, 'HMAC_INVALID'],
    ['PATCH', ME, '{ }', { signedBody: '{}' }, 'HMAC_INVALID'],
    ['PATCH', ME, '{"bio":"b"}', { signedBody: '{"bio":"a"}' }, 'HMAC_INVALID'],
    ['PATCH', ME, undefined, {}, 200],
  ]
  for (const [method, path, body, change, expected] of rows) {
    const reply = await live.call(alice, method, path, body, change)
    assertAnswer(reply, expected, `${method} ${path} ${body} ${JSON.stringify(change)}`)
  }
})

test('a token acts for its own profile, under every header prefix of the flag', async () => {
  const { tokenId, secret } = bob
  const both = { 'my-api-key': tokenId, 'my-timestamp': at(0), 'my-signature': 'x' }
  const rows: [CallChange, number | string][] = [
    [{ prefix: 'svc-' }, 200],
    [{ prefix: 'my-' }, 200],
    [{ prefix: 'SVC-' }, 200],
    [{ prefix: 'lmts-' }, 'UNAUTHENTICATED'],
    [{ prefix: 'x-' }, 'UNAUTHENTICATED'],
    [{ prefix: '' }, 'UNAUTHENTICATED'],
    [{ headers: both }, 200],
    [{ prefix: 'my-', headers: { 'svc-api-key': tokenId } }, 'TIMESTAMP_INVALID'],
    [{ tokenId }, 'HMAC_INVALID'],
    [{ secret }, 'HMAC_INVALID'],
    [{ tokenId: `${alice.tokenId}, ${alice.tokenId}` }, 'API_KEY_INVALID'],
    [{ tokenId: alice.tokenId.toUpperCase() }, 'API_KEY_INVALID'],
    [{ tokenId: 'constructor' }, 'API_KEY_INVALID'],
    [{ signature: '' }, 'HMAC_INVALID'],
  ]
  for (const [change, expected] of rows) {
    const reply = await live.call(alice, 'GET', ME, undefined, change)
    assertAnswer(reply, expected, JSON.stringify(change))
    if (reply.status === 200) assert.match(reply.text, new RegExp(`"id":${alice.profileId},`))
  }
})

test('an identity token needs the right issuer, audience and time', async () => {
  const right = { iss: 'the-provider', aud: 'outcomex' }
  const nowSec = Math.floor(live.nowMs() / 1000)
  const rows: [claims: object, forSec: number, expected: number | string][] = [
    [right, 60, 200],
    [{ ...right, aud: ['others', 'outcomex'] }, 60, 200],
    [{ ...right, nbf: nowSec - 60 }, 60, 200],
    [{}, 60, 'IDENTITY_INVALID'],
    [{ ...right, iss: 'another' }, 60, 'IDENTITY_INVALID'],
    [{ ...right, aud: 'others' }, 60, 'IDENTITY_INVALID'],
    [{ iss: 'the-provider' }, 60, 'IDENTITY_INVALID'],
    [{ aud: 'outcomex' }, 60, 'IDENTITY_INVALID'],
    [{ ...right, nbf: nowSec + 3600 }, 7200, 'IDENTITY_INVALID'],
    [right, -30, 'IDENTITY_INVALID'],
  ]
  for (const [claims, forSec, expected] of rows) {
    const token = await provider.token(live, alice.account, { forSec, claims })
    const reply = await byIdentity(live, token, 'GET', ME)
    assertAnswer(reply, expected, JSON.stringify(claims))
  }
})
