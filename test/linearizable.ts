import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, isUnreachable, lastLine, runCommand } from './interop/program.ts'
import { simulateHistory } from './linearizable/simulated-history.ts'
import type { HistoryOperation } from './support/client-history.ts'
import { fromEnv } from './support/random.ts'

// `make linearizable HISTORY=PATH OPTIONAL=1`: builds the checker of client histories, which is a
// program in Go with Porcupine (test/linearizable/model.go). With HISTORY it checks that file, or
// all in that folder, and draws the first account that fails. Otherwise it checks the checker: good
// histories pass, each planted fault is found at its line, and so it is with a long simulated
// history of SEED. The exit code is 1 when a history is not as it must be, and when the checker
// cannot be built. OPTIONAL passes where Go or its module proxy is missing.

const SECOND_MS = 1_000
const TOOL_MS = 20 * SECOND_MS
const FETCH_MS = 240 * SECOND_MS
const CHECK_MS = 1_200 * SECOND_MS
const SIMULATED = { accounts: 20, operations: 10_000 }

/** The end of the name of each planted fault, and where it must be found. */
const FAULTS: Readonly<Record<string, string>> = {
  'backward-read': 'line 4: order of a1 -> absent',
  'behind-min-seq': 'line 4: order of a1 -> absent',
  'cancel-of-nothing': 'line 2: cancel of a1 -> canceled',
  'early-heartbeat': 'line 4: order of a1 -> CANCELED',
  'forgotten-deposit': 'line 4: balance -> free 9000000, reserved 1000000',
  'half-heartbeat': 'line 5: balance -> free 9500000, reserved 500000',
  'late-effect': 'line 3: cancel of a1 -> not_found',
  'lost-place': 'line 5: order of a1 -> absent',
  'place-twice': 'line 4: balance -> free 8000000, reserved 2000000',
  'refused-appears': 'line 4: order of a1 -> LIVE',
  'replaced-heartbeat': 'line 5: order of a1 -> CANCELED',
  'short-appears': 'line 4: balance -> free 40000000, reserved 20000000',
  'stale-own-read': 'line 3: order of a1 -> absent',
  'two-order-ids': 'line 3: a1 is order o1 and order o2',
}

const [history = '', optional = ''] = process.argv.slice(2)
const isOptional = optional !== '' && optional !== '0'
const sources = fileURLToPath(new URL('./linearizable', import.meta.url))
const histories = join(sources, 'histories')
/** Built here, because .cache is ignored and `make clean` removes it. */
const cache = fileURLToPath(new URL('../.cache/linearizable', import.meta.url))
const checker = join(cache, 'check')

function go(words: string, limitMs: number, env = {}): Command {
  // The toolchain of the machine, and no change of go.mod and go.sum.
  const fixed = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false' }
  return { program: 'go', args: words.split(' '), cwd: sources, limitMs, env: { ...fixed, ...env } }
}

function endWithout(reason: string): never {
  console.error(`No history is checked: ${reason}`)
  process.exit(isOptional ? 0 : 1)
}

async function build(): Promise<void> {
  const present = await runCommand(go('version', TOOL_MS))
  if (present.code !== 0) {
    endWithout('Go 1.26 or newer is needed; install it from https://go.dev/dl or as `golang`.')
  }
  const fetched = await runCommand(go('mod download', FETCH_MS))
  if (fetched.isLate || (fetched.code !== 0 && isUnreachable(fetched.output))) {
    endWithout(`the module proxy of Go does not answer: ${lastLine(fetched.output)}`)
  }
  mkdirSync(cache, { recursive: true })
  const built = await runCommand(go(`build -o ${checker} .`, FETCH_MS, { GOPROXY: 'off' }))
  if (fetched.code === 0 && built.code === 0) return
  console.error(`${fetched.output}${built.output}\nThe checker cannot be built.`)
  process.exit(1)
}

function check(args: readonly string[]) {
  return runCommand({ program: checker, args, limitMs: CHECK_MS })
}

/** Checks histories of a run; the picture of a failure is kept. */
async function checkPath(path: string): Promise<number> {
  const isFolder = statSync(path).isDirectory()
  const paths = isFolder ? readdirSync(path).map((name) => join(path, name)) : [path]
  const picture = join(cache, `${basename(path)}.html`)
  const { code, output } = await check(['-limit', '200s', '-html', picture, ...paths])
  console.log(output.trimEnd())
  if (code === 1) console.log(`The first account that fails is drawn in ${picture}`)
  return code === 0 ? 0 : 1
}

/** Whether a history ends as it must: well, or with this fault. */
async function isAsExpected(path: string, fault: string | null): Promise<boolean> {
  const { code, output } = await check([path])
  const isRight = fault === null ? code === 0 : code === 1 && output.includes(fault)
  const verdict = isRight ? (fault === null ? 'holds' : 'found') : 'NOT AS EXPECTED'
  console.log(`${basename(path).padEnd(32)} ${verdict}`)
  if (!isRight) console.log(output)
  return isRight
}

async function checkPlanted(): Promise<number> {
  let unexpected = 0
  const names = readdirSync(histories).sort()
  const faults = names.filter((name) => !name.startsWith('good-'))
  const planted = Object.keys(FAULTS).map((name) => `fault-${name}.jsonl`)
  if (faults.join() !== planted.sort().join()) {
    console.log(`FAULTS does not list the histories in ${histories}`)
    unexpected++
  }
  for (const name of names) {
    const fault = /^fault-(.*)[.]jsonl$/.exec(name)?.[1]
    const expected = fault === undefined ? null : (FAULTS[fault] ?? 'no such fault')
    if (!(await isAsExpected(join(histories, name), expected))) unexpected++
  }
  return unexpected
}

/** The same operations, but one balance in the last half is off by one raw unit. */
function planted(operations: readonly HistoryOperation[]): [HistoryOperation[], number] {
  const half = Math.floor(operations.length / 2)
  const at = operations.findIndex(({ reply }, index) => index > half && reply?.kind === 'balance')
  const changed = operations.map((operation, index) => {
    const { reply } = operation
    if (index !== at || reply?.kind !== 'balance') return operation
    return { ...operation, reply: { ...reply, freeRaw: reply.freeRaw + 1 } }
  })
  return [changed, at + 1]
}

async function checkSimulated(seed: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'outcomex-linearizable-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const good = join(folder, `simulated-${seed}`)
  const bad = join(folder, `simulated-${seed}-planted`)
  const simulated = simulateHistory(seed, SIMULATED)
  simulated.write(good)
  const [changed, line] = planted(simulated.operations)
  writeFileSync(bad, changed.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const isGood = await isAsExpected(good, null)
  const isFound = await isAsExpected(bad, `: line ${line}: balance`)
  return (isGood ? 0 : 1) + (isFound ? 0 : 1)
}

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
await build()
if (history !== '') process.exit(await checkPath(history))
const unexpected = (await checkPlanted()) + (await checkSimulated(fromEnv('SEED', 1)))
console.log(unexpected === 0 ? 'as expected' : `${unexpected} not as expected`)
process.exit(unexpected === 0 ? 0 : 1)
