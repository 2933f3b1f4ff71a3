import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SignJWT } from 'jose'
import type { Role } from '../../../engine/domain/operator.ts'
import type { Guarded } from '../../../server/auth/auth-scheme.ts'
import {
  admin,
  eitherOf,
  hmac,
  hmacOrSession,
  identity,
  session,
  sessionOrIdentity,
} from '../../../server/auth/auth-scheme.ts'
import { type AuthState, apiHeaders, Guard } from '../../../server/auth/guard.ts'
import { signCall } from '../../../server/auth/hmac-signature.ts'
import { identityCheck } from '../../../server/auth/identity.ts'
import { digestOf } from '../../../server/auth/session.ts'
import { keccakReady } from '../../../server/crypto/keccak.ts'
import { accountOf } from '../../../server/edge/intake/order/client-order.ts'
import type { Call } from '../../../server/messages/call.ts'
import { Refusal } from '../../../server/messages/refusal.ts'
import { KEY, NOW_MS, OTHER_KEY, SECRET } from '../edge/intake/order-kit.ts'

const folder = mkdtempSync(join(tmpdir(), 'outcomex-identity-'))
after(() => rmSync(folder, { recursive: true }))
await keccakReady

const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pemFile = join(folder, 'key.pem')
const jwkFile = join(folder, 'key.jwk')
const jwksFile = join(folder, 'keys.json')
const jwk = { ...signing.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }
writeFileSync(pemFile, signing.publicKey.export({ format: 'pem', type: 'spki' }))
writeFileSync(jwkFile, JSON.stringify(jwk))
writeFileSync(jwksFile, JSON.stringify({ keys: [jwk] }))

const account = accountOf(KEY)
const operator = (name: string, role: Role, token: string) => {
  return { name, role, rateKey: 0, digest: Buffer.from(digestOf(token), 'latin1') }
}
const state: AuthState = {
  tokenById: (tokenId) => {
    const token = { profileId: 7, account, scopes: ['trading'], secret: SECRET }
    return tokenId === 'alice' ? token : undefined
  },
  sessionByDigest: (digest) =>
    digest === digestOf('cookie') ? { profileId: 7, expiresMs: NOW_MS + 1000 } : undefined,
  accountOf: (profileId) => (profileId === 7 ? account : undefined),
  profileByAddress: (address) =>
    address.toLowerCase() === account.toLowerCase() ? { profileId: 7, account } : undefined,
  operators: () => [
    operator('root', 'root', 'admin-token'),
    operator('eve', 'read', 'reader-token'),
  ],
}
const guard = new Guard({
  state,
  headerPrefixes: ['svc-', 'lmts-'],
  identity: identityCheck({ publicKey: pemFile, issuer: 'issuer', audience: 'outcomex' }),
})

function call(headers: Record<string, string>): Call {
  return {
    method: 'GET',
    path: '/x',
    target: '/x?y=1',
    query: 'y=1',
    headers: new Map(Object.entries(headers)),
    body: new Uint8Array(0),
    from: '',
    addressKey: '',
    receivedMs: 0,
    readMs: 0,
    timesRow: 0,
  }
}

function signedHeaders(prefix = 'svc-', apiKey = 'alice') {
  const timestamp = new Date(NOW_MS).toISOString()
  const body = new Uint8Array(0)
  const parts = { secret: SECRET, timestamp, method: 'GET', pathWithQuery: '/x?y=1', body }
  return {
    [`${prefix}api-key`]: apiKey,
    [`${prefix}timestamp`]: timestamp,
    [`${prefix}signature`]: signCall(parts),
  }
}

/** The name of the refusal, or the kind of proof that the guard accepted. */
async function answer(headers: Record<string, string>, auth: Guarded, nowMs = NOW_MS, at = guard) {
  const proof = await at.authenticate(call(headers), auth, nowMs)
  return proof instanceof Refusal ? proof.name : proof.via
}

