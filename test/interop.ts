import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED_SUITES } from './interop/compiled-suites.ts'
import { SuiteRun, type Verdict } from './interop/suite.ts'
import { SUITES } from './interop/suites.ts'
import { ServedVenue } from './interop/venue.ts'
import { compileProgram } from './support/server-process.ts'

// `make interop FULL=1 ONLY=…`: clients in other languages trade on a real process of the exchange.
// The short form runs a part of the suites in ten minutes at most. A suite whose tools are missing,
// or whose registry does not answer, is skipped with its reason. The end is a table. The exit code
// is 1 when a suite failed, 3 when all were skipped, otherwise 0.

const MINUTE_MS = 60_000
const SHORT_MS = 10 * MINUTE_MS
const FULL_MS = 90 * MINUTE_MS
const ALL_SKIPPED = 3

const [full = '', only = ''] = process.argv.slice(2)
const isFull = full !== '' && full !== '0'
const words = only.split(' ').filter((word) => word !== '')
const all = [...SUITES, ...COMPILED_SUITES]
const chosen = all.filter(({ name, isShort }) =>
  words.length === 0 ? isFull || isShort : words.some((word) => name.includes(word)),
)
if (chosen.length === 0) {
  console.error(`No suite has "${only}" in its name: ${all.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const endMs = performance.now() + (isFull ? FULL_MS : SHORT_MS)
const root = mkdtempSync(join(tmpdir(), 'outcomex-interop-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
const drivers = fileURLToPath(new URL('./interop', import.meta.url))

function print({ suite, outcome, reason, tookMs, output }: Verdict): void {
  if (outcome === 'failed') console.log(output)
  const seconds = (tookMs / 1000).toFixed(1).padStart(7)
  console.log(`${suite.padEnd(24)} ${outcome.padEnd(8)} ${seconds} s  ${reason}`)
}

await compileProgram()
const verdicts: Verdict[] = []
for (const suite of chosen) {
  console.log(`${suite.name}: begins`)
  const folder = join(root, suite.name)
  const workspace = { folder, drivers, isFull }
  const verdict = await new SuiteRun(
    suite,
    workspace,
    (at) => ServedVenue.open(at),
    endMs,
  ).verdict()
  rmSync(folder, { recursive: true, force: true })
  print(verdict)
  verdicts.push(verdict)
}
console.log('')
for (const verdict of verdicts) print({ ...verdict, output: '' })
const left = all.filter((suite) => !chosen.includes(suite)).map(({ name }) => name)
if (left.length > 0) console.log(`not chosen: ${left.join(', ')} (FULL=1 runs all)`)
if (verdicts.some(({ outcome }) => outcome === 'failed')) process.exit(1)
if (verdicts.every(({ outcome }) => outcome === 'skipped')) process.exit(ALL_SKIPPED)
process.exit(0)
