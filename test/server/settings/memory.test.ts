import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  edgeThreadsDefault,
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

test('threads are as many as fit in the memory, and one edge at least', () => {
  const rows: [limit: number, cores: number, edges: number, markets: number][] = [
    [64 * MB, 1, 1, 0],
    [128 * MB, 8, 1, 1],
    [256 * MB, 2, 1, 0],
    [256 * MB, 64, 1, 4],
    [384 * MB, 3, 1, 0],
    [384 * MB, 4, 1, 15],
    [512 * MB, 64, 6, 16],
    [512 * MB, 5, 2, 16],
    [GB, 64, 16, 16],
    [8 * GB, 64, 61, 16],
    [8 * GB, 1, 1, 0],
  ]
  for (const [limit, cores, edges, markets] of rows) {
    const output = `${limit / MB} MB, ${cores} cores`
    assert.equal(edgeThreadsDefault(cores, limit), edges, output)
    assert.equal(marketThreadsAuto(cores, limit, edges), markets, output)
    const ofThreads = edges * MEMORY.edgeThreadBytes + markets * MEMORY.threadBytes
    const used = MEMORY.baseBytes + MEMORY.stateBytes + ofThreads
    assert.ok(edges + markets <= 2 || used <= limit, output)
  }
})

test('edge threads leave less memory to market threads', () => {
  const auto = (edgeThreads: number) => marketThreadsAuto(4, 256 * MB, edgeThreads)
  assert.deepEqual([0, 1, 2, 9].map(auto), [6, 4, 2, 1])
  assert.equal(memoryWarning({ marketThreads: 3, edgeThreads: 1 }, 256 * MB), null)
  assert.match(
    memoryWarning({ marketThreads: 3, edgeThreads: 2 }, 256 * MB) ?? '',
    /with 3 market threads and 2 edge threads it may need 267 MB: .* --edge-threads [(]25 MB/,
  )
})

test('threads that may not fit are a warning that names the flags', () => {
  const limit = 256 * MB
  const warning = (marketThreads: 'each' | number, limitBytes = limit) =>
    memoryWarning({ marketThreads, edgeThreads: 1 }, limitBytes)
  assert.equal(warning(4), null)
  assert.equal(warning(0, 210 * MB), null)
  const many = warning(16) ?? ''
  assert.match(
    many,
    /may use 256 MB .*; with 16 market threads and 1 edge threads it may need 385 MB/,
  )
  assert.match(many, /lower --market-threads [(]11 MB a thread[)] or --edge-threads [(]25 MB/)
  assert.match(warning('each') ?? '', /64 market/)
  assert.match(warning(1, 128 * MB) ?? '', /128 MB/)
})
