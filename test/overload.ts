import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOOP_PERCENTILES } from './support/open-loop.ts'
import { Overload, type OverloadReport } from './support/overload.ts'
import {
  brokenBy,
  bytesMax,
  isInconclusive,
  offeredPart,
  waitMsMax,
} from './support/overload-verdict.ts'
import { freshSeed } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'

// `make overload SECONDS=…`: offers three times the orders that the machine takes, open loop, or
// what the sender can, and reports what becomes of them. Fails on a reply other than 201, 503 and
// 429, on anything lost, and past the bounds of the verdict. The lag of the sender is a figure.

const SEARCH_SECONDS = 4
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

function print(report: OverloadReport): void {
  const { flood, highest } = report
  const { '201': taken = 0, '503': refused = 0, '429': limited = 0 } = flood.statuses
  const perSecond = (count: number) => `${count} (${Math.round(count / flood.seconds)}/s)`
  const percent = (offeredPart(report) * 100).toFixed(1)
  const names = LOOP_PERCENTILES.map((each) => (each === 100 ? 'worst' : `p${each}`)).join(' / ')
  const rows = [
    ['cores', `${availableParallelism()}, shared by server and sender`],
    ['highest rate, closed loop', `${highest}/s`],
    ['offered, of the plan', `${perSecond(flood.begun)}, ${percent}%`],
    ['taken', perSecond(taken)],
    ['503 / 429', `${perSecond(refused)} / ${limited}`],
    [`taken orders, ms, ${names}`, shown(flood.takenSentMs)],
    ['  no longer than', `${waitMsMax(report).toFixed(0)} ms`],
    ['refused orders, ms', shown(flood.refusedSentMs)],
    ['lag of the sender, ms', shown(flood.lateMs)],
    ['  longest time without reading a reply, ms', flood.stallMs.toFixed(1)],
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

/** Left behind when a check fails, as evidence. */
const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-overload-'))
await compileProgram()
const report = await Overload.run({
  dataDir,
  seconds,
  searchSeconds: SEARCH_SECONDS,
  seed: freshSeed(),
  say: (sentence: string) => console.log(sentence),
})
print(report)
if (isInconclusive(report)) {
  console.log(
    'the exchange took all that the sender could offer, so this run proves nothing about ' +
      'refusals: give sender and server more cores',
  )
}
const broken = brokenBy(report)
console.log(broken.length === 0 ? 'sound: nothing lost, all within bounds' : broken.join(', '))
process.exitCode = broken.length === 0 ? 0 : 1
if (broken.length === 0) rmSync(dataDir, { recursive: true })
