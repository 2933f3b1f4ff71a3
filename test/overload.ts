import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '../engine/domain/limits.ts'
import { LOOP_PERCENTILES } from './support/open-loop.ts'
import { FLOOD_CONNECTIONS, Overload, type OverloadReport } from './support/overload.ts'
import { freshSeed } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'

// `make overload SECONDS=…`: offers three times the orders that the machine takes, open loop, and
// reports what becomes of them. Fails on a reply other than 201, 503 and 429, on anything lost, and
// past the bounds below.

const SEARCH_SECONDS = 4
/** The share of the orders that the sender must really have offered. */
const OFFERED_MIN = 0.97
const RECOVERY_MS_MAX = 2000
/** What queues and buffers may hold at their fullest, and what each taken order may hold. */
const QUEUE_BYTES_MAX = 256 * 2 ** 20
const ORDER_BYTES_MAX = 1024
const MIB = 2 ** 20

const seconds = Number(process.argv[2] ?? '60')
if (!(seconds >= 1)) {
  console.error('overload takes the seconds to run: a number of at least 1.')
  process.exit(2)
}

const shown = (values: readonly number[]) => values.map((each) => each.toFixed(1)).join(' / ')

function percentiles(values: readonly number[]): number[] {
  const sorted = [...values].sort((a, b) => a - b)
  return [0.5, 0.99, 1].map((part) => sorted[Math.ceil(part * sorted.length) - 1])
}

/**
 * The longest that a taken order may wait. It is the whole room before the order at the pace of the
 * run, plus the wait to be read, which refused orders have too. Half of that is added for the
 * uneven speed of a machine that others use.
 */
function waitMsMax({ flood }: OverloadReport): number {
  const perMs = (flood.statuses['201'] ?? 0) / (flood.seconds * 1000)
  return 1.5 * (LIMITS.ordersUnderWayMax / perMs + (flood.refusedMs.at(-1) ?? 0))
}

function print(report: OverloadReport): void {
  const { flood, highest } = report
  const { '201': taken = 0, '503': refused = 0, '429': limited = 0 } = flood.statuses
  const perSecond = (count: number) => `${count} (${Math.round(count / flood.seconds)}/s)`
  const names = LOOP_PERCENTILES.map((each) => (each === 100 ? 'worst' : `p${each}`)).join(' / ')
  const rows = [
    ['cores', `${availableParallelism()}, shared by server and sender`],
    ['highest rate, closed loop', `${highest}/s`],
    ['offered', `${perSecond(flood.begun)}, ${flood.notBegun} too late to begin`],
    ['taken', perSecond(taken)],
    ['503 / 429', `${perSecond(refused)} / ${limited}`],
    [`taken orders, ms, ${names}`, shown(flood.takenMs)],
    ['  no longer than', `${waitMsMax(report).toFixed(0)} ms`],
    ['refused orders, ms', shown(flood.refusedMs)],
    ['delay of the sender itself, ms', shown(flood.lateMs)],
    ['share of one core that the sender used', flood.cpu.toFixed(2)],
    ['health, ms, p50 / p99 / worst', shown(percentiles(report.healthMs))],
    ['cancels, ms, p50 / p99 / worst', shown(percentiles(report.cancelMs))],
    [
      'memory before / at most / after, MiB',
      shown([report.beforeBytes, report.peakBytes, report.afterBytes].map((each) => each / MIB)),
    ],
    ['  at most', `${(bytesMax(report) / MIB).toFixed(0)} MiB`],
    ['orders taken again after', `${report.recoveryMs.toFixed(0)} ms`],
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(52)} ${value}`)
}

function bytesMax({ beforeBytes, flood }: OverloadReport): number {
  return beforeBytes + QUEUE_BYTES_MAX + ORDER_BYTES_MAX * (flood.statuses['201'] ?? 0)
}

/** Left behind when a check fails, as evidence. */
const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-overload-'))
await compileProgram()
const report = await Overload.run({
  ...{ dataDir, seconds, searchSeconds: SEARCH_SECONDS },
  ...{ seed: freshSeed(), say: (sentence: string) => console.log(sentence) },
})
print(report)
const { flood } = report
const offered = flood.begun / (flood.begun + flood.notBegun)
assert.ok(offered >= OFFERED_MIN, `the sender and ${FLOOD_CONNECTIONS} connections kept the rate`)
assert.ok((flood.statuses['503'] ?? 0) > 0, 'the load is more than the exchange can take')
assert.ok((flood.takenMs.at(-1) ?? 0) <= waitMsMax(report), 'a taken order waits within its bound')
assert.ok(report.peakBytes <= bytesMax(report), 'memory is bounded')
assert.ok(report.recoveryMs <= RECOVERY_MS_MAX, 'orders are taken again within two seconds')
rmSync(dataDir, { recursive: true })
