import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { formatAddress } from '../../../server/auth/address.ts'
import { accountOf } from '../../../server/auth/client-order.ts'
import { signHash } from '../../../server/auth/ecdsa.ts'
import { hashPersonalMessage } from '../../../server/auth/eip712.ts'
import { keccakReady } from '../../../server/auth/keccak.ts'
import {
  digestOf,
  mintSession,
  proveLogin,
  sessionCookie,
  signingMessage,
} from '../../../server/auth/session.ts'
import { KEY, NOW_MS, OTHER_KEY } from './order-kit.ts'

before(() => keccakReady)

const SERVER_KEY = Buffer.alloc(32, 9)
const RULES = { key: SERVER_KEY, nowMs: NOW_MS, isNonceBurned: () => false }

function sign(message: string, key = KEY): string {
  return `0x${Buffer.from(signHash(hashPersonalMessage(message), key)).toString('hex')}`
}

function attempt(message: string) {
  return { account: accountOf(KEY), signingMessage: message, signature: sign(message) }
}

test('a wallet logs in over a fresh message, as it is or as hex, at most once', () => {
  const message = signingMessage(SERVER_KEY, NOW_MS)
  assert.match(message, /Nonce: 0x[0-9a-f]+$/)
  assert.doesNotMatch(message, /[^\x20-\x7e]/, 'a header can carry it')
  const hex = `0x${Buffer.from(message).toString('hex')}`
  for (const signingMessage of [message, hex]) {
    const proven = proveLogin({ ...attempt(message), signingMessage }, RULES)
    assert.ok(proven)
    assert.equal(formatAddress(proven.account), accountOf(KEY))
    assert.equal(proven.nonceExpiresMs, NOW_MS + LIMITS.loginNonceMs)
    const burned = { ...RULES, isNonceBurned: (nonce: string) => nonce === proven.nonce }
    assert.equal(proveLogin(attempt(message), burned), undefined)
  }
})

test('no other signature, account, text, time or server key logs in', () => {
  const message = signingMessage(SERVER_KEY, NOW_MS)
  const good = attempt(message)
  assert.ok(proveLogin(good, RULES))
  const text = (edited: string) => ({ ...good, signingMessage: edited, signature: sign(edited) })
  const rows: [string, typeof good][] = [
    ['another wallet', { ...good, signature: sign(message, OTHER_KEY) }],
    ['another account', { ...good, account: accountOf(OTHER_KEY) }],
    ['a wrong checksum', { ...good, account: good.account.replace('E7E376', 'e7E376') }],
    ['no account', { ...good, account: '' }],
    ['no signature', { ...good, signature: '' }],
    ['half a signature', { ...good, signature: good.signature.slice(0, 100) }],
    ['a huge signature', { ...good, signature: `0x${'11'.repeat(50_000)}` }],
    ['no message', text('')],
    ['another text', text(message.replace('Welcome', 'Transfer'))],
    ['text before it', text(`x${message}`)],
    ['text after it', text(`${message} `)],
    ['a nonce of its own', text(message.replace(/0x[0-9a-f]+$/, `0x${'ab'.repeat(40)}`))],
    ['a shorter nonce', text(message.slice(0, -2))],
    ['a later nonce', text(message.replace(/0x0/, '0x1'))],
    ['a nonce in capitals', text(message.replace(/[0-9a-f]+$/, (hex) => hex.toUpperCase()))],
  ]
  for (const [label, wrong] of rows) assert.equal(proveLogin(wrong, RULES), undefined, label)
  const lateMs = NOW_MS + LIMITS.loginNonceMs
  assert.ok(proveLogin(good, { ...RULES, nowMs: lateMs - 1 }))
  assert.equal(proveLogin(good, { ...RULES, nowMs: lateMs }), undefined)
  assert.equal(proveLogin(good, { ...RULES, key: Buffer.alloc(32, 8) }), undefined)
})

test('a session is kept by its digest and carried by a guarded cookie', () => {
  const { token, digest } = mintSession()
  assert.equal(Buffer.from(token, 'base64url').length, 32)
  assert.equal(digestOf(token), digest)
  assert.match(digest, /^[0-9a-f]{64}$/)
  assert.equal(
    sessionCookie('abc', 5000, false),
    'outcomex_session=abc; Path=/; Max-Age=5; HttpOnly; SameSite=Lax',
  )
  assert.match(sessionCookie('', 0, true), /Max-Age=0; HttpOnly; SameSite=Lax; Secure$/)
})
