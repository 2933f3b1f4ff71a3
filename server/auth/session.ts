import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '../../engine/domain/limits.ts'
import { parseAddress, sameAddress } from './address.ts'
import { recoverAddress } from './ecdsa.ts'
import { hashPersonalMessage } from './eip712.ts'

// Wallet logins and their cookies. A login nonce is stateless: time ‖ random ‖ MAC, good for five
// minutes under a key of this server. What makes it single-use is the journal: the login command
// burns it, and the caller is asked whether that happened.

export const SESSION_COOKIE = 'outcomex_session'

// One line on purpose: a header can carry it as it is, without the hex form.
const MESSAGE_HEAD =
  'Welcome to outcomex! Sign this message to prove that you own this account. ' +
  'It sends no transaction and costs nothing. Nonce: '
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const MAC_BYTES = 16
const NONCE_BYTES = TIME_BYTES + RANDOM_BYTES + MAC_BYTES
const NONCE_TEXT = /^0x[0-9a-f]+$/
const HEX_TEXT = /^0x(?:[0-9a-fA-F]{2})+$/
const SESSION_BYTES = 32

function macOf(signedPart: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(signedPart).digest().subarray(0, MAC_BYTES)
}

/** The text a wallet signs to log in. */
export function signingMessage(key: Uint8Array, nowMs: number): string {
  const signedPart = Buffer.alloc(TIME_BYTES + RANDOM_BYTES)
  signedPart.writeBigUInt64BE(BigInt(nowMs))
  randomBytes(RANDOM_BYTES).copy(signedPart, TIME_BYTES)
  const nonce = Buffer.concat([signedPart, macOf(signedPart, key)])
  return `${MESSAGE_HEAD}0x${nonce.toString('hex')}`
}

/** When the nonce of a signing message ends, or undefined if this server never gave it out. */
function nonceExpiresMs(nonce: string, key: Uint8Array): number | undefined {
  if (nonce.length !== 2 + 2 * NONCE_BYTES || !NONCE_TEXT.test(nonce)) return undefined
  const bytes = Buffer.from(nonce.slice(2), 'hex')
  const signedPart = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  const given = bytes.subarray(TIME_BYTES + RANDOM_BYTES)
  if (!timingSafeEqual(given, macOf(signedPart, key))) return undefined
  return Number(bytes.readBigUInt64BE()) + LIMITS.loginNonceMs
}

export interface LoginAttempt {
  /** Header `x-account`. */
  readonly account: string
  /** Header `x-signing-message`: the text itself, or 0x and the hex of its UTF-8 bytes. */
  readonly signingMessage: string
  /** Header `x-signature`. */
  readonly signature: string
}

export interface ProvenLogin {
  readonly account: Uint8Array
  readonly nonce: string
  readonly nonceExpiresMs: number
}

export interface LoginRules {
  readonly key: Uint8Array
  readonly nowMs: number
  readonly isNonceBurned: (nonce: string) => boolean
}

/** Who logs in, or undefined when the signature does not prove the account over a fresh message. */
export function proveLogin(attempt: LoginAttempt, rules: LoginRules): ProvenLogin | undefined {
  const account = parseAddress(attempt.account)
  if (account === undefined) return undefined
  const given = attempt.signingMessage
  const text = HEX_TEXT.test(given) ? Buffer.from(given.slice(2), 'hex').toString('utf8') : given
  if (!text.startsWith(MESSAGE_HEAD)) return undefined
  const nonce = text.slice(MESSAGE_HEAD.length)
  const expiresMs = nonceExpiresMs(nonce, rules.key)
  if (expiresMs === undefined || rules.nowMs >= expiresMs) return undefined
  if (rules.isNonceBurned(nonce)) return undefined
  if (!HEX_TEXT.test(attempt.signature)) return undefined
  const signature = Buffer.from(attempt.signature.slice(2), 'hex')
  const signer = recoverAddress(hashPersonalMessage(text), signature)
  if (signer === undefined || !sameAddress(signer, account)) return undefined
  return { account, nonce, nonceExpiresMs: expiresMs }
}

/** A fresh session: its text goes into the cookie, only its digest into the journal. */
export function mintSession(): { token: string; digest: string } {
  const token = randomBytes(SESSION_BYTES).toString('base64url')
  return { token, digest: digestOf(token) }
}

/** Lowercase hex SHA-256 of a bearer text, the form in which the exchange keeps it. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** `Set-Cookie` value; an empty token with age 0 clears the cookie. */
export function sessionCookie(token: string, maxAgeMs: number, isTls: boolean): string {
  const maxAgeSec = Math.floor(maxAgeMs / 1000)
  const secure = isTls ? '; Secure' : ''
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`
}
