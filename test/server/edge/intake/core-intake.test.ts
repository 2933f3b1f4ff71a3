import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { armFault } from '../../../../engine/thread/fault-point.ts'
import { PLACE } from '../../../../engine/wire/record-layout.ts'
import { keccakReady } from '../../../../server/crypto/keccak.ts'
import { CoreIntake } from '../../../../server/edge/intake/core-intake.ts'
import type { DirectoryChange } from '../../../../server/edge/intake/directory.ts'
import { Intake } from '../../../../server/edge/intake/intake.ts'
import { FORM } from '../../../../server/messages/intake-layout.ts'
import {
  type BatchPart,
  type IntakeResult,
  ofOrder,
} from '../../../../server/messages/intake-result.ts'
import { partsBytes, writeParts } from '../../../../server/messages/parts.ts'
import * as kit from './order-kit.ts'

interface Reported {
  readonly reject: Reject | null
  readonly broke: string
  readonly tokenNo: number
  readonly salt: string
}

function reportedBy(result: IntakeResult): Reported {
  if (result.kind === 'refused') {
    const { reject, tokenNo, broke } = result
    return { reject, tokenNo, broke: broke?.error.message ?? '', salt: '' }
  }
  const { tokenNo, record, orderFields } = result
  const salt = BigInt(
    `0x${Buffer.from(record.subarray(PLACE.salt, PLACE.salt + 32)).toString('hex')}`,
  )
  assert.equal(JSON.parse(`{${orderFields}}`).salt, String(salt))
  return { reject: null, tokenNo, broke: '', salt: String(salt) }
}

before(() => keccakReady)
afterEach(() => armFault(''))

function open(isKnowing = true) {
  const reported = new Map<number, Reported>()
  const parts = new Map<number, (Reported & BatchPart)[]>()
  const changes: DirectoryChange[] = []
  const intake = new CoreIntake({
    domain: kit.DOMAIN,
    onResult: (result) => {
      assert.ok(!reported.has(result.requestId), 'each request is answered once')
      reported.set(result.requestId, reportedBy(result))
    },
    onPart: (result, part) => {
      const { requestId } = result
      parts.set(requestId, [
        ...(parts.get(requestId) ?? []),
        { ...reportedBy(ofOrder(result)), ...part },
      ])
    },
    mirror: (change) => changes.push(change),
  })
  if (isKnowing) {
    intake.addMarket(kit.MARKET)
    intake.addToken(kit.tokenEntry())
  }
  return { intake, reported, parts, changes }
}

const body = (salt: number) => kit.orderBody(kit.signed({ ...kit.unsignedOrder(), salt }))
const order = (requestId: number) =>
  kit.request(JSON.stringify(body(1000 + requestId)), { requestId })

function group(requestId: number, count: number) {
  const orders = Array.from({ length: count }, (_, index) => body(2000 + index))
  return { ...kit.request(JSON.stringify({ orders }), { requestId }), form: FORM.ORDERS }
}

/** The request with the verdict of an edge thread. */
function checked(request: ReturnType<typeof order>) {
  const results: Uint8Array[] = []
  new Intake(kit.directory()).answer(request, (result) => results.push(new Uint8Array(result)))
  const verdict = Buffer.alloc(partsBytes(results))
  writeParts(verdict, results, 0)
  return { ...request, verdict }
}

const good = (requestId: number): Reported => {
  return { reject: null, tokenNo: 1, broke: '', salt: String(1000 + requestId) }
}

test('an order is checked after all earlier changes, which other threads get too', () => {
  const { intake, reported, changes } = open(false)
  intake.submit(order(1))
  intake.addToken(kit.tokenEntry())
  intake.submit(order(2))
  intake.addMarket(kit.MARKET)
  intake.submit(order(3))
  intake.revokeToken('alice-token')
  intake.submit(order(4))
  assert.equal(reported.get(1)?.reject, REJECT.API_KEY_INVALID)
  assert.equal(reported.get(1)?.tokenNo, 0)
  assert.equal(reported.get(2)?.reject, REJECT.MARKET_NOT_FOUND)
  assert.deepEqual(reported.get(3), good(3))
  assert.equal(reported.get(4)?.reject, REJECT.API_KEY_INVALID)
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ['token', 'market', 'revoke'],
  )
})

