import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { REJECT, type Reject } from '../../../../engine/domain/reject-precedence.ts'
import { FAULT_VARIABLE } from '../../../../engine/thread/fault-point.ts'
import { keccakReady } from '../../../../server/crypto/keccak.ts'
import {
  type GroupPart,
  IntakePool,
  type IntakeResult,
} from '../../../../server/edge/intake/intake-pool.ts'
import { FORM } from '../../../../server/messages/intake-layout.ts'
import * as kit from './order-kit.ts'

// An intake thread that breaks costs only the request at which it broke (design §11).

interface Reported {
  readonly reject: Reject | null
  readonly broke: string
  readonly tokenNo: number
}

function reportedBy(result: IntakeResult): Reported {
  if (result.kind === 'verified') {
    return { reject: null, broke: '', tokenNo: result.tokenNo }
  }
  const { reject, tokenNo, broke } = result
  return { reject, tokenNo, broke: broke?.error.message ?? '' }
}

before(() => keccakReady)

const pools: IntakePool[] = []
after(async () => {
  for (const pool of pools) await pool.stop()
})

/**
 * The fault is armed in the first threads of the pool; with `isAlways` also in those that follow.
 */
function poolOf(fault: string, options: { isAlways?: boolean; accounts?: string[] } = {}) {
  const reported = new Map<number, Reported>()
  const parts = new Map<number, (Reported & GroupPart)[]>()
  const replaced: string[] = []
  const faults: string[] = []
  let isEnough = () => false
  let wake = () => {}
  const received = () => {
    if (isEnough()) wake()
  }
  function* replicate() {
    pool.addMarket(kit.MARKET)
    yield
    for (const account of options.accounts ?? []) pool.addToken({ ...kit.tokenEntry(), account })
    pool.addToken(kit.tokenEntry())
    yield
  }
  if (fault !== '') process.env[FAULT_VARIABLE] = fault
  const pool = new IntakePool({
    threads: 1,
    domain: kit.DOMAIN,
    onResult: (result) => {
      assert.ok(!reported.has(result.requestId), 'each request is answered once')
      reported.set(result.requestId, reportedBy(result))
      received()
    },
    onPart: (result, part) => {
      const { requestId } = result
      parts.set(requestId, [...(parts.get(requestId) ?? []), { ...reportedBy(result), ...part }])
      received()
    },
    onFault: (reason) => {
      faults.push(reason.message)
      received()
    },
    replicate,
    onReplaced: (sentence) => {
      replaced.push(sentence)
      received()
    },
  })
  if (options.isAlways !== true) delete process.env[FAULT_VARIABLE]
  pools.push(pool)
  for (const step = replicate(); step.next().done !== true; );
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      isEnough = condition
      wake = resolve
      received()
    })
  return { pool, reported, parts, replaced, faults, until }
}

const body = (salt: number) => kit.orderBody(kit.signed({ ...kit.unsignedOrder(), salt }))
const order = (requestId: number, apiKey = 'alice-token') =>
  kit.request(JSON.stringify(body(1000 + requestId)), { requestId, apiKey })

function group(requestId: number, count: number) {
  const orders = Array.from({ length: count }, (_, index) => body(2000 + index))
  return { ...kit.request(JSON.stringify({ orders }), { requestId }), form: FORM.ORDERS }
}

const brokenIds = (reported: ReadonlyMap<number, Reported>) =>
  [...reported].filter(([, { broke }]) => broke !== '').map(([id]) => id)

test('an error at one request is its answer, and the thread goes on', async () => {
  const { pool, reported, replaced, until } = poolOf('in-intake:3')
  for (let id = 1; id <= 10; id++) assert.ok(pool.submit(order(id)))
  await until(() => reported.size === 10)
  assert.deepEqual(brokenIds(reported), [3])
  assert.equal(reported.get(3)?.reject, REJECT.INTERNAL)
  assert.match(reported.get(3)?.broke ?? '', /a fault was injected at this edge/)
  for (const [id, { reject }] of reported) if (id !== 3) assert.equal(reject, null)
  assert.deepEqual(replaced, [])
  assert.equal(pool.inFlight(), 0)
})

test('a thread that dies is replaced; its request breaks, the others are answered', async () => {
  const { pool, reported, replaced, faults, until } = poolOf('intake-ends:12')
  await pool.ready()
  for (let id = 1; id <= 40; id++) assert.ok(pool.submit(order(id)))
  await until(() => reported.size === 40)
  assert.deepEqual(brokenIds(reported), [12])
  assert.match(reported.get(12)?.broke ?? '', /intake-0 died: ended with code 7/)
  for (const [id, { reject }] of reported) if (id !== 12) assert.equal(reject, null)
  assert.equal(replaced.length, 1)
  assert.deepEqual(faults, [])
  assert.equal(pool.inFlight(), 0)
  // The next thread has learned all changes from before and after the death.
  pool.addToken(kit.tokenEntry('later', 9))
  assert.ok(pool.submit(order(41, 'later')))
  await until(() => reported.has(41))
  assert.equal(reported.get(41)?.tokenNo, 9)
})

