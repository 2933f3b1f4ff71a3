import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  digestOf,
  mintSession,
  type Purpose,
  proveWallet,
  sessionCookies,
  signingMessage,
} from '../../../server/auth/session.ts'
import { SESSION_COOKIES } from '../../../server/auth/session-names.ts'
import { formatAddress } from '../../../server/crypto/address.ts'
import { signHash } from '../../../server/crypto/ecdsa.ts'
import { hashPersonalMessage } from '../../../server/crypto/eip712.ts'
import { keccakReady } from '../../../server/crypto/keccak.ts'
import { accountOf } from '../../../server/edge/intake/order/client-order.ts'
import { KEY, NOW_MS, OTHER_KEY } from '../edge/intake/order-kit.ts'

before(() => keccakReady)

const SIGNING = { key: Buffer.alloc(32, 9), host: 'exchange.example', chainId: 8453 }
const LOGIN: Purpose = { kind: 'login' }
const RULES = { signing: SIGNING, purpose: LOGIN, nowMs: NOW_MS, isNonceBurned: () => false }

function sign(message: string, key = KEY): string {
  return `0x${Buffer.from(signHash(hashPersonalMessage(message), key)).toString('hex')}`
}

function attempt(message: string) {
  return { account: accountOf(KEY), signingMessage: message, signature: sign(message) }
}

const messageFor = (purpose: Purpose, account = '') =>
  signingMessage(SIGNING, purpose, account, NOW_MS)

test('a login message says on one line its account, host, purpose and time', () => {
  const issued = new Date(NOW_MS).toISOString()
  const account = accountOf(KEY)
  const rows: [message: string, parts: string[]][] = [
    [messageFor(LOGIN), ['Purpose: log in. Chain ID: 8453.']],
    [messageFor(LOGIN, account), ['Purpose: log in.', ` Account: ${account}. `]],
    [
      messageFor({ kind: 'sub-account', partnerId: 7 }),
      ['Purpose: become a sub-account of the partner with profile id 7.'],
    ],
    [
      messageFor({ kind: 'login', smartWallet: accountOf(OTHER_KEY) }, account),
      [`use the smart wallet ${accountOf(OTHER_KEY)}.`, `Account: ${account}.`],
    ],
  ]
  for (const [message, parts] of rows) {
    assert.match(message, /^[\x20-\x7e]+ Nonce: 0x[0-9a-f]+$/, 'a header can carry it')
    for (const part of ['exchange.example asks you', `Issued At: ${issued}. Nonce:`, ...parts]) {
      assert.ok(message.includes(part), `${part} in ${message}`)
    }
  }
  assert.ok(!messageFor(LOGIN).includes('Account:'), 'no account is named unasked')
})

test('a wallet proves itself by text, JSON or hex, and by each message once', () => {
  for (const message of [messageFor(LOGIN), messageFor(LOGIN, accountOf(KEY))]) {
    const quoted = JSON.stringify(message)
    const hex = (text: string) => `0x${Buffer.from(text).toString('hex')}`
    for (const signingMessage of [message, quoted, hex(message), hex(quoted)]) {
      for (const signature of [sign(message), sign(quoted)]) {
        const proven = proveWallet({ account: accountOf(KEY), signingMessage, signature }, RULES)
        assert.ok(proven, signingMessage)
        assert.equal(formatAddress(proven.account), accountOf(KEY))
        assert.equal(proven.nonceExpiresMs, NOW_MS + LIMITS.loginNonceMs)
        const burned = { ...RULES, isNonceBurned: (nonce: string) => nonce === proven.nonce }
        assert.equal(proveWallet(attempt(message), burned), undefined)
      }
    }
  }
})

test('a message is valid only for its own purpose, partner, wallet and account', () => {
  const wallet = accountOf(OTHER_KEY)
  const purposes: Purpose[] = [
    LOGIN,
    { kind: 'login', smartWallet: wallet },
    { kind: 'login', smartWallet: accountOf(KEY) },
    { kind: 'sub-account', partnerId: 7 },
    { kind: 'sub-account', partnerId: 77 },
  ]
  for (const made of purposes) {
    for (const purpose of purposes) {
      const proven = proveWallet(attempt(messageFor(made)), { ...RULES, purpose })
      assert.equal(proven !== undefined, made === purpose, JSON.stringify([made, purpose]))
    }
  }
  assert.equal(proveWallet(attempt(messageFor(LOGIN, wallet)), RULES), undefined)
  const lower = messageFor(LOGIN, accountOf(KEY).toLowerCase())
  assert.equal(proveWallet(attempt(lower), RULES), undefined)
  for (const other of [{ host: 'evil.example' }, { chainId: 1 }, { key: Buffer.alloc(32, 8) }]) {
    const signing = { ...SIGNING, ...other }
    assert.equal(proveWallet(attempt(messageFor(LOGIN)), { ...RULES, signing }), undefined)
  }
})

