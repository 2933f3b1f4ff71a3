// `node --import tsx bench/profile.ts book|core|server` profiles the named part under load, into
// .cache/profile/. V8 samples every thread, and logs which functions it optimises and deoptimises.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileProgram, ServerProcess } from '../test/support/server-process.ts'
import { type ContenderName, forkPasses } from './contenders/passes.ts'
import { progress } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import { freshOrders, ordersPerSecond } from './http/full-speed.ts'
import { prepare } from './http/orders.ts'
import { readProfiles, speedscopeOf } from './profile/cpu-profile.ts'
import { readTrace, summaryText } from './profile/profile-summary.ts'

const PARENT = fileURLToPath(new URL('../.cache/profile/', import.meta.url))
const INTERVAL_US = 250
const WORKLOAD = { seed: 1, live: 10_000, books: 1, accounts: 64, ops: 500_000 }
const PASSES = 40
const MARKETS = 4
const ROUNDS = 6
const ORDERS = 6400

const TRACING = ['--trace-opt', '--trace-deopt']

/** Returns the output of the process. */
async function recordPasses(contender: ContenderName, folder: string): Promise<string> {
  progress(`${contender}: ${PASSES} passes of ${WORKLOAD.ops} operations`)
  let output = ''
  const profilePath = join(folder, `${contender}.cpuprofile`)
  await forkPasses(
    { contender, workload: WORKLOAD, warmPasses: 0, passes: PASSES, profilePath },
    { nodeArgs: TRACING, onOutput: (text) => (output += text) },
  )
  return output
}

async function recordServer(folder: string): Promise<string> {
  progress('server: compiling the program')
  await compileProgram()
  return await withFolder(async (dataDir) => {
    const sampling = ['--cpu-prof', `--cpu-prof-interval=${INTERVAL_US}`]
    const flags = [...sampling, ...TRACING, '--cpu-prof-dir'].join(' ')
    // The shell puts the flags between node and the program.
    const wrapper = ['sh', '-c', `exec "$0" ${flags} '${folder}' "$@"`]
    const server = await ServerProcess.start({ dataDir, args: ['--no-rate-limit'], wrapper })
    const setting = await prepare(server.baseUrl, MARKETS)
    progress(`server: signing ${ROUNDS * ORDERS} orders`)
    const rounds = Array.from({ length: ROUNDS }, () => freshOrders({ setting }, ORDERS))
    const port = Number(new URL(server.baseUrl).port)
    for (const orders of rounds) {
      const perSecond = await ordersPerSecond(port, orders)
      progress(`server: ${Math.round(perSecond)} orders/s while it is profiled`)
    }
    server.signal('SIGTERM')
    const { code, stdout } = await server.ended
    if (code !== 0) throw new Error(`the server stopped with code ${code}`)
    return stdout
  })
}

const RECORDERS: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  book: (folder) => recordPasses('our-book', folder),
  core: (folder) => recordPasses('core', folder),
  server: recordServer,
}

const [what = ''] = process.argv.slice(2)
if (!(what in RECORDERS)) {
  console.error(`Name what to profile: make profile WHAT=${Object.keys(RECORDERS).join('|')}`)
  process.exit(2)
}
const folder = join(PARENT, what)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const trace = await RECORDERS[what](folder)
const profiles = readProfiles(folder)
const summary = summaryText(profiles, readTrace(trace.split('\n')))
const flameGraph = join(folder, `${what}.speedscope.json`)
writeFileSync(join(folder, 'compiler.log'), trace)
writeFileSync(join(folder, 'summary.txt'), `${summary}\n`)
writeFileSync(flameGraph, speedscopeOf(`outcomex ${what}`, profiles))
console.log(`${summary}\n\nThe flame graph is ${flameGraph}: open it in https://www.speedscope.app`)
