import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { MS_PER_SEC } from '../../engine/domain/units.ts'
import { formatAddress, parseAddress, sameAddress } from '../crypto/address.ts'
import { recoverAddress } from '../crypto/ecdsa.ts'
import { hashPersonalMessage } from '../crypto/eip712.ts'
import type { Header } from '../messages/call.ts'
import { isoText } from '../messages/iso-text.ts'
import { type CookieNaming, sessionCookieNames } from './session-names.ts'

// Wallet proofs and session cookies. A signed message states its purpose. Its nonce is stateless:
// time ‖ random ‖ MAC of both and of the whole text before it, valid for five minutes under a key
// of this server. The journal makes it single-use: the command that uses a nonce burns it, and
// callers check `isNonceBurned`.

/** The text between the message and its nonce. */
const NONCE_HEAD = ' Nonce: '
const TIME_BYTES = 8
const RANDOM_BYTES = 16
const MAC_BYTES = 16
const NONCE_BYTES = TIME_BYTES + RANDOM_BYTES + MAC_BYTES
const NONCE_TEXT = /^0x[0-9a-f]+$/
const HEX_TEXT = /^0x(?:[0-9a-fA-F]{2})+$/
const SESSION_BYTES = 32

/** The server that issues the messages. */
export interface Signing {
  /** A key known only to this server. */
  readonly key: Uint8Array
  /** The public host and port. */
  readonly host: string
  readonly chainId: number
}

/** What a signature is valid for. A signature for one purpose is never valid for another. */
export type Purpose =
  /** With `smartWallet`, the signature also proves that this wallet belongs to the account. */
  | { readonly kind: 'login'; readonly smartWallet?: string | undefined }
  | { readonly kind: 'sub-account'; readonly partnerId: ProfileId }

function purposeText(purpose: Purpose): string {
  if (purpose.kind === 'sub-account') {
    return `become a sub-account of the partner with profile id ${purpose.partnerId}`
  }
  const { smartWallet } = purpose
  return smartWallet === undefined ? 'log in' : `log in and use the smart wallet ${smartWallet}`
}

/**
 * The message without its nonce, on one line so that a header can carry it. It includes the account
 * when one was named ('' when not), so a wallet shows which account it signs for.
 */
function textOf(signing: Signing, purpose: Purpose, account: string, issuedMs: number): string {
  const whose = account === '' ? '' : ` Account: ${account}.`
  return (
    `${signing.host} asks you to sign this message; it sends no transaction and costs nothing. ` +
    `Purpose: ${purposeText(purpose)}.${whose} Chain ID: ${signing.chainId}. ` +
    `Issued At: ${isoText(issuedMs)}.`
  )
}

function macOf(signedPart: Uint8Array, text: string, key: Uint8Array): Buffer {
  const mac = createHmac('sha256', key).update(signedPart).update(text, 'utf8')
  return mac.digest().subarray(0, MAC_BYTES)
}

/** The text that a wallet signs; `account` is checksummed, or '' for none. */
export function signingMessage(
  signing: Signing,
  purpose: Purpose,
  account: string,
  nowMs: number,
): string {
  const signedPart = Buffer.alloc(TIME_BYTES + RANDOM_BYTES)
  signedPart.writeBigUInt64BE(BigInt(nowMs))
  randomBytes(RANDOM_BYTES).copy(signedPart, TIME_BYTES)
  const text = textOf(signing, purpose, account, nowMs)
  const nonce = Buffer.concat([signedPart, macOf(signedPart, text, signing.key)])
  return `${text}${NONCE_HEAD}0x${nonce.toString('hex')}`
}

/** When the nonce was issued for this text; undefined when this server did not issue it. */
function issuedMsOf(nonce: string, text: string, key: Uint8Array): number | undefined {
  if (nonce.length !== 2 + 2 * NONCE_BYTES || !NONCE_TEXT.test(nonce)) return undefined
  const bytes = Buffer.from(nonce.slice(2), 'hex')
  const signedPart = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  const given = bytes.subarray(TIME_BYTES + RANDOM_BYTES)
  if (!timingSafeEqual(given, macOf(signedPart, text, key))) return undefined
  return Number(bytes.readBigUInt64BE())
}

export interface WalletProof {
  /** Header `x-account`. */
  readonly account: string
  /**
   * Header `x-signing-message`: the text, with or without the quotes of its JSON string, or 0x and
   * the hex of its UTF-8 bytes.
   */
  readonly signingMessage: string
  /** Header `x-signature`. */
  readonly signature: string
}

export interface ProvenLogin {
  readonly account: Uint8Array
  readonly nonce: string
  readonly nonceExpiresMs: number
}

export interface ProofRules {
  readonly signing: Signing
  readonly purpose: Purpose
  readonly nowMs: number
  readonly isNonceBurned: (nonce: string) => boolean
}

/** The message in a header, without quotes. */
function messageIn(given: string): string {
  const text = HEX_TEXT.test(given) ? Buffer.from(given.slice(2), 'hex').toString('utf8') : given
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"')
  return isQuoted ? text.slice(1, -1) : text
}

/** Whether the account signed the message, or the message with the quotes of its JSON string. */
export function signedMessage(given: string, signature: string, account: Uint8Array): boolean {
  if (!HEX_TEXT.test(signature)) return false
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const message = messageIn(given)
  return [message, `"${message}"`].some((text) => {
    const signer = recoverAddress(hashPersonalMessage(text), bytes)
    return signer !== undefined && sameAddress(signer, account)
  })
}

/**
 * The account that signed; undefined when the signature does not prove it over a fresh message of
 * this purpose.
 */
export function proveWallet(proof: WalletProof, rules: ProofRules): ProvenLogin | undefined {
  const { signing, purpose, nowMs } = rules
  const account = parseAddress(proof.account)
  if (account === undefined) return undefined
  const message = messageIn(proof.signingMessage)
  const at = message.lastIndexOf(NONCE_HEAD)
  if (at < 0) return undefined
  const text = message.slice(0, at)
  const nonce = message.slice(at + NONCE_HEAD.length)
  const issuedMs = issuedMsOf(nonce, text, signing.key)
  if (issuedMs === undefined || nowMs >= issuedMs + LIMITS.loginNonceMs) return undefined
  const named = ['', formatAddress(account)]
  if (!named.some((name) => text === textOf(signing, purpose, name, issuedMs))) return undefined
  if (rules.isNonceBurned(nonce)) return undefined
  if (!signedMessage(proof.signingMessage, proof.signature, account)) return undefined
  return { account, nonce, nonceExpiresMs: issuedMs + LIMITS.loginNonceMs }
}

/** Creates a session. Its token goes into the cookie, and only its digest into the journal. */
export function mintSession(): { token: string; digest: string } {
  const token = randomBytes(SESSION_BYTES).toString('base64url')
  return { token, digest: digestOf(token) }
}

/** Lowercase hex SHA-256 of a bearer token, the form in which the exchange stores it. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex')
}

/** `Set-Cookie` headers, one per name; an empty token with age 0 clears the cookies. */
export function sessionCookies(token: string, maxAgeMs: number, naming: CookieNaming): Header[] {
  const maxAgeSec = Math.floor(maxAgeMs / MS_PER_SEC)
  const secure = naming.isSecure ? '; Secure' : ''
  return sessionCookieNames(naming).map((name) => [
    'set-cookie',
    `${name}=${token}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`,
  ])
}
