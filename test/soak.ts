import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sample, slopeOf, thirdsOf } from './support/drift.ts'
import { freshSeed } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'
import { soak } from './support/soak.ts'
import { ORDERS_PER_SECOND, type WindowFigures } from './support/soak-phase.ts'

// `make soak MIN=…`: trades, cancels, reconnects and restarts for MIN minutes, with one line per
// window, and says what drifted. Fails on anything lost, money that does not add up, a wrong reply,
// and memory, files or threads that grow beyond doubt.

const MIB = 2 ** 20
/** The first windows of a life fill caches and let V8 compile. */
const WARM_WINDOWS = 1
/** What each ended order may leave in memory, in all threads together. */
const BYTES_PER_COMMAND_MAX = 256
const OPEN_FILES_MAX = 8
const minutes = Number(process.argv[2] ?? '1')
if (!(minutes > 0)) {
  console.error('soak takes the minutes to run: a number above 0.')
  process.exit(2)
}
const isShort = minutes < 3
const windows = isShort ? 4 : 6
const windowSeconds = isShort ? 4 : 8
const seen: { life: number; warm: boolean; figures: WindowFigures }[] = []

const COLUMNS = 'life window  seq  p50ms p99ms  rssMiB heapMiB extMiB  jrnl/cmd read/cmd files thr'
const WIDTHS = COLUMNS.match(/\s*\S+/g)?.map((word) => word.length) ?? []

function printWindow(life: number, window: number, each: WindowFigures): void {
  const cells = [
    ...[life, window, each.seq, each.p50Ms.toFixed(1), each.p99Ms.toFixed(1)],
    ...[each.residentBytes, each.heapBytes, each.externalBytes].map((of) => (of / MIB).toFixed(1)),
    ...[each.journalBytes, each.readBytes].map((of) => Math.round(of / each.seq)),
    ...[each.openFiles, each.threads],
  ]
  console.log(cells.map((cell, index) => `${cell}`.padStart(WIDTHS[index] ?? 0)).join(''))
}

function onWindow(life: number, figures: WindowFigures): void {
  const window = seen.filter((each) => each.life === life).length
  seen.push({ life, warm: window >= WARM_WINDOWS, figures })
  printWindow(life, window, figures)
}

/** True when the figure grew beyond doubt and beyond its bound. */
function slopeSays(name: string, pick: (figures: WindowFigures) => number): boolean {
  const samples: Sample[] = seen
    .filter(({ warm }) => warm)
    .map(({ life, figures }) => ({ group: life, x: figures.seq, y: pick(figures) }))
  const { perX, within } = slopeOf(samples)
  console.log(`${name.padEnd(34)} ${perX.toFixed(0)} ± ${within.toFixed(0)} bytes per command`)
  return perX - within > BYTES_PER_COMMAND_MAX
}

/** Growth within a life, because lives differ in their number of threads. */
function mostGrowth(pick: (figures: WindowFigures) => number): number {
  const lives = new Map<number, number[]>()
  for (const { life, warm, figures } of seen) {
    if (warm) lives.set(life, [...(lives.get(life) ?? []), pick(figures)])
  }
  return Math.max(...[...lives.values()].map((of) => (of.at(-1) ?? 0) - of[0]))
}

function verdict(): string[] {
  const wrong: string[] = []
  if (slopeSays('resident memory', (of) => of.residentBytes)) wrong.push('resident memory grows')
  if (slopeSays('heap of the main thread', (of) => of.heapBytes)) wrong.push('the heap grows')
  if (slopeSays('outside the heap', (of) => of.externalBytes)) wrong.push('external memory grows')
  for (const [name, pick] of [
    ['p50', (of: WindowFigures) => of.p50Ms],
    ['p99', (of: WindowFigures) => of.p99Ms],
  ] as const) {
    const { first, last } = thirdsOf(seen.map(({ figures }) => pick(figures)))
    const of = `${name} at ${ORDERS_PER_SECOND}/s, first and last third`
    console.log(`${of.padEnd(34)} ${first.toFixed(1)} ms, ${last.toFixed(1)} ms`)
  }
  const files = mostGrowth((of) => of.openFiles)
  const threads = mostGrowth((of) => of.threads)
  console.log(`${'open files, threads, within a life'.padEnd(34)} ${files}, ${threads} more`)
  if (files > OPEN_FILES_MAX) wrong.push('open files grow')
  if (threads > 0) wrong.push('threads grow')
  return wrong
}

/** Left behind when a check fails, as evidence. */
const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-soak-'))
await compileProgram()
const endMs = performance.now() + minutes * 60_000
/** How long the last life took: the next life must end in time. */
let lifeMs = 0
let startedMs = performance.now()
const seed = freshSeed()
console.log(COLUMNS)
await soak({
  ...{ dataDir, seed, windows, windowSeconds, onWindow },
  goesOn: () => performance.now() + lifeMs / 2 < endMs,
  onRestart: (life, sentence) => {
    console.log(`life ${life}: ${sentence}`)
    lifeMs = performance.now() - startedMs
    startedMs = performance.now()
  },
})
const wrong = verdict()
console.log(wrong.length === 0 ? 'sound: nothing lost, money adds up' : wrong.join(', '))
process.exitCode = wrong.length === 0 ? 0 : 1
if (wrong.length === 0) rmSync(dataDir, { recursive: true })