test('a thread that takes over counts its work on', async () => {
  const { pool, reported, replaced, until } = poolOf('intake-ends:9')
  assert.ok(pool.submit(order(1)))
  await until(() => reported.size === 1)
  // The thread records its busy time after the answer.
  while (pool.threads[0].busyTimes.micros.count === 0) await new Promise(setImmediate)
  for (let id = 2; id <= 10; id++) assert.ok(pool.submit(order(id)))
  const before = pool.threads[0].busyTimes.micros.sum
  assert.ok(before > 0)
  await until(() => replaced.length === 1 && reported.size === 10)
  assert.deepEqual(
    pool.threads.map(({ name }) => name),
    ['intake-0'],
  )
  assert.ok(pool.threads[0].busyTimes.micros.sum >= before)
})

test('a request that broke a thread is never run again', async () => {
  const { pool, reported, replaced, faults, until } = poolOf('intake-ends:9', { isAlways: true })
  for (let id = 1; id <= 30; id++) assert.ok(pool.submit(order(id)))
  await until(() => reported.size === 30)
  delete process.env[FAULT_VARIABLE]
  const broken = brokenIds(reported)
  assert.ok(broken.length >= 3, String(broken))
  assert.equal(replaced.length, broken.length, 'deaths at an order have no bound')
  assert.deepEqual(faults, [])
})

test('a death while main is paused waits, and no result is lost', async () => {
  const thread = once(process, 'worker')
  const { pool, reported, replaced, until } = poolOf('intake-ends:5')
  const [worker]: Worker[] = await thread
  const ended = once(worker, 'exit')
  await pool.ready()
  pool.pause()
  for (let id = 1; id <= 8; id++) assert.ok(pool.submit(order(id)))
  await ended
  for (let id = 9; id <= 12; id++) assert.ok(pool.submit(order(id)))
  assert.equal(reported.size, 0)
  pool.resume()
  await until(() => reported.size === 12)
  assert.deepEqual(brokenIds(reported), [5])
  assert.equal(replaced.length, 1)
})

test('a result that does not decode breaks its call, and its thread is replaced', async () => {
  const thread = once(process, 'worker')
  const { pool, reported, replaced, faults, until } = poolOf('intake-garbles:3')
  const [worker]: Worker[] = await thread
  const ended = once(worker, 'exit')
  for (let id = 1; id <= 10; id++) assert.ok(pool.submit(order(id)))
  await until(() => reported.size === 10 && replaced.length === 1)
  assert.deepEqual(brokenIds(reported), [3])
  assert.match(reported.get(3)?.broke ?? '', /a result did not decode/)
  assert.deepEqual(await ended, [0], 'the thread ends by itself: a kill within a call is an abort')
  assert.equal(replaced.length, 1)
  assert.deepEqual(faults, [])
})

test('a batch that breaks half way breaks for its remaining orders', async () => {
  const { pool, parts, reported, until } = poolOf('intake-garbles:4')
  assert.ok(pool.submit(group(1, 6)))
  assert.ok(pool.submit(order(1)))
  assert.ok(pool.submit(group(2, 3)))
  await until(() => reported.size === 1 && parts.get(1)?.length === 6 && parts.get(2)?.length === 3)
  const broken = (id: number) =>
    parts.get(id)?.map(({ index, count, broke }) => [index, count, broke !== ''])
  assert.deepEqual(
    broken(1),
    [0, 1, 2, 3, 4, 5].map((index) => [index, 6, index > 2]),
  )
  assert.deepEqual(
    broken(2),
    [0, 1, 2].map((index) => [index, 3, false]),
  )
  assert.equal(reported.get(1)?.broke, '')
  assert.equal(pool.inFlight(), 0)
})

test('a thread that dies while it learns is replaced a few times, then it is a fault', async () => {
  const { pool, replaced, faults, until } = poolOf('', { accounts: ['0xnobody'] })
  assert.ok(pool.submit(order(1)))
  await until(() => faults.length > 0)
  assert.equal(replaced.length, LIMITS.idleDeathsPerMinuteMax)
  assert.match(faults[0], /^intake-0 died: .*; too often, without a faulty order$/)
})

test('a pool without threads reports a fault as its thread would', async () => {
  const results: IntakeResult[] = []
  const pool = new IntakePool({
    threads: 0,
    domain: kit.DOMAIN,
    onResult: (result) => results.push(result),
    onFault: assert.fail,
  })
  await pool.ready()
  pool.addToken(kit.tokenEntry())
  // A body that no caller can send: any use of it throws.
  const body = new Proxy(new Uint8Array(8), {
    get: () => {
      throw new Error('no such body')
    },
  })
  pool.submit({ ...order(1), body })
  const [only] = results
  assert.ok(only.kind === 'refused')
  assert.equal(only.reject, REJECT.INTERNAL)
  assert.match(only.broke?.error.message ?? '', /no such body/)
})
