// Reads of one order book over keep-alive connections, against uWebSockets.js alone with the same
// bytes.

import { assert } from '../../engine/domain/assert.ts'
import { cpuMs } from '../../test/support/process-figures.ts'
import { alternate, type Row, rowOf } from '../harness/bench.ts'
import { withService } from '../harness/child.ts'
import { CONNECTIONS } from './full-speed.ts'
import { callsOf, signOrders } from './orders.ts'
import { type ReadPlan, readsPerSecond } from './read-client.ts'
import { type Target, withExchange } from './servers.ts'

/** They make some fifty levels: two kilobytes. */
const ORDERS = 80

export interface ReadSize {
  readonly rounds: number
  readonly reads: number
}

/** Fills the book; returns its text. */
async function bookOf({ port, setting }: Target, path: string): Promise<string> {
  const base = `http://127.0.0.1:${port}`
  for (const { headers, body } of callsOf(signOrders(setting, ORDERS, 1))) {
    const placed = await fetch(`${base}/orders`, { method: 'POST', headers: { ...headers }, body })
    await placed.text()
    assert(placed.status === 201, 'every order of the book is accepted')
  }
  return (await fetch(base + path)).text()
}

const PLAIN = { module: new URL('./plain-server.ts', import.meta.url), name: 'serveText' }

/** One of the reads that alternate. */
interface Read extends Pick<ReadPlan, 'port' | 'headers'> {
  readonly name: string
  readonly pid: number
}

interface Sample {
  readonly perSecond: number
  /** CPU of the whole server for a reply: steady also where other programs take the cores. */
  readonly micros: number
}

async function sampleOf({ port, pid, headers }: Read, path: string, replies: number) {
  const beforeMs = cpuMs(pid)
  const plan = { port, path, headers, replies, connections: CONNECTIONS }
  const perSecond = await readsPerSecond(plan)
  return { perSecond, micros: ((cpuMs(pid) - beforeMs) * 1000) / replies }
}

/** Two rows of a read; `baseline` has those of the plain server. */
function rowsOf(name: string, samples: readonly Sample[], baseline: readonly Row[] = []): Row[] {
  const [rate, cost] = baseline
  const rates = samples.map(({ perSecond }) => perSecond)
  const costs = samples.map(({ micros }) => micros)
  return [rowOf(name, 'replies/s', rates, rate), rowOf(`CPU of ${name}`, 'µs', costs, cost)]
}

export function bookReads({ rounds, reads }: ReadSize): Promise<Row[]> {
  return withExchange({ markets: 1 }, async (target) => {
    const path = `/markets/${target.setting.markets[0].slug}/orderbook`
    const text = await bookOf(target, path)
    return withService(PLAIN, text, async (port: number, { pid }) => {
      const cases: Read[] = [
        { ...target, name: 'GET orderbook', headers: {} },
        { ...target, name: 'GET orderbook, 304', headers: { 'if-none-match': '*' } },
        { port, pid, name: 'plain uWebSockets.js, GET orderbook', headers: {} },
      ]
      const about = `http: reads of a book of ${text.length} bytes`
      const samples = await alternate({ about, rounds, warmUps: 1 }, () =>
        cases.map((each) => () => sampleOf(each, path, reads)),
      )
      const [ours, unchanged, plain] = cases.map(({ name }) => name)
      const baseline = rowsOf(plain, samples[2])
      return [
        ...rowsOf(ours, samples[0], baseline),
        ...rowsOf(unchanged, samples[1], baseline),
        ...baseline,
      ]
    })
  })
}
