// Reads of one order book over keep-alive connections, against uWebSockets.js alone with the same
// bytes. Both servers are asked in turns. The client counts bytes only, so the server is the slower
// side.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assert } from '../../engine/domain/assert.ts'
import { cpuMs } from '../../test/support/process-figures.ts'
import { callsOf, signOrders } from '../http/http-orders.ts'
import { type Target, withExchange } from '../http/http-servers.ts'
import { progress } from '../report/progress.ts'
import { median, type Row, rowOf } from '../report/report.ts'
import { readsPerSecond } from './read-load.ts'

/** They make some fifty levels: two kilobytes. */
const ORDERS = 80
const CONNECTIONS = 64

export interface ReadSize {
  readonly runs: number
  readonly reads: number
}

/** Fills the book and gives its text. */
async function bookOf({ port, setting }: Target, path: string): Promise<string> {
  const base = `http://127.0.0.1:${port}`
  for (const { headers, body } of callsOf(signOrders(setting, ORDERS, 1))) {
    const placed = await fetch(`${base}/orders`, { method: 'POST', headers: { ...headers }, body })
    await placed.text()
    assert(placed.status === 201, 'every order of the book is accepted')
  }
  return (await fetch(base + path)).text()
}

interface Server {
  readonly port: number
  readonly pid: number
}

async function withPlain<T>(text: string, work: (plain: Server) => Promise<T>): Promise<T> {
  const path = fileURLToPath(new URL('../http/plain-server.ts', import.meta.url))
  const child: ChildProcess = fork(path, [], { execArgv: ['--import', 'tsx'] })
  try {
    child.send(text)
    const [port] = await once(child, 'message')
    assert(child.pid !== undefined, 'a server that listens has a process')
    return await work({ port: Number(port), pid: child.pid })
  } finally {
    child.disconnect()
  }
}

/** One of the reads that take turns, with the figures of its runs. */
interface Case {
  readonly name: string
  readonly server: Server
  readonly headers: Readonly<Record<string, string>>
  readonly perSecond: number[]
  /** CPU of the whole server for a reply: steady also where other programs take the cores. */
  readonly micros: number[]
}

function caseOf(name: string, server: Server, headers: Case['headers'] = {}): Case {
  return { name, server, headers, perSecond: [], micros: [] }
}

async function runOnce(each: Case, path: string, replies: number, isCounted: boolean) {
  const { port, pid } = each.server
  const beforeMs = cpuMs(pid)
  const { headers } = each
  const rate = await readsPerSecond({ port, path, headers, replies, connections: CONNECTIONS })
  if (!isCounted) return
  each.perSecond.push(rate)
  each.micros.push(((cpuMs(pid) - beforeMs) * 1000) / replies)
}

function rowsOf(cases: readonly Case[], plain: Case): Row[] {
  return cases.flatMap((each) => {
    const cpuOf = (name: string) => `CPU of ${name}`
    const rate = median(each.perSecond) / median(plain.perSecond)
    const cost = median(plain.micros) / median(each.micros)
    const isPlain = each === plain
    const yardstick = plain.name
    return [
      rowOf(each.name, 'replies/s', each.perSecond, isPlain ? {} : { yardstick, ratio: rate }),
      rowOf(cpuOf(each.name), 'µs', each.micros, {
        ...(isPlain ? {} : { yardstick: cpuOf(yardstick), ratio: cost }),
      }),
    ]
  })
}

export function bookReads({ runs, reads }: ReadSize): Promise<Row[]> {
  return withExchange(1, [], async (target) => {
    const path = `/markets/${target.setting.markets[0].slug}/orderbook`
    const text = await bookOf(target, path)
    return withPlain(text, async (server) => {
      const plain = caseOf('plain uWebSockets.js, GET orderbook', server)
      const cases = [
        caseOf('GET orderbook', target),
        caseOf('GET orderbook, 304', target, { 'if-none-match': '*' }),
        plain,
      ]
      // One run more than is counted comes first, to warm both up.
      for (let run = 0; run <= runs; run++) {
        progress(`http: reads of a book of ${text.length} bytes, run ${run} of ${runs}`)
        for (const each of cases) await runOnce(each, path, reads, run > 0)
      }
      return rowsOf(cases, plain)
    })
  })
}