test('a call with an API token is refused for the first reason that applies', async () => {
  const good = signedHeaders()
  const rows: [string, Record<string, string>, Guarded, number][] = [
    ['hmac', good, hmac('trading'), NOW_MS],
    ['hmac', signedHeaders('lmts-'), hmac(), NOW_MS],
    ['SCOPE_MISSING_WITHDRAWAL', good, hmac('trading', 'withdrawal'), NOW_MS],
    ['HMAC_INVALID', { ...good, 'svc-signature': '' }, hmac('withdrawal'), NOW_MS],
    ['TIMESTAMP_INVALID', { ...good, 'svc-signature': '' }, hmac('withdrawal'), NOW_MS + 30_001],
    ['API_KEY_INVALID', { ...good, 'svc-api-key': 'old' }, hmac('withdrawal'), 0],
    ['API_KEY_INVALID', { ...good, 'svc-api-key': '__proto__' }, hmac('withdrawal'), 0],
    ['UNAUTHENTICATED', {}, hmac('withdrawal'), 0],
    ['UNAUTHENTICATED', signedHeaders('other-'), hmac(), NOW_MS],
    ['UNAUTHENTICATED', { cookie: 'outcomex_session=cookie' }, hmac(), NOW_MS],
  ]
  for (const [expected, headers, auth, nowMs] of rows) {
    assert.equal(await answer(headers, auth, nowMs), expected)
  }
})

test('of several header prefixes the first with an API key counts', () => {
  const both = call({ ...signedHeaders('lmts-', 'bob'), ...signedHeaders('svc-', 'alice') })
  assert.equal(apiHeaders(both, ['svc-', 'lmts-']).apiKey, 'alice')
  assert.equal(apiHeaders(both, ['lmts-', 'svc-']).apiKey, 'bob')
  assert.equal(apiHeaders(both, []).apiKey, '')
})

test('a session needs its cookie, and a cookie needs a live session', async () => {
  const rows: [string, string, number][] = [
    ['session', 'outcomex_session=cookie', NOW_MS],
    ['session', 'a=b; outcomex_session=cookie; c', NOW_MS + 999],
    ['SESSION_INVALID', 'outcomex_session=cookie', NOW_MS + 1000],
    ['SESSION_INVALID', 'outcomex_session=stolen', NOW_MS],
    ['session', 'outcomex_session=cookie; outcomex_session=cookie', NOW_MS],
    // A page of a neighbouring host may have set one of them.
    ['COOKIE_AMBIGUOUS', 'outcomex_session=cookie; outcomex_session=stolen', NOW_MS],
    ['COOKIE_AMBIGUOUS', 'outcomex_session=stolen; a=b; outcomex_session=cookie', NOW_MS],
    ['COOKIE_AMBIGUOUS', 'outcomex_session=; outcomex_session=cookie', NOW_MS],
    ['COOKIE_REQUIRED', 'outcomex_session=', NOW_MS],
    ['COOKIE_REQUIRED', '__Host-outcomex_session=cookie', NOW_MS],
    ['COOKIE_REQUIRED', 'xoutcomex_session=cookie', NOW_MS],
    ['COOKIE_REQUIRED', '', NOW_MS],
  ]
  for (const [expected, cookie, nowMs] of rows) {
    assert.equal(await answer({ cookie }, session(), nowMs), expected, cookie)
  }
})

test('over TLS only a cookie that this host itself has set counts', async () => {
  const secure = new Guard({ state, headerPrefixes: [], isSecure: true })
  const by = (cookie: string) => answer({ cookie }, session(), NOW_MS, secure)
  assert.equal(await by('__Host-outcomex_session=cookie'), 'session')
  assert.equal(await by('outcomex_session=cookie'), 'COOKIE_REQUIRED')
  assert.equal(await by('outcomex_session=stolen; __Host-outcomex_session=cookie'), 'session')
  assert.equal(await by('__Host-limitless_session=cookie'), 'session')
  assert.equal(await by('limitless_session=cookie'), 'COOKIE_REQUIRED')
})

test('a session cookie counts under each of its names, and all must have one value', async () => {
  const by = (cookie: string, of = guard) => answer({ cookie }, session(), NOW_MS, of)
  assert.equal(await by('limitless_session=cookie'), 'session')
  assert.equal(await by('outcomex_session=cookie; limitless_session=cookie'), 'session')
  assert.equal(await by('outcomex_session=cookie; limitless_session=other'), 'COOKIE_AMBIGUOUS')
  const own = new Guard({ state, headerPrefixes: [], sessionCookies: ['own'] })
  assert.equal(await by('own=cookie', own), 'session')
  assert.equal(await by('outcomex_session=cookie', own), 'COOKIE_REQUIRED')
})

