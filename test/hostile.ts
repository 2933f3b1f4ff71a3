import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attack } from './attack/attack.ts'
import { ATTACKS } from './attack/attacks.ts'
import { SceneMaker, type Sizes, WHOLE } from './attack/scene.ts'
import { broken, Siege, type SiegeReport } from './attack/siege.ts'
import { WIDEST } from './attack/wide-acts.ts'
import { fillWide, WIDE_SCENE, WIDE_SIZES } from './attack/wide-scene.ts'
import { ExchangeClient } from './support/exchange-client.ts'
import { compileProgram, ServerProcess } from './support/server-process.ts'

// `make hostile SECONDS=… ONLY=…`: runs each attack for SECONDS on a server with default flags and
// normal load. It fails when the load is hurt: by its p99, by a wrong answer, or by no recovery
// within two seconds. It also fails when the memory passes its bound or a fault occurs inside.

/**
 * A lower p99 counts as this much. Server, load and attacker share two cores: one time slice of
 * another process is 4 ms, and a commit may wait for one more.
 */
const FLOOR_MS = 8
/** Enough time to make a wide folder, to start on it and to measure the load. */
const WIDE_MS = 180_000
const MIB = 2 ** 20

const [secondsText = '60', only = ''] = process.argv.slice(2)
const seconds = Number(secondsText)
if (!(seconds >= 1)) {
  console.error('hostile takes the seconds of each attack: a number of at least 1.')
  process.exit(2)
}
const chosen = [...ATTACKS, WIDEST].filter(({ name }) => name.includes(only))
if (chosen.length === 0) {
  console.error(`No attack has "${only}" in its name.`)
  process.exit(2)
}

function newFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-hostile-'))
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function prepared(dataDir: string, sizes: Sizes) {
  const args = ['--no-rate-limit', '--accept-clock']
  const server = await ServerProcess.start({ dataDir, args })
  try {
    const scene = await new SceneMaker(new ExchangeClient(server.baseUrl), sizes).make()
    await server.stop()
    return scene
  } finally {
    server.signal('SIGKILL')
  }
}

const shown = (values: readonly number[], digits = 1) =>
  values.map((value) => value.toFixed(digits)).join(' / ')

function print({ name }: Attack, report: SiegeReport, issues: readonly string[]): void {
  const { before, during, after, reported } = report
  const three = [before, during, after]
  const memory = [report.beforeBytes, report.peakBytes, report.bytesMax]
  const answers = Object.entries(reported).map(([each, count]) => `${count} × ${each}`)
  const rows = [
    ['load, p50 before / during / after, ms', shown(three.map(({ p50Ms }) => p50Ms))],
    ['load, p99', shown(three.map(({ p99Ms }) => p99Ms))],
    ['load, worst', shown(three.map(({ worstMs }) => worstMs))],
    ['health, worst', shown(three.map(({ healthWorstMs }) => healthWorstMs))],
    ['load, wrong answers during', JSON.stringify(during.failures)],
    ['longest delay of the main timer, ms', shown([report.mainLateMs])],
    [
      'memory before / peak / bound, MiB',
      shown(
        memory.map((each) => each / MIB),
        0,
      ),
    ],
    // Above the three of the test, other processes cause part of the latencies.
    ['processes that wanted a core in the last minute', shown([loadavg()[0]])],
    ['core time of other machines on the host, ms', shown(report.stolenMs, 0)],
    ['attacker, of one core', report.attackerCpu.toFixed(2)],
    ['attacker received', answers.join(', ') || 'nothing'],
  ]
  console.log(`${issues.length === 0 ? 'ok  ' : 'FAIL'} ${name}`)
  for (const [title, value] of rows) console.log(`     ${title.padEnd(50)} ${value}`)
  for (const issue of issues) console.log(`     !! ${issue}`)
}

await compileProgram()
async function ordinary() {
  const dataDir = newFolder()
  return { dataDir, scene: await prepared(dataDir, WHOLE) }
}

/** Makes the folder of one wide attack. */
async function wide() {
  const folder = newFolder()
  const instantMs = Date.now() + WIDE_MS
  fillWide(folder, instantMs)
  // The snapshot of a first start would come while the scene is made.
  const first = await ServerProcess.start({ dataDir: folder, args: ['--accept-clock'] })
  await first.stop()
  const scene = await prepared(folder, WIDE_SIZES)
  return { dataDir: folder, scene: { ...scene, ...WIDE_SCENE }, instantMs }
}

console.log(`${availableParallelism()} cores for the server, its load and the attacker together`)
let shared: Awaited<ReturnType<typeof ordinary>> | undefined
let failed = 0
for (const attack of chosen) {
  if (attack.scene !== 'wide') shared ??= await ordinary()
  const setting = shared === undefined || attack.scene === 'wide' ? await wide() : shared
  const report = await Siege.run({ ...setting, attack, seconds })
  const issues = broken(report, attack, FLOOR_MS)
  if (issues.length > 0) failed++
  print(attack, report, issues)
}
console.log(`${chosen.length - failed} of ${chosen.length} attacks did no harm to others`)
process.exit(failed === 0 ? 0 : 1)
