import assert from 'node:assert/strict'
import { rejectOf } from '../../../../engine/domain/reject-precedence.ts'
import { signCall } from '../../../../server/auth/hmac-signature.ts'
import { ZERO_ADDRESS } from '../../../../server/crypto/address.ts'
import { Directory, type DirectoryChange } from '../../../../server/edge/intake/directory.ts'
import { Intake } from '../../../../server/edge/intake/intake.ts'
import {
  accountOf,
  type ClientOrder,
  signClientOrder,
} from '../../../../server/edge/intake/order/client-order.ts'
import { RESULT } from '../../../../server/messages/intake-layout.ts'
import type { IntakeRequest } from '../../../../server/messages/order-intake.ts'
import { rejectName } from '../../../support/reject-name.ts'

// Orders as a client makes them, for the tests of the intake.

export const DOMAIN = { name: 'Limitless CTF Exchange', chainId: 8453 }
export const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
export const KEY = new Uint8Array(32).fill(0x11)
export const OTHER_KEY = new Uint8Array(32).fill(0x22)
export const NOW_MS = Date.parse('2026-01-01T00:00:00.000Z')
export const YES = '123456789'
export const NO = String(2n ** 255n + 77n)
export const SECRET = Buffer.from('secret-key-example-base64-encoded')

export const MARKET: Extract<DirectoryChange, { kind: 'market' }> = {
  kind: 'market',
  marketId: 42,
  book: 7,
  slug: 'rain',
  yesTokenId: YES,
  noTokenId: NO,
  exchangeAddress: EXCHANGE,
  feeEnabled: false,
}

export function tokenEntry(tokenId = 'alice-token', tokenNo = 1) {
  const account = accountOf(KEY)
  return { tokenNo, tokenId, profileId: 7, account, scopes: ['trading'] as const, secret: SECRET }
}

export function directory(): Directory {
  const known = new Directory(DOMAIN)
  const secretBase64 = SECRET.toString('base64')
  const token = tokenEntry()
  known.apply({ ...token, kind: 'token', secretBase64 })
  const reader = { ...token, tokenNo: 2, tokenId: 'reader', scopes: [] }
  known.apply({ ...reader, kind: 'token', secretBase64 })
  known.apply(MARKET)
  return known
}

export function unsignedOrder(): ClientOrder {
  return {
    salt: 1778155025318314,
    maker: accountOf(KEY),
    signer: accountOf(KEY),
    taker: ZERO_ADDRESS,
    tokenId: YES,
    makerAmount: 6_500_000,
    takerAmount: 10_000_000,
    expiration: '0',
    nonce: 0,
    feeRateBps: 300,
    side: 0,
    signatureType: 0,
    signature: '',
  }
}

/** Signs the order for the exchange at `exchange` on `chainId`. */
export function signed(order: ClientOrder, key = KEY, exchange = EXCHANGE, chainId = 8453) {
  return signClientOrder(order, { name: DOMAIN.name, chainId, exchange }, key)
}

export function orderBody(order: ClientOrder = signed(unsignedOrder())) {
  return { order, ownerId: 7, orderType: 'GTC', marketSlug: 'rain' }
}

/** A call of POST /orders with valid headers for `body`, then changed by `overrides`. */
export function request(body: string | Uint8Array, overrides: Partial<IntakeRequest> = {}) {
  const timestamp = new Date(NOW_MS).toISOString()
  const method = 'POST'
  const pathWithQuery = '/orders'
  const raw = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
  const call = { secret: SECRET, timestamp, method, pathWithQuery, body: raw }
  const signature = signCall(call)
  const right = { requestId: 5, method, pathWithQuery, apiKey: 'alice-token', timestamp, signature }
  return { ...right, body: raw, nowMs: NOW_MS, ...overrides }
}

export function check(call: IntakeRequest) {
  const result = Buffer.from(new Intake(directory()).check(call))
  const recordEnd = RESULT.record + result.readUInt32LE(RESULT.recordBytes)
  return {
    name: rejectName(rejectOf(result.readUInt16LE(RESULT.rejectNumber))),
    verdict: result[RESULT.verdict],
    profileId: result.readUInt32LE(RESULT.profileId),
    ownerId: result.readDoubleLE(RESULT.ownerId),
    timestampMs: result.readDoubleLE(RESULT.timestampMs),
    recvWindowMs: result.readUInt32LE(RESULT.recvWindowMs),
    record: new Uint8Array(result.subarray(RESULT.record, recordEnd)),
    text: result.toString('utf8', recordEnd),
  }
}

export function send(body: unknown, overrides = {}) {
  return check(request(JSON.stringify(body), overrides))
}

/** The fields that the refusal of a body names. */
export function blamed(body: unknown): string[] {
  const result = send(body)
  assert.equal(result.name, 'VALIDATION', result.text)
  const issues: { field: string; message: string }[] = JSON.parse(result.text)
  return issues.map((issue) => issue.field)
}