test('the own origin is a scheme, a host and a port', () => {
  const isOwn = (origin: string, isSecure: boolean) =>
    new Guard({ state, headerPrefixes: [], isSecure }).isOwnOrigin(
      call({ origin, host: 'Exchange.example:3000' }),
    )
  for (const isSecure of [false, true]) {
    const [right, other] = isSecure ? ['https', 'http'] : ['http', 'https']
    assert.equal(isOwn(`${right}://exchange.example:3000`, isSecure), true)
    for (const scheme of [other, 'ftp', 'ws', 'chrome-extension']) {
      assert.equal(isOwn(`${scheme}://exchange.example:3000`, isSecure), false, scheme)
    }
    assert.equal(isOwn(`${right}://exchange.example`, isSecure), false)
    assert.equal(isOwn(`${right}://evil.example:3000`, isSecure), false)
  }
})

test('where two kinds of proof are accepted, the kind that is shown decides', async () => {
  const both = hmacOrSession('trading')
  const cookie = 'outcomex_session=cookie'
  assert.equal(await answer({ cookie }, both), 'session')
  assert.equal(await answer(signedHeaders(), both), 'hmac')
  assert.equal(
    await answer({ ...signedHeaders(), cookie, 'svc-signature': '' }, both),
    'HMAC_INVALID',
  )
  assert.equal(await answer({}, both), 'UNAUTHENTICATED')
  const browser = sessionOrIdentity()
  const proven = { identity: `Bearer ${await jwt({})}` }
  for (const each of [cookie, 'outcomex_session=ended']) {
    assert.equal(await answer({ cookie: each, ...proven }, browser), 'identity')
    const forged = { cookie: each, identity: 'Bearer x' }
    assert.equal(await answer(forged, browser), 'IDENTITY_INVALID')
  }
  assert.equal(await answer({ cookie }, browser), 'session')
  assert.equal(await answer({}, browser), 'COOKIE_REQUIRED')
})

test('only the exact token of an operator proves an operator', async () => {
  const by = (authorization: string) => answer({ authorization }, admin('root'))
  assert.equal(await by('Bearer admin-token'), 'admin')
  assert.equal(await by('bearer admin-token'), 'admin')
  // The token is proven. The gateway decides what its role allows.
  assert.equal(await by('Bearer reader-token'), 'admin')
  for (const wrong of ['', 'Bearer ', 'Bearer admin-toke', 'Basic admin-token', 'admin-token']) {
    assert.equal(await by(wrong), 'ADMIN_TOKEN_INVALID', wrong)
  }
  const none = new Guard({ state: { ...state, operators: () => [] }, headerPrefixes: [] })
  const headers = { authorization: 'Bearer x' }
  assert.equal(await answer(headers, admin('read'), NOW_MS, none), 'ADMIN_TOKEN_INVALID')
})

test('the id and the secret of a token prove it where a route takes them', async () => {
  const secret = SECRET.toString('base64')
  const right = `Bearer alice.${secret}`
  const bearer = { ...hmac(), accepts: [{ scheme: 'bearer', scopes: [] }] } as const
  const rows: [string, string][] = [
    ['bearer', right],
    ['bearer', right.replace('Bearer', 'bearer')],
    ['API_KEY_INVALID', `Bearer bob.${secret}`],
    ['API_KEY_INVALID', `Bearer alice.${secret.slice(0, -1)}`],
    ['API_KEY_INVALID', `Bearer alice.${secret}.`],
    ['API_KEY_INVALID', 'Bearer alice.'],
    ['API_KEY_INVALID', 'Bearer alice'],
    // As many zeros as a secret has, which an unknown token is compared with.
    ['API_KEY_INVALID', `Bearer bob.${Buffer.alloc(32).toString('base64')}`],
    ['API_KEY_INVALID', 'Bearer '],
    ['UNAUTHENTICATED', `Basic alice.${secret}`],
    ['UNAUTHENTICATED', ''],
  ]
  for (const [expected, authorization] of rows) {
    assert.equal(await answer({ authorization }, bearer), expected, authorization)
    assert.equal(await answer({ authorization }, hmac()), 'UNAUTHENTICATED')
  }
  const all = eitherOf(hmac(), bearer, session())
  const cookie = 'outcomex_session=cookie'
  assert.equal(await answer({ authorization: right, cookie }, all), 'bearer')
  assert.equal(await answer({ authorization: right, ...signedHeaders() }, all), 'hmac')
  assert.equal(await answer({ authorization: 'Bearer x', cookie }, all), 'API_KEY_INVALID')
  assert.equal(await answer({ authorization: 'Basic x', cookie }, all), 'session')
})

