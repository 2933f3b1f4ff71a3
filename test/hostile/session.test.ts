import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../support/exchange.ts'
import { at, textAt } from '../support/json-path.ts'
import { byIdentity, IdentityProvider } from '../support/live-identity.ts'
import { cookieOf, login, newWallet, signingMessage, withCookie } from '../support/live-session.ts'
import { accepted, assertRefused } from '../support/replies.ts'

// Sessions, API tokens and identity tokens as browsers, programs and thieves use them.

const provider = new IdentityProvider()
const stranger = new IdentityProvider()
const { live } = await exchange({ flags: provider.flags })

test('a wallet logs in, derives a token, uses it, revokes it and logs out', async () => {
  const wallet = newWallet()
  const reply = await login(live, wallet)
  assert.deepEqual(reply.body, {
    account: wallet.address,
    displayName: wallet.address,
    smartWallet: null,
    client: 'eoa',
    tradeWalletOption: null,
  })
  const [set, also] = reply.headers.getSetCookie()
  assert.match(set, /; HttpOnly; SameSite=Lax$/)
  assert.match(set, /; Path=\/; Max-Age=2592000;/)
  assert.ok(!reply.text.includes(set.split(/[=;]/)[1]), 'the body does not show the session')
  const cookie = cookieOf(reply)
  // Clients of other languages look for their own name.
  assert.equal(also, set.replace('outcomex_session', 'limitless_session'))
  const underOther = await withCookie(live, also.split(';')[0], 'GET', '/auth/verify-auth')
  assert.equal(underOther.body, wallet.address)
  const seen = await withCookie(live, cookie, 'GET', '/auth/verify-auth')
  assert.equal(seen.body, wallet.address)

  const path = '/auth/api-tokens/derive'
  const derived = await accepted(withCookie(live, cookie, 'POST', path, { label: 'maker' }), 201)
  const token = {
    tokenId: textAt(derived.body, 'tokenId'),
    secret: textAt(derived.body, 'secret'),
  }
  assert.equal(at(derived.body, 'apiKey'), token.tokenId)
  assert.deepEqual(at(derived.body, 'scopes'), ['trading'])
  assert.equal(derived.headers.get('cache-control'), 'private, no-store')
  const capable = await withCookie(live, cookie, 'GET', '/auth/api-tokens/capabilities')
  assert.deepEqual(at(capable.body, 'allowedScopes'), ['trading'])
  assert.equal((await live.call(token, 'GET', '/auth/api-tokens/capabilities')).text, capable.text)

  for (const listed of [
    await live.call(token, 'GET', '/auth/api-tokens'),
    await withCookie(live, cookie, 'GET', '/auth/api-tokens'),
  ]) {
    assert.equal(at(listed.body, 0, 'tokenId'), token.tokenId)
    assert.equal(at(listed.body, 0, 'label'), 'maker')
    assert.equal(at(listed.body, 1), undefined)
    assert.ok(!listed.text.includes(token.secret), 'a secret is shown once')
  }
  const own = await live.call(token, 'GET', '/profiles/me')
  assert.equal(at(own.body, 'account'), wallet.address)
  const byAccount = await withCookie(live, cookie, 'GET', `/profiles/${wallet.address}`)
  assert.equal(byAccount.text, own.text)

  await revokeAndLeave(token, cookie)
})

