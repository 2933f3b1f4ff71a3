// The one binary against node with the same program, in turns: orders over HTTP, and the times from
// the start of the process to its first answer and to its readiness, on a folder that it knows.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../test/support/server-process.ts'
import { withExchange } from './http/http-servers.ts'
import { freshOrders, ordersPerSecond } from './http/order-rate.ts'
import { withFolder } from './passes/folder.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BINARY = fileURLToPath(new URL('../dist-binary/outcomex', import.meta.url))

/** A caller that asks without a pause would take a core from the start that it waits for. */
const ASK_EVERY_MS = 2

interface Size {
  readonly runs: number
  readonly orders: number
  readonly starts: number
}

const WHOLE: Size = { runs: 5, orders: 12_800, starts: 7 }
const SMOKE: Size = { runs: 1, orders: 128, starts: 1 }

function pair(title: string, unit: string, [ours, theirs]: readonly number[][], isRate: boolean) {
  const yardstick = `node, ${title}`
  const [own, yard] = [median(ours), median(theirs)]
  const ratio = isRate ? own / yard : yard / own
  return [
    rowOf(`binary, ${title}`, unit, ours, { yardstick, ratio }),
    rowOf(yardstick, unit, theirs),
  ]
}

function rateRows({ runs, orders: count }: Size): Promise<Row[]> {
  return withExchange(1, [], (byNode) =>
    withExchange(
      1,
      [],
      async (byBinary) => {
        const rates: [number[], number[]] = [[], []]
        for (let run = 0; run <= runs; run++) {
          progress(`binary: orders, run ${run} of ${runs}`)
          const own = await ordersPerSecond(byBinary.port, freshOrders(byBinary, count))
          const yard = await ordersPerSecond(byNode.port, freshOrders(byNode, count))
          if (run === 0 && runs > 1) continue
          rates[0].push(own)
          rates[1].push(yard)
        }
        return pair('orders', 'orders/s', rates, true)
      },
      [BINARY],
    ),
  )
}

async function startMs(dataDir: string, program?: readonly string[]): Promise<number> {
  const fromMs = performance.now()
  const server = await ServerProcess.start({
    dataDir,
    ...(program === undefined ? {} : { program }),
  })
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

/** From the start of the process to the first answer of a caller that asks again and again. */
async function firstAnswerMs(dataDir: string): Promise<number> {
  const port = await freePort()
  const args = [
    'serve',
    '--data',
    dataDir,
    '--port',
    String(port),
    '--admin-token',
    'of-a-bench-token',
  ]
  const fromMs = performance.now()
  const child = spawn(BINARY, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}/health`
  let tookMs = 0
  while (tookMs === 0 && child.exitCode === null) {
    const reply = await fetch(url).catch(() => null)
    if (reply !== null) tookMs = performance.now() - fromMs
    else await setTimeout(ASK_EVERY_MS)
  }
  child.kill('SIGKILL')
  await ended
  if (tookMs === 0) throw new Error('the binary ended before it answered')
  return tookMs
}

function answerRows({ starts }: Size): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    await startMs(dataDir, [BINARY])
    const times: number[] = []
    for (let each = 0; each < starts; each++) {
      progress(`binary: first answer ${each + 1} of ${starts}`)
      times.push(await firstAnswerMs(dataDir))
    }
    return [rowOf('binary, from start to the first answer', 'ms', times)]
  })
}

function startRows({ starts }: Size): Promise<Row[]> {
  return withFolder(async (dataDir) => {
    await startMs(dataDir, [BINARY])
    const times: [number[], number[]] = [[], []]
    for (let each = 0; each < starts; each++) {
      progress(`binary: start ${each + 1} of ${starts}`)
      times[0].push(await startMs(dataDir, [BINARY]))
      times[1].push(await startMs(dataDir))
    }
    return pair('from start to ready', 'ms', times, false)
  })
}

export async function binaryBench({ smoke }: BenchOptions): Promise<Report> {
  if (!existsSync(BINARY)) {
    progress('binary: makes the binary')
    execFileSync('make', ['binary'], { cwd: ROOT, stdio: 'pipe' })
  }
  const size = smoke ? SMOKE : WHOLE
  const starts = [...(await answerRows(size)), ...(await startRows(size))]
  return { name: 'binary', rows: [...(await rateRows(size)), ...starts] }
}
