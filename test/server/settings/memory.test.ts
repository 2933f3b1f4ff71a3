import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  intakeThreadsDefault,
  MEMORY,
  marketThreadsAuto,
  memoryLimitBytes,
  memoryWarning,
} from '../../../server/settings/memory.ts'

const MB = 1 << 20
const GB = 1 << 30
const NO_LIMIT = 2 ** 64

test('the limit of a container counts, and without one the memory of the machine', () => {
  const rows: [constrained: number, total: number, expected: number][] = [
    [0, 8 * GB, 8 * GB],
    [NO_LIMIT, 8 * GB, 8 * GB],
    [8 * GB, 8 * GB, 8 * GB],
    [256 * MB, 8 * GB, 256 * MB],
    [0, 512 * MB, 512 * MB],
  ]
  for (const [constrained, total, expected] of rows) {
    assert.equal(memoryLimitBytes(constrained, total), expected)
  }
  assert.ok(memoryLimitBytes() > 0)
})

test('threads are as many as fit in the memory, and one of each kind at least', () => {
  const rows: [limit: number, cores: number, intake: number, markets: number][] = [
    [64 * MB, 1, 1, 1],
    [128 * MB, 8, 1, 1],
    [256 * MB, 2, 1, 5],
    [256 * MB, 64, 3, 3],
    [384 * MB, 2, 1, 16],
    [512 * MB, 64, 14, 15],
    [GB, 64, 38, 16],
    [8 * GB, 64, 63, 16],
    [8 * GB, 1, 1, 16],
  ]
  for (const [limit, cores, intake, markets] of rows) {
    const output = `${limit / MB} MB, ${cores} cores`
    assert.equal(intakeThreadsDefault(cores, limit), intake, output)
    assert.equal(marketThreadsAuto(limit, intake), markets, output)
    const threads = intake + markets
    const used = MEMORY.baseBytes + MEMORY.stateBytes + threads * MEMORY.threadBytes
    assert.ok(threads === 2 || used <= limit, output)
  }
})

test('threads that may not fit are a warning that names the flags', () => {
  const limit = 256 * MB
  assert.equal(memoryWarning({ marketThreads: 5, intakeThreads: 1 }, limit), null)
  assert.equal(memoryWarning({ marketThreads: 0, intakeThreads: 1 }, 200 * MB), null)
  const many = memoryWarning({ marketThreads: 16, intakeThreads: 1 }, limit) ?? ''
  assert.match(
    many,
    /may use 256 MB .*; with 16 market threads and 1 intake threads it may need 371 MB/,
  )
  assert.match(many, /lower --market-threads or --intake-threads [(]11 MB a thread[)]/)
  assert.match(memoryWarning({ marketThreads: 'each', intakeThreads: 1 }, limit) ?? '', /64 market/)
  assert.match(memoryWarning({ marketThreads: 1, intakeThreads: 1 }, 128 * MB) ?? '', /128 MB/)
})