test('a wrong signature, account, text, time or nonce proves no wallet', () => {
  const message = messageFor(LOGIN)
  const good = attempt(message)
  assert.ok(proveWallet(good, RULES))
  const text = (edited: string) => ({ ...good, signingMessage: edited, signature: sign(edited) })
  const nonceOf = (from: string) => from.slice(from.lastIndexOf('0x'))
  const partner = messageFor({ kind: 'sub-account', partnerId: 7 })
  const rows: [string, typeof good][] = [
    ['another wallet', { ...good, signature: sign(message, OTHER_KEY) }],
    ['another account', { ...good, account: accountOf(OTHER_KEY) }],
    ['a wrong checksum', { ...good, account: good.account.replace('E7E376', 'e7E376') }],
    ['no account', { ...good, account: '' }],
    ['no signature', { ...good, signature: '' }],
    ['half a signature', { ...good, signature: good.signature.slice(0, 100) }],
    ['a huge signature', { ...good, signature: `0x${'11'.repeat(50_000)}` }],
    ['no message', text('')],
    ['quotes alone', text('"')],
    ['an empty text', text('""')],
    ['one quote', text(`"${message}`)],
    ['two pairs of quotes', text(`""${message}""`)],
    ['another host', text(message.replace('exchange.example', 'evil.example'))],
    ['another purpose', text(message.replace('log in', 'trade'))],
    ['another time', text(message.replace('Issued At: 2', 'Issued At: 3'))],
    ['an inserted account', text(message.replace(' Chain', ` Account: ${good.account}. Chain`))],
    ['the nonce of another purpose', text(message.replace(nonceOf(message), nonceOf(partner)))],
    ['text before it', text(`x${message}`)],
    ['text after it', text(`${message} `)],
    ['a second nonce', text(`${message} Nonce: ${nonceOf(message)}`)],
    ['a foreign nonce', text(message.replace(/0x[0-9a-f]+$/, `0x${'ab'.repeat(40)}`))],
    ['a time beyond every date', text(message.replace(/0x[0-9a-f]+$/, `0x${'ff'.repeat(40)}`))],
    ['a shorter nonce', text(message.slice(0, -2))],
    ['a later nonce', text(message.replace(/0x0/, '0x1'))],
    ['a nonce in capitals', text(message.replace(/[0-9a-f]+$/, (hex) => hex.toUpperCase()))],
  ]
  for (const [label, wrong] of rows) assert.equal(proveWallet(wrong, RULES), undefined, label)
  const lateMs = NOW_MS + LIMITS.loginNonceMs
  assert.ok(proveWallet(good, { ...RULES, nowMs: lateMs - 1 }))
  assert.equal(proveWallet(good, { ...RULES, nowMs: lateMs }), undefined)
})

test('a session is stored as a digest and carried by an HttpOnly cookie', () => {
  const { token, digest } = mintSession()
  assert.equal(Buffer.from(token, 'base64url').length, 32)
  assert.equal(digestOf(token), digest)
  assert.match(digest, /^[0-9a-f]{64}$/)
  const plain = { isSecure: false, names: SESSION_COOKIES }
  assert.deepEqual(sessionCookies('abc', 5000, plain), [
    ['set-cookie', 'outcomex_session=abc; Path=/; Max-Age=5; HttpOnly; SameSite=Lax'],
    ['set-cookie', 'limitless_session=abc; Path=/; Max-Age=5; HttpOnly; SameSite=Lax'],
  ])
  const [[, cleared]] = sessionCookies('', 0, { isSecure: true, names: ['own'] })
  assert.match(cleared, /^__Host-own=; .*Max-Age=0; HttpOnly; SameSite=Lax; Secure$/)
})
