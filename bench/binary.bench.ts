// The one binary against node with the same program, in turns: orders over HTTP, and the time from
// the start of the process to its readiness on a folder that it knows.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../test/support/server-process.ts'
import { withExchange } from './http/http-servers.ts'
import { freshOrders, ordersPerSecond } from './http/order-rate.ts'
import { withFolder } from './passes/folder.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BINARY = fileURLToPath(new URL('../dist-binary/outcomex', import.meta.url))

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
  return { name: 'binary', rows: [...(await rateRows(size)), ...(await startRows(size))] }
}
