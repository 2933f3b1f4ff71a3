// The one binary against node with the same program: orders over HTTP, and the times from the start
// of the process to its first answer and to its readiness, on a folder that it knows.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../test/support/server-process.ts'
import { alternate, benchOf, pairOf, progress, type Row, repeat, rowOf } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'
import { freshOrders, ordersPerSecond } from './http/full-speed.ts'
import { withExchange } from './http/servers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BINARY = fileURLToPath(new URL('../dist-binary/outcomex', import.meta.url))
/** A caller that polls without a pause would take a core from the start that it waits for. */
const POLL_EVERY_MS = 2
const FULL = { rounds: 5, warmUps: 1, orders: 12_800, starts: 7 }
type Size = typeof FULL
const SMOKE = { rounds: 1, warmUps: 0, orders: 128, starts: 1 }

function rowsOf(about: string, unit: string, [ours, theirs]: readonly number[][]): Row[] {
  const [binary, node] = [`binary, ${about}`, `node, ${about}`]
  return pairOf(unit, { name: binary, samples: ours }, { name: node, samples: theirs })
}

function rateRows({ rounds, warmUps, orders: count }: Size): Promise<Row[]> {
  return withExchange({ markets: 1 }, (byNode) =>
    withExchange({ markets: 1, program: [BINARY] }, async (byBinary) => {
      const samples = await alternate({ about: 'binary: orders', rounds, warmUps }, () =>
        [byBinary, byNode].map((target) => () => {
          return ordersPerSecond(target.port, freshOrders(target, count))
        }),
      )
      return rowsOf('orders', 'orders/s', samples)
    }),
  )
}

async function readyMs(dataDir: string, program?: readonly string[]): Promise<number> {
  const fromMs = performance.now()
  const server = await ServerProcess.start({ dataDir, program })
  const tookMs = performance.now() - fromMs
  await server.stop()
  return tookMs
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return address === null || typeof address === 'string' ? 0 : address.port
}

/** From the start of the process to the first answer of a caller that polls it. */
async function firstAnswerMs(dataDir: string): Promise<number> {
  const port = await freePort()
  const words = `serve --port ${port} --admin-token of-a-bench-token --data`.split(' ')
  const fromMs = performance.now()
  const child = spawn(BINARY, [...words, dataDir], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  let tookMs = 0
  while (tookMs === 0 && child.exitCode === null) {
    const reply = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)
    if (reply !== null) tookMs = performance.now() - fromMs
    else await setTimeout(POLL_EVERY_MS)
  }
  child.kill('SIGKILL')
  await ended
  if (tookMs === 0) throw new Error('the binary ended before it answered')
  return tookMs
}

function startRows({ starts: rounds }: Size): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    await readyMs(dataDir, [BINARY])
    const answers = await repeat({ about: 'binary: first answer', rounds }, () =>
      firstAnswerMs(dataDir),
    )
    const starts = await alternate({ about: 'binary: start', rounds }, () => [
      () => readyMs(dataDir, [BINARY]),
      () => readyMs(dataDir),
    ])
    const first = rowOf('binary, from start to the first answer', 'ms', answers)
    return [first, ...rowsOf('from start to ready', 'ms', starts)]
  })
}

const AIMS = `
≥ 0.95×   ^binary, orders      orders over HTTP: the one binary against node
≤ 300 ms  to the first answer  the one binary: from its start to the first answer
`

export const bench = benchOf({
  name: 'binary',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async (size) => {
    if (!existsSync(BINARY)) {
      progress('binary: building the binary')
      execFileSync('make', ['binary'], { cwd: ROOT, stdio: 'pipe' })
    }
    const starts = await startRows(size)
    return [...(await rateRows(size)), ...starts]
  },
})
