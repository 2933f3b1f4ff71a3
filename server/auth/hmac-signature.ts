import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Scope } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT, type Reject, SCOPE_REJECT } from '../../engine/domain/reject-precedence.ts'
import type { Extra } from '../messages/refusal.ts'

// API tokens. The id names the profile, and the secret signs each call (rules §12.1).

const SECRET_BYTES = 32
const TOKEN_ID_BYTES = 16
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

interface SignedCall {
  /** The decoded secret of the token. */
  readonly secret: Uint8Array
  readonly timestamp: string
  readonly method: string
  readonly pathWithQuery: string
  readonly body: Uint8Array
  readonly signature: string
  readonly nowMs: number
}

/** Unix ms of an ISO 8601 instant with an offset; NaN for any other text. */
export function parseInstant(text: string): number {
  return ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN
}

function digestOf(call: Omit<SignedCall, 'signature' | 'nowMs'>): string {
  return createHmac('sha256', call.secret)
    .update(`${call.timestamp}\n${call.method}\n${call.pathWithQuery}\n`)
    .update(call.body)
    .digest('base64')
}

/** The refusal truncates a signed text longer than any real client sends. */
const SIGNED_CHARACTERS_MAX = 1024

/**
 * The message and fields of HMAC_INVALID: the signed text, which the caller itself supplied, and
 * the digest of its body. It contains neither the secret nor the correct signature.
 */
export function hmacRefusal(call: Omit<SignedCall, 'signature' | 'nowMs' | 'secret'>): Extra {
  const head = `${call.timestamp}\n${call.method}\n${call.pathWithQuery}\n`
  const isLong = head.length > SIGNED_CHARACTERS_MAX
  const text = isLong ? `${head.slice(0, SIGNED_CHARACTERS_MAX)}…` : head
  const bodyBytes = call.body.length
  const bodySha256 = createHash('sha256').update(call.body).digest('hex')
  const message =
    'The HMAC signature does not match the request. Sign `signed.text`, followed by the bytes of ' +
    `the body (${bodyBytes}), by HMAC-SHA256 with the decoded secret of the API token, in base64.`
  return { message, signed: { text, bodyBytes, bodySha256 } }
}

/** The signature header of a call, for the command line, the demo and tests. */
export function signCall(call: Omit<SignedCall, 'signature' | 'nowMs'>): string {
  return digestOf(call)
}

/**
 * Compares in constant time, so timing does not reveal where the texts differ. It compares texts,
 * not bytes, so only one spelling of a digest or a secret is accepted.
 */
function isSameText(given: string, right: string): boolean {
  if (given.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < right.length; at++) {
    difference |= given.charCodeAt(at) ^ right.charCodeAt(at)
  }
  return difference === 0
}

/** Whether `given` is the secret of a token in base64, as issued. Runs in constant time. */
export function isTokenSecret(given: string, secret: Uint8Array): boolean {
  return isSameText(given, Buffer.from(secret).toString('base64'))
}

/** Null, or the reason why the three headers do not prove the owner of the token. */
export function verifyHmac(
  call: SignedCall,
  skewMsMax: number = LIMITS.signatureSkewMs,
): Reject | null {
  const skewMs = Math.abs(call.nowMs - parseInstant(call.timestamp))
  if (!(skewMs <= skewMsMax)) return REJECT.TIMESTAMP_INVALID
  return isSameText(call.signature, digestOf(call)) ? null : REJECT.HMAC_INVALID
}

/** Creates a token. The secret leaves the server once, as base64, and is stored sealed. */
export function mintToken(): { tokenId: string; secret: Buffer } {
  return {
    tokenId: randomBytes(TOKEN_ID_BYTES).toString('base64url'),
    secret: randomBytes(SECRET_BYTES),
  }
}

/** The decrypted secret of a token, and its scopes. */
interface OpenToken {
  readonly secret: Uint8Array
  readonly scopes: readonly string[]
}

/** Null, or the first reason why the call does not prove its token or lacks a scope. */
export function checkTokenCall(
  token: OpenToken | undefined,
  apiKey: string,
  call: Omit<SignedCall, 'secret'>,
  scopes: readonly Scope[],
  skewMsMax: number = LIMITS.signatureSkewMs,
): Reject | null {
  if (apiKey === '') return REJECT.UNAUTHENTICATED
  if (token === undefined) return REJECT.API_KEY_INVALID
  const { timestamp, method, pathWithQuery, body, signature, nowMs } = call
  const { secret } = token
  const signed = { secret, timestamp, method, pathWithQuery, body, signature, nowMs }
  const reject = verifyHmac(signed, skewMsMax)
  if (reject !== null) return reject
  const missing = scopes.find((scope) => !token.scopes.includes(scope))
  return missing === undefined ? null : REJECT[SCOPE_REJECT[missing]]
}
