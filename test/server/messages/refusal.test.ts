import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { invalid, refusalStatus, refuse } from '../../../server/messages/refusal.ts'

/** The codes that the API spells in lower case. */
const MODE_CODES = new Set<string>(['POST_ONLY_MODE', 'CANCEL_ONLY_MODE', 'TRADING_DISABLED'])

test('every refusal has the four fields, and only 503 and 429 ask to wait', () => {
  for (const reject of Object.values(REJECT)) {
    const { name, sentence } = reject
    const refusal = refuse(name)
    const body = JSON.parse(refusal.body)
    const scope = /^SCOPE_MISSING_(.+)$/.exec(name)?.[1]
    const more = scope === undefined ? [] : ['scope']
    assert.deepEqual(Object.keys(body), ['message', 'error', 'statusCode', 'code', ...more])
    assert.equal(body.scope, scope?.toLowerCase())
    assert.deepEqual([body.message, body.statusCode], [sentence, refusal.status])
    const code = MODE_CODES.has(name) ? name.toLowerCase() : name
    assert.equal(body.code, scope === undefined ? code : 'SCOPE_MISSING')
    assert.equal(refusal.status, refusalStatus(name))
    // A lost answer of the leader is no state of this node.
    const isOther = name === 'INTERNAL' || name === 'LEADER_SILENT'
    assert.ok(refusal.status < 500 || refusal.status === 503 || isOther)
    assert.equal(refusal.retryAfterSec > 0, refusal.status === 503 || refusal.status === 429)
    assert.equal(refuse(reject), refusal)
  }
})

test('a refusal lists the first ten faults, and how many there are besides', () => {
  const faults = Array.from({ length: 400 }, (_each, at) => ({ field: `a${at}`, message: 'no' }))
  const { message } = JSON.parse(invalid(...faults).body)
  assert.deepEqual(message.slice(0, 10), faults.slice(0, 10))
  assert.deepEqual(message.slice(10), [
    {
      field: 'a10',
      message: '390 more faults are not listed, starting with this one; fix those above',
    },
  ])
  assert.deepEqual(JSON.parse(invalid(...faults.slice(0, 10)).body).message, faults.slice(0, 10))
})

test('extra fields come after the usual four', () => {
  const refusal = refuse('TRADING_DISABLED', { mode: 'disabled', resumeAt: null })
  assert.deepEqual(JSON.parse(refusal.body), {
    message: 'Trading is disabled; wait until `resumeAt`.',
    error: 'Too Early',
    statusCode: 425,
    code: 'trading_disabled',
    mode: 'disabled',
    resumeAt: null,
  })
})