async function revokeAndLeave(token: { tokenId: string; secret: string }, cookie: string) {
  const revoked = await live.call(token, 'DELETE', `/auth/api-tokens/${token.tokenId}`)
  assert.deepEqual(revoked.body, { message: 'API token revoked successfully' })
  assertRefused(await live.call(token, 'GET', '/profiles/me'), 401, 'API_KEY_INVALID')
  const again = await withCookie(live, cookie, 'DELETE', `/auth/api-tokens/${token.tokenId}`)
  assertRefused(again, 400, 'TOKEN_UNKNOWN')
  assert.equal((await withCookie(live, cookie, 'GET', '/auth/api-tokens')).text, '[]')

  const left = await accepted(withCookie(live, cookie, 'POST', '/auth/logout'))
  for (const cleared of left.headers.getSetCookie()) {
    assert.match(cleared, /^(outcomex|limitless)_session=; Path=\/; Max-Age=0;/)
  }
  assert.equal(left.headers.getSetCookie().length, 2)
  assertRefused(await withCookie(live, cookie, 'GET', '/auth/verify-auth'), 401, 'SESSION_INVALID')
  assertRefused(await withCookie(live, cookie, 'POST', '/auth/logout'), 401, 'SESSION_INVALID')
}

test('a login proves one account, once, over a fresh message of this server', async () => {
  const wallet = newWallet()
  const message = await signingMessage(live)
  const signature = await wallet.signMessage({ message })
  const thief = newWallet()
  const other = await signingMessage(live)
  const rows = [
    { message, signature, account: thief.address },
    { message: other, signature },
    { message: `${message} `, signature: await wallet.signMessage({ message: `${message} ` }) },
    { message: 'hello', signature: await wallet.signMessage({ message: 'hello' }) },
    { message, signature: signature.slice(0, -2) },
    { message, signature: `${signature}00` },
    { message, signature: '0x' },
    { message, signature: 'x' },
    { message, signature, account: wallet.address.toUpperCase() },
    { message, signature, account: 'alice' },
  ]
  for (const row of rows) assertRefused(await login(live, wallet, row), 400, 'LOGIN_INVALID')
  assertRefused(
    await login(live, wallet, { message, signature, body: { x: 1 } }),
    400,
    'VALIDATION',
  )
  const client = { client: 'etherspot' }
  const noWallet = await login(live, wallet, { message, signature, body: client })
  assertRefused(noWallet, 400, 'SMART_WALLET_REQUIRED')
  assert.equal((await login(live, wallet, { message, signature, asHex: false })).status, 200)
  assertRefused(await login(live, wallet, { message, signature }), 400, 'LOGIN_INVALID')
  const missing = await live.send('POST', '/auth/login')
  assertRefused(missing, 400, 'VALIDATION')
  assert.match(missing.text, /x-account.*x-signing-message.*x-signature/)
})

test('a login takes the message as JSON text, signed with its quotes or without', async () => {
  for (const isSignedQuoted of [true, false]) {
    for (const asHex of [true, false]) {
      const wallet = newWallet()
      const { text } = await live.send('GET', '/auth/signing-message')
      assert.match(text, /^".* Nonce: 0x[0-9a-f]+"$/)
      const signed = isSignedQuoted ? text : String(JSON.parse(text))
      const signature = await wallet.signMessage({ message: signed })
      await accepted(login(live, wallet, { message: text, signature, asHex }))
    }
  }
})

test('of logins with one message at the same moment one opens a session', async () => {
  const wallet = newWallet()
  const message = await signingMessage(live)
  const both = await Promise.all([1, 2, 3, 4].map(() => login(live, wallet, { message })))
  assert.deepEqual(both.map((reply) => reply.status).sort(), [200, 400, 400, 400])
})

test('a message is good for five minutes and a session for thirty days', async () => {
  const wallet = newWallet()
  const message = await signingMessage(live)
  const cookie = cookieOf(await login(live, wallet))
  live.shiftClock(5 * 60_000)
  assertRefused(await login(live, wallet, { message }), 400, 'LOGIN_INVALID')
  live.shiftClock(30 * 24 * 3_600_000)
  assertRefused(await withCookie(live, cookie, 'GET', '/auth/verify-auth'), 401, 'SESSION_INVALID')
  live.shiftClock(-30 * 24 * 3_600_000 - 5 * 60_000)
  assertRefused(await login(live, wallet, { message: 'x' }), 400, 'LOGIN_INVALID')
})

