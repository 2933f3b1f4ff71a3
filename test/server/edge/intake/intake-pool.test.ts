import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { PLACE } from '../../../../engine/wire/record-layout.ts'
import { IntakePool, type IntakeResult } from '../../../../server/edge/intake/intake-pool.ts'
import * as kit from './order-kit.ts'

interface Answer {
  reject: Reject | null
  tokenNo: number
  signatureOk: boolean
  salt: string
}

function answerOf(result: IntakeResult): Answer {
  if (result.kind === 'refused') {
    const { reject, tokenNo } = result
    return { reject, tokenNo, signatureOk: false, salt: '' }
  }
  const { tokenNo, signatureOk, record, orderFields } = result
  const salt = `0x${Buffer.from(record.subarray(PLACE.salt, PLACE.salt + 32)).toString('hex')}`
  assert.equal(JSON.parse(`{${Buffer.from(orderFields).toString()}}`).salt, String(BigInt(salt)))
  return { reject: null, tokenNo, signatureOk, salt: String(BigInt(salt)) }
}

/** A pool with a promise of its first answers. */
function poolOf(threads: number, options: { inFlightMax?: number; ringBytes?: number } = {}) {
  const answers = new Map<number, Answer>()
  let wanted = Number.POSITIVE_INFINITY
  let wake = () => {}
  const pool = new IntakePool({
    threads,
    domain: kit.DOMAIN,
    ...options,
    onResult: (result) => {
      assert.ok(!answers.has(result.requestId), 'each request is answered once')
      answers.set(result.requestId, answerOf(result))
      if (answers.size >= wanted) wake()
    },
    onFault: (reason) => {
      throw reason
    },
  })
  const answered = (count: number) =>
    new Promise<void>((resolve) => {
      wanted = count
      wake = resolve
      if (answers.size >= wanted) resolve()
    })
  return { pool, answers, answered }
}

function orderRequest(requestId: number, overrides = {}) {
  const order = kit.signed({ ...kit.unsignedOrder(), salt: 1000 + requestId })
  return kit.request(JSON.stringify(kit.orderBody(order)), { requestId, ...overrides })
}

for (const threads of [0, 2]) {
  test(`an order is answered once, after all earlier changes, on ${threads} threads`, async () => {
    const { pool, answers, answered } = poolOf(threads)
    await pool.ready()
    assert.ok(pool.submit(orderRequest(1)))
    pool.addToken(kit.tokenEntry())
    assert.ok(pool.submit(orderRequest(2)))
    assert.ok(pool.submit(orderRequest(3)))
    pool.addMarket(kit.MARKET)
    for (let id = 4; id < 104; id++) assert.ok(pool.submit(orderRequest(id)))
    pool.revokeToken('alice-token')
    for (let id = 104; id < 110; id++) assert.ok(pool.submit(orderRequest(id)))
    await answered(109)
    assert.equal(answers.get(1)?.reject, REJECT.API_KEY_INVALID)
    assert.equal(answers.get(1)?.tokenNo, 0)
    for (const id of [2, 3]) assert.equal(answers.get(id)?.reject, REJECT.MARKET_NOT_FOUND)
    for (let id = 4; id < 104; id++) {
      const salt = String(1000 + id)
      const good = { reject: null, tokenNo: 1, signatureOk: true, salt }
      assert.deepEqual(answers.get(id), good)
    }
    for (let id = 104; id < 110; id++) {
      assert.equal(answers.get(id)?.reject, REJECT.API_KEY_INVALID)
    }
    assert.equal(pool.inFlight(), 0)
    await pool.stop()
  })
}

test('a full pool refuses at once, and takes orders again below its capacity', async () => {
  const { pool, answers, answered } = poolOf(1, { inFlightMax: 4 })
  pool.addToken(kit.tokenEntry())
  pool.addMarket(kit.MARKET)
  // The thread has not started, so no answer can come within this event-loop tick.
  const taken = [1, 2, 3, 4, 5, 6].map((id) => pool.submit(orderRequest(id)))
  assert.deepEqual(taken, [true, true, true, true, false, false])
  assert.equal(pool.inFlight(), 4)
  await answered(4)
  assert.ok(pool.submit(orderRequest(7)))
  await answered(5)
  assert.deepEqual([...answers.keys()], [1, 2, 3, 4, 7])
  await pool.stop()
})

test('changes that do not fit the ring hold orders back until they are sent', async () => {
  const { pool, answers, answered } = poolOf(1, { ringBytes: 8192 })
  pool.addMarket(kit.MARKET)
  for (let index = 0; index < 200; index++)
    pool.addToken(kit.tokenEntry(`token-${index}`, index + 1))
  assert.equal(pool.submit(orderRequest(1, { apiKey: 'token-199' })), false)
  await pool.ready()
  while (!pool.submit(orderRequest(2, { apiKey: 'token-199' }))) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await answered(1)
  assert.equal(answers.get(2)?.reject, null)
  assert.equal(answers.get(2)?.tokenNo, 200)
  await pool.stop()
})

test('headers that are too long to be valid are refused and not carried', async () => {
  const { pool, answers, answered } = poolOf(1)
  pool.addToken(kit.tokenEntry())
  await pool.ready()
  const long = 'é'.repeat(200_000)
  pool.submit(orderRequest(1, { apiKey: long }))
  pool.submit(orderRequest(2, { timestamp: long }))
  pool.submit(orderRequest(3, { signature: long }))
  await answered(3)
  assert.deepEqual(
    [1, 2, 3].map((id) => answers.get(id)?.reject),
    [REJECT.API_KEY_INVALID, REJECT.TIMESTAMP_INVALID, REJECT.HMAC_INVALID],
  )
  await pool.stop()
})