test('a verdict of an edge thread is taken as it is', () => {
  const { intake, reported, parts } = open(false)
  intake.submit(checked(order(7)))
  assert.deepEqual(reported.get(7), good(7))
  intake.submit(checked(group(7, 3)))
  assert.deepEqual(
    parts.get(7)?.map(({ index, count, salt }) => [index, count, salt]),
    [0, 1, 2].map((index) => [index, 3, String(2000 + index)]),
  )
})

test('while it is paused, results are held back in their order, and a verdict is copied', () => {
  const { intake, reported } = open()
  intake.pause()
  const edges = checked(order(1))
  intake.submit(edges)
  edges.verdict.fill(0)
  intake.submit(order(2))
  assert.deepEqual([reported.size, intake.heldCount], [0, 2])
  intake.resume()
  assert.deepEqual(
    [...reported],
    [
      [1, good(1)],
      [2, good(2)],
    ],
  )
  assert.equal(intake.heldCount, 0)
})

test('an order that pauses the intake holds back those behind it', () => {
  const reported: number[] = []
  const intake: CoreIntake = new CoreIntake({
    domain: kit.DOMAIN,
    onResult: ({ requestId }) => {
      reported.push(requestId)
      if (requestId === 2) intake.pause()
    },
    onPart: () => assert.fail(),
  })
  intake.pause()
  for (const id of [1, 2, 3]) intake.submit(order(id))
  intake.resume()
  intake.submit(order(4))
  assert.deepEqual(reported, [1, 2])
  intake.resume()
  assert.deepEqual(reported, [1, 2, 3, 4])
})

test('an error at one request is its answer', () => {
  const { intake, reported } = open()
  armFault('in-intake:3')
  for (let id = 1; id <= 5; id++) intake.submit(order(id))
  assert.equal(reported.get(3)?.reject, REJECT.INTERNAL)
  assert.match(reported.get(3)?.broke ?? '', /a fault was injected at this edge/)
  for (const id of [1, 2, 4, 5]) assert.deepEqual(reported.get(id), good(id))
})

test('a group that breaks half way breaks for its remaining orders', () => {
  const { intake, parts } = open()
  const { verdict, ...request } = checked(group(1, 6))
  // The fourth result announces a longer record than it has.
  const spanBytes = verdict.length / 6
  verdict.fill(0xff, 3 * spanBytes + 8 + 36, 3 * spanBytes + 8 + 40)
  intake.submit({ ...request, verdict })
  assert.deepEqual(
    parts.get(1)?.map(({ index, count, broke }) => [index, count, broke !== '']),
    [0, 1, 2, 3, 4, 5].map((index) => [index, 6, index > 2]),
  )
  assert.match(parts.get(1)?.[3].broke ?? '', /a result did not decode/)
})

test('a group that breaks at its first order breaks as a whole', () => {
  const { intake, parts, reported } = open()
  armFault('in-intake:1')
  intake.submit(group(1, 3))
  assert.deepEqual(
    parts.get(1)?.map(({ index, count, reject }) => [index, count, reject]),
    [[0, 0, REJECT.INTERNAL]],
  )
  intake.submit({ ...order(2), verdict: Buffer.alloc(16, 1) })
  assert.match(reported.get(2)?.broke ?? '', /a result did not decode/)
})

test('the longest headers are refused', () => {
  const { intake, reported } = open()
  const long = 'é'.repeat(200_000)
  intake.submit({ ...order(1), apiKey: long })
  intake.submit({ ...order(2), timestamp: long })
  intake.submit({ ...order(3), signature: long })
  assert.deepEqual(
    [1, 2, 3].map((id) => reported.get(id)?.reject),
    [REJECT.API_KEY_INVALID, REJECT.TIMESTAMP_INVALID, REJECT.HMAC_INVALID],
  )
})