test('a nonce that was burned stays burned when the clock goes back', async () => {
  const wallet = newWallet()
  const message = await signingMessage(live)
  assert.equal((await login(live, wallet, { message })).status, 200)
  live.shiftClock(6 * 60_000)
  assert.equal((await login(live, newWallet())).status, 200)
  live.shiftClock(-6 * 60_000)
  assertRefused(await login(live, wallet, { message }), 400, 'LOGIN_INVALID')
})

test('a cookie alone changes nothing: a call needs a JSON content type', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    const headers = { cookie, ...(type === '' ? {} : { 'content-type': type }) }
    const body = new TextEncoder().encode('{}')
    for (const path of ['/auth/api-tokens/derive', '/auth/logout']) {
      const reply = await live.send('POST', path, { headers, body })
      assertRefused(reply, 415, 'JSON_CONTENT_TYPE')
    }
  }
  assert.equal((await withCookie(live, cookie, 'GET', '/auth/api-tokens')).text, '[]')
  const orders = await withCookie(live, cookie, 'POST', '/orders', {})
  assertRefused(orders, 401, 'UNAUTHENTICATED')
})

test('a forged or doubled cookie is no session', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const name = cookie.split('=')[0]
  for (const forged of [`${cookie}x`, `${name}=`, `${name}=a; ${cookie}`, `${name}="${cookie}"`]) {
    const reply = await withCookie(live, forged, 'GET', '/auth/verify-auth')
    assert.equal(reply.status, 401, reply.text)
  }
  assertRefused(await live.send('GET', '/auth/verify-auth'), 401, 'COOKIE_REQUIRED')
})

test('many logouts of one session at the same moment are harmless', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => withCookie(live, cookie, 'POST', '/auth/logout')),
  )
  for (const reply of replies) assert.ok(reply.status === 200 || reply.status === 401, reply.text)
  assert.equal((await live.send('GET', '/health')).status, 200)
})

test('of many revocations of one token at the same moment one succeeds', async () => {
  const trader = await live.trader(0)
  const path = `/auth/api-tokens/${trader.tokenId}`
  const replies = await Promise.all([1, 2, 3, 4].map(() => live.call(trader, 'DELETE', path)))
  const done = replies.filter((reply) => reply.status === 200)
  assert.equal(done.length, 1)
})

test('a token has only scopes of its profile, and a profile has at most 100 tokens', async () => {
  const cookie = cookieOf(await login(live, newWallet()))
  const derive = (body: unknown) =>
    withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', body)
  for (const scopes of [['withdrawal'], ['trading', 'account_creation']]) {
    assertRefused(await derive({ scopes }), 403, 'SCOPE_NOT_ALLOWED')
  }
  for (const body of [
    { scopes: [] },
    { scopes: ['admin'] },
    { scopes: 'trading' },
    { label: 'x'.repeat(65) },
    { label: 5 },
    { secret: 'mine' },
    [],
    null,
  ]) {
    assertRefused(await derive(body), 400, 'VALIDATION')
  }
  const twice = await derive({ scopes: ['trading', 'trading'] })
  assert.deepEqual(at(twice.body, 'scopes'), ['trading'])
  for (let count = 1; count < 100; count++) assert.equal((await derive({})).status, 201)
  assertRefused(await derive({}), 400, 'TOKEN_LIMIT')
})

/** Scopes a profile may give, scopes requested, and the answer. */
const CAPABILITIES: readonly (readonly [may: string, asks: string, answer: number | string])[] = [
  ['trading', 'trading', 201],
  ['trading', 'trading delegated_signing', 'SCOPE_NOT_ALLOWED'],
  ['trading', 'account_creation', 'SCOPE_NOT_ALLOWED'],
  ['trading delegated_signing', 'trading delegated_signing', 201],
  ['trading delegated_signing', 'delegated_signing', 'SCOPE_NEEDS_TRADING'],
  ['delegated_signing', 'delegated_signing', 'SCOPE_NEEDS_TRADING'],
  ['delegated_signing', 'trading delegated_signing', 'SCOPE_NOT_ALLOWED'],
  ['account_creation withdrawal', 'withdrawal', 201],
  ['account_creation withdrawal', '', 'SCOPE_NOT_ALLOWED'],
  ['trading account_creation delegated_signing withdrawal', '', 201],
]

