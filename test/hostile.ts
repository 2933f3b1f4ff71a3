import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ATTACKS, type Attack } from './attack/attacks.ts'
import { SceneMaker, WHOLE } from './attack/scene.ts'
import { broken, Siege, type SiegeReport } from './attack/siege.ts'
import { ExchangeClient } from './support/exchange-client.ts'
import { compileProgram, ServerProcess } from './support/server-process.ts'

// `make hostile SECONDS=… ONLY=…`: each attack for that long on a server with default flags and
// normal load. Fails when the load is hurt: by its p99, by a wrong answer, or by not being itself
// two seconds later; and when the memory passes its bound, or anything breaks inside.

/**
 * A p99 below counts as this much: on two cores, which server, load and attacker share, one time
 * slice of another process is 4 ms, and a commit may wait for one more.
 */
const FLOOR_MS = 8
const MIB = 2 ** 20

const [secondsText = '60', only = ''] = process.argv.slice(2)
const seconds = Number(secondsText)
if (!(seconds >= 1)) {
  console.error('hostile takes the seconds of each attack: a number from 1.')
  process.exit(2)
}
const chosen = ATTACKS.filter(({ name }) => name.includes(only))
if (chosen.length === 0) {
  console.error(`No attack has "${only}" in its name.`)
  process.exit(2)
}

const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-hostile-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))

async function prepared() {
  const server = await ServerProcess.start({ dataDir, args: ['--no-rate-limit'] })
  try {
    const scene = await new SceneMaker(new ExchangeClient(server.baseUrl), WHOLE).make()
    await server.stop()
    return scene
  } finally {
    server.signal('SIGKILL')
  }
}

const shown = (values: readonly number[], digits = 1) =>
  values.map((value) => value.toFixed(digits)).join(' / ')

function print({ name }: Attack, report: SiegeReport, issues: readonly string[]): void {
  const { before, during, after, told } = report
  const three = [before, during, after]
  const memory = [report.beforeBytes, report.peakBytes, report.bytesMax]
  const answers = Object.entries(told).map(([each, count]) => `${count} × ${each}`)
  const rows = [
    ['load, p50 before / during / after, ms', shown(three.map(({ p50Ms }) => p50Ms))],
    ['load, p99', shown(three.map(({ p99Ms }) => p99Ms))],
    ['load, worst', shown(three.map(({ worstMs }) => worstMs))],
    ['health, worst', shown(three.map(({ healthWorstMs }) => healthWorstMs))],
    ['load, wrong answers during', JSON.stringify(during.failures)],
    ['main late for its timer during, at most, ms', shown([report.mainLateMs])],
    [
      'memory before / peak / bound, MiB',
      shown(
        memory.map((each) => each / MIB),
        0,
      ),
    ],
    // With much more than the three of ours the latencies are those of others.
    ['processes that wanted a core, of the last minute', shown([loadavg()[0]])],
    ['cores taken by others of the host, ms', shown(report.stolenMs, 0)],
    ['attacker, of one core', report.attackerCpu.toFixed(2)],
    ['attacker was told', answers.join(', ') || 'nothing'],
  ]
  console.log(`${issues.length === 0 ? 'ok  ' : 'FAIL'} ${name}`)
  for (const [title, value] of rows) console.log(`     ${title.padEnd(50)} ${value}`)
  for (const issue of issues) console.log(`     !! ${issue}`)
}

await compileProgram()
const scene = await prepared()
console.log(`${availableParallelism()} cores for the server, its load and the attacker together`)
let failed = 0
for (const attack of chosen) {
  const report = await Siege.run({ dataDir, scene, attack, seconds })
  const issues = broken(report, attack, FLOOR_MS)
  if (issues.length > 0) failed++
  print(attack, report, issues)
}
console.log(`${chosen.length - failed} of ${chosen.length} attacks changed nothing for others`)
process.exit(failed === 0 ? 0 : 1)