async function jwt(claims: Record<string, unknown>, key = signing.privateKey): Promise<string> {
  const exp = Math.floor(NOW_MS / 1000) + 60
  const all = { iss: 'issuer', aud: 'outcomex', exp, account, ...claims }
  return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(key)
}

test('an identity token needs signature, issuer, audience, time and a known account', async () => {
  const good = await jwt({})
  const [head, payload, signature] = good.split('.')
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  const hmacHead = Buffer.from('{"alg":"HS256"}').toString('base64url')
  const rows: [string, string][] = [
    ['identity', `Bearer ${good}`],
    ['identity', `Bearer ${await jwt({ account: account.toLowerCase() })}`],
    ['FORBIDDEN', `Bearer ${await jwt({ account: accountOf(OTHER_KEY) })}`],
    ['IDENTITY_INVALID', good],
    ['IDENTITY_INVALID', 'Bearer '],
    ['IDENTITY_INVALID', 'Bearer a.b.c'],
    ['IDENTITY_INVALID', `Bearer ${unsigned}.${payload}.`],
    ['IDENTITY_INVALID', `Bearer ${hmacHead}.${payload}.${signature}`],
    ['IDENTITY_INVALID', `Bearer ${head}.${payload}x.${signature}`],
    ['IDENTITY_INVALID', `Bearer ${'x'.repeat(10_000)}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({}, foreign.privateKey)}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ iss: 'other' })}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ aud: 'other' })}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ exp: NOW_MS / 1000 - 60 })}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ exp: undefined })}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ account: 5 })}`],
    ['IDENTITY_INVALID', `Bearer ${await jwt({ account: 'alice' })}`],
    ['UNAUTHENTICATED', ''],
  ]
  for (const [expected, header] of rows) {
    assert.equal(await answer({ identity: header }, identity()), expected, header.slice(0, 60))
  }
})

test('a forged token of any algorithm is refused, and no key makes the check throw', async () => {
  const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
  const pairs = [curve('P-256'), curve('P-384'), curve('secp256k1'), rsa(2048), rsa(1024)]
  const all = [...pairs, generateKeyPairSync('ed25519'), generateKeyPairSync('x25519')]
  const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = text({ account, exp: NOW_MS })
  const signatures = ['', 'AAAA', '!', Buffer.alloc(64, 1).toString('base64url')]
  const names = 'RS256 PS512 ES256 ES384 ES512 EdDSA HS256 none'.split(' ')
  const heads = names.flatMap((alg) => [{ alg }, { alg, kid: 5 }, { alg, crit: ['x'] }])
  for (const { publicKey } of all) {
    const file = join(folder, 'any.pem')
    writeFileSync(file, publicKey.export({ format: 'pem', type: 'spki' }))
    const check = identityCheck({ publicKey: file })
    for (const head of heads) {
      for (const signature of signatures) {
        const token = `${text(head)}.${payload}.${signature}`
        assert.equal(await check(token, NOW_MS), undefined, `${publicKey.asymmetricKeyType}`)
      }
    }
  }
})

test('the key comes as PEM, JWK or JWK set; without one no token is valid', async () => {
  const token = await jwt({})
  for (const settings of [{ publicKey: pemFile }, { publicKey: jwkFile }, { jwks: jwksFile }]) {
    assert.ok(await identityCheck(settings)(token, NOW_MS), JSON.stringify(settings))
  }
  assert.equal(await identityCheck({})(token, NOW_MS), undefined)
  assert.throws(() => identityCheck({ jwks: jwkFile }), /not a JWK set/)
  assert.throws(() => identityCheck({ publicKey: join(folder, 'absent.pem') }), /ENOENT/)
  const none = new Guard({ state, headerPrefixes: [] })
  const headers = { identity: `Bearer ${token}` }
  assert.equal(await answer(headers, identity(), NOW_MS, none), 'IDENTITY_INVALID')
})