test('no proof makes a token beyond the capabilities of its profile', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const token = await provider.token(live, wallet.address)
  const own = await withCookie(live, cookie, 'GET', '/profiles/me')
  const path = '/auth/api-tokens/derive'
  for (const [may, asks, answer] of CAPABILITIES) {
    const edited = await live.operator('PATCH', `/admin/profiles/${at(own.body, 'id')}`, {
      scopes: may.split(' '),
    })
    assert.equal(edited.status, 200, edited.text)
    const list = await byIdentity(live, token, 'GET', '/auth/api-tokens/capabilities')
    assert.deepEqual(at(list.body, 'allowedScopes'), may.split(' '))
    const body = asks === '' ? {} : { scopes: asks.split(' ') }
    for (const made of [
      await withCookie(live, cookie, 'POST', path, body),
      await byIdentity(live, token, 'POST', path, body),
    ]) {
      if (typeof answer === 'number') {
        assert.equal(made.status, answer, made.text)
        assert.deepEqual(at(made.body, 'scopes'), (asks || 'trading').split(' '))
      } else assertRefused(made, answer === 'SCOPE_NEEDS_TRADING' ? 400 : 403, answer)
    }
  }
})

test('an identity token of the provider derives and revokes; a forged one is refused', async () => {
  const wallet = newWallet()
  const derive = async (token: string) =>
    byIdentity(live, token, 'POST', '/auth/api-tokens/derive', { scopes: ['trading'] })
  const unknown = await provider.token(live, wallet.address)
  assertRefused(await derive(unknown), 403, 'FORBIDDEN')
  await login(live, wallet)
  const made = await accepted(derive(await provider.token(live, wallet.address)), 201)
  const token = { tokenId: textAt(made.body, 'tokenId'), secret: textAt(made.body, 'secret') }
  assert.equal((await live.call(token, 'GET', '/profiles/me')).status, 200)

  const right = await provider.token(live, wallet.address.toLowerCase())
  const [head, payload, signature] = right.split('.')
  const headOf = (alg: string) => Buffer.from(`{"alg":"${alg}"}`).toString('base64url')
  const names = 'none HS256 RS256 RS384 PS256 PS512 ES256 ES256K ES384 ES512 EdDSA Ed25519 x'
  const forged = [
    ...names.split(' ').flatMap((alg) =>
      ['', 'AAAA', signature].map((each) => {
        const changed = alg === 'ES256' ? 'A'.repeat(86) : each
        return `${headOf(alg)}.${payload}.${changed}`
      }),
    ),
    await stranger.token(live, wallet.address),
    await provider.token(live, wallet.address, { forSec: -60 }),
    await provider.token(live, 'nobody'),
    await provider.token(live, 7),
    `${head}.${payload}.`,
    `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${head}.${payload}`,
    'x',
    'x'.repeat(3000),
  ]
  for (const each of forged) assertRefused(await derive(each), 401, 'IDENTITY_INVALID')
  const list = await byIdentity(live, right, 'GET', '/auth/api-tokens/capabilities')
  assert.equal(list.status, 200)
  const stale = await live.send('GET', '/profiles/me', {
    headers: { identity: `Bearer ${right}`, cookie: 'outcomex_session=ended' },
  })
  assert.equal(at(stale.body, 'account'), wallet.address, 'an ended cookie does no harm')
  const path = `/auth/api-tokens/${token.tokenId}`
  assert.equal((await byIdentity(live, right, 'DELETE', path)).status, 200)
  assertRefused(await live.call(token, 'GET', '/profiles/me'), 401, 'API_KEY_INVALID')
})
