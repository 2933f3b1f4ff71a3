import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { thirdsOf } from './support/drift.ts'
import { freshSeed } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'
import { soak } from './support/soak.ts'
import { ORDERS_PER_SECOND, type WindowFigures } from './support/soak-phase.ts'
import { growthOf, memoryTrends, type SoakWindow } from './support/soak-verdict.ts'

// `make soak MIN=…`: trades, cancels, reconnects and restarts for MIN minutes, with one line per
// window, and says what drifted. Fails on anything lost, money that does not add up, a wrong reply,
// and memory, files or threads that grow beyond doubt. LEAK=64 leaks 64 bytes a signed call on
// purpose, and the run must then fail.

const MIB = 2 ** 20
/** Shorter runs have short lives alone, which say nothing of memory. */
const LONG_MINUTES_MIN = 4
/** After half of such a life all memory is level. */
const LONG_LIFE_MS_MAX = 16 * 60_000
/** A shorter run still ends with a kill, a check and a stop. */
const LONG_LIFE_PART = 0.75
/** Each long life has two short ones after it, so signals and numbers of threads alternate. */
const LONG_LIFE_EVERY = 3
const WINDOWS_PER_LONG_LIFE = 48
/** uWebSockets.js closes connections that rest for ten seconds, and few carry all orders. */
const WINDOW_SECONDS_MAX = 8

const minutes = Number(process.argv[2] ?? '1')
const leakBytes = Number(process.argv[3] || '0')
if (!(minutes > 0 && leakBytes >= 0)) {
  console.error('soak takes the minutes to run, a number above 0, and the bytes to leak a call.')
  process.exit(2)
}
const hasLong = minutes >= LONG_MINUTES_MIN
const shortWindows = hasLong ? 6 : 4
const shortSeconds = hasLong ? WINDOW_SECONDS_MAX : 4
const longMs = Math.min(LONG_LIFE_MS_MAX, minutes * 60_000 * LONG_LIFE_PART)
const longWindowSeconds = Math.min(
  WINDOW_SECONDS_MAX,
  Math.max(4, Math.round(longMs / 1000 / WINDOWS_PER_LONG_LIFE)),
)
const seen: (SoakWindow & { readonly figures: WindowFigures })[] = []

const COLUMNS =
  'life window      seq   p50ms   p99ms  rssMiB heapMiB extMiB  jrnl/cmd read/cmd files thr'
const WIDTHS = COLUMNS.match(/\s*\S+/g)?.map((word) => word.length) ?? []

function printWindow(life: number, window: number, each: WindowFigures): void {
  const cells = [
    life,
    window,
    each.seq,
    each.p50Ms.toFixed(1),
    each.p99Ms.toFixed(1),
    ...[each.residentBytes, each.heapBytes, each.externalBytes].map((of) => (of / MIB).toFixed(1)),
    ...[each.journalBytes, each.readBytes].map((of) => Math.round(of / each.seq)),
    each.openFiles,
    each.threads,
  ]
  console.log(cells.map((cell, index) => `${cell}`.padStart(WIDTHS[index] ?? 0)).join(''))
}

function row(name: string, value: string): void {
  console.log(`${name.padEnd(34)} ${value}`)
}

function verdict(): string[] {
  const trends = memoryTrends(seen)
  for (const { name, slope } of trends) {
    if (slope === null) row(name, 'not judged: no life was long enough to level off')
    else row(name, `${slope.perX.toFixed(0)} ± ${slope.within.toFixed(0)} bytes per command`)
  }
  for (const [name, pick] of [
    ['p50', (of: WindowFigures) => of.p50Ms],
    ['p99', (of: WindowFigures) => of.p99Ms],
  ] as const) {
    const { first, last } = thirdsOf(seen.map(({ figures }) => pick(figures)))
    const of = `${name} at ${ORDERS_PER_SECOND}/s, first and last third`
    row(of, `${first.toFixed(1)} ms, ${last.toFixed(1)} ms`)
  }
  const { files, threads, wrong } = growthOf(seen)
  row('open files, threads, half a life', `${files}, ${threads} more`)
  return [...trends.map((each) => each.wrong).filter((each) => each !== ''), ...wrong]
}

/** Left behind when a check fails, as evidence. */
const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-soak-'))
await compileProgram()
const endMs = performance.now() + minutes * 60_000
/** How long the last short life took: the next life must end in time. */
let shortMs = 0
let startedMs = performance.now()
let isLong = hasLong

function startsLong(life: number): boolean {
  return hasLong && life % LONG_LIFE_EVERY === 0 && performance.now() + longMs <= endMs
}

const seed = freshSeed()
console.log(COLUMNS)
await soak({
  dataDir,
  seed,
  leakBytes,
  goesOn: () => performance.now() + shortMs / 2 < endMs,
  windowSeconds: () => (isLong ? longWindowSeconds : shortSeconds),
  livesOn: (_life, windows) =>
    isLong ? performance.now() < startedMs + longMs : windows < shortWindows,
  onWindow: (life, figures) => {
    const window = seen.filter((each) => each.life === life).length
    seen.push({ life, lifeSeconds: isLong ? longMs / 1000 : 0, figures })
    printWindow(life, window, figures)
  },
  onRestart: (life, sentence) => {
    console.log(`life ${life}: ${sentence}`)
    if (!isLong) shortMs = performance.now() - startedMs
    startedMs = performance.now()
    isLong = startsLong(life + 1)
  },
})
const wrong = verdict()
console.log(wrong.length === 0 ? 'sound: nothing lost, money adds up' : wrong.join(', '))
process.exitCode = wrong.length === 0 ? 0 : 1
if (wrong.length === 0) rmSync(dataDir, { recursive: true })
