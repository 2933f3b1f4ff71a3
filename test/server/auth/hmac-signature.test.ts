import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT, type Reject } from '../../../engine/domain/reject-precedence.ts'
import {
  mintToken,
  parseInstant,
  signCall,
  verifyHmac,
} from '../../../server/auth/hmac-signature.ts'

const CALL = {
  secret: Buffer.from('c2VjcmV0LWtleS1leGFtcGxlLWJhc2U2NC1lbmNvZGVk', 'base64'),
  timestamp: '2026-01-01T00:00:00.000Z',
  method: 'GET',
  pathWithQuery: '/portfolio/positions',
  body: new Uint8Array(0),
}
const SIGNATURE = 'k2QEAeBRBBXtTrh4XTGrtMyoSkkE3B8i8Ahsw8FP1gY='
const NOW_MS = Date.parse(CALL.timestamp)
const GOOD = { ...CALL, signature: SIGNATURE, nowMs: NOW_MS }

test('the example call of the rules has the signature that the rules give', () => {
  assert.equal(signCall(CALL), SIGNATURE)
  assert.equal(verifyHmac(GOOD), null)
})

test('a signed call is valid for thirty seconds before and after its timestamp', () => {
  const rows: [offsetMs: number, expected: Reject | null][] = [
    [30_000, null],
    [-30_000, null],
    [30_001, REJECT.TIMESTAMP_INVALID],
    [-30_001, REJECT.TIMESTAMP_INVALID],
  ]
  for (const [offsetMs, expected] of rows) {
    assert.equal(verifyHmac({ ...GOOD, nowMs: NOW_MS + offsetMs }), expected)
  }
})

test('a timestamp is an ISO 8601 instant with its offset', () => {
  for (const text of [
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.123456Z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T05:30:00.000+05:30',
  ]) {
    assert.ok(Math.abs(parseInstant(text) - NOW_MS) < 1000, text)
  }
  for (const text of [
    '',
    '1767225600000',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T25:00:00Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '+002026-01-01T00:00:00Z',
    'Thu, 01 Jan 2026 00:00:00 GMT',
  ]) {
    assert.ok(Number.isNaN(parseInstant(text)), text)
    assert.equal(verifyHmac({ ...GOOD, timestamp: text }), REJECT.TIMESTAMP_INVALID, text)
  }
})

test('another spelling of the signature, or another call, is refused', () => {
  const rows = [
    { signature: '' },
    { signature: SIGNATURE.slice(0, -1) },
    { signature: `${SIGNATURE}=` },
    { signature: ` ${SIGNATURE}` },
    { signature: SIGNATURE.replace('gY=', 'gZ=') },
    { signature: SIGNATURE.toLowerCase() },
    { signature: Buffer.from(SIGNATURE, 'base64').toString('hex') },
    { signature: `${SIGNATURE.slice(0, -2)}é` },
    { signature: 'é'.repeat(22) },
    { method: 'get' },
    { pathWithQuery: '/portfolio/positions?' },
    { body: Buffer.from('\n') },
    { secret: Buffer.from('secret') },
    { timestamp: '2026-01-01T00:00:00Z' },
  ]
  for (const wrong of rows) {
    assert.equal(verifyHmac({ ...GOOD, ...wrong }), REJECT.HMAC_INVALID, JSON.stringify(wrong))
  }
})

test('each minted token is different', () => {
  const tokens = Array.from({ length: 50 }, mintToken)
  assert.equal(new Set(tokens.map((token) => token.tokenId)).size, 50)
  assert.equal(new Set(tokens.map((token) => token.secret.toString('hex'))).size, 50)
  assert.ok(tokens.every((token) => token.secret.length === 32))
})
