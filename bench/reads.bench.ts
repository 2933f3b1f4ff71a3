// Every public read over HTTP, on a small exchange and on a large one: a read may cost no more
// because there is more behind it. Both servers are up, and take turns read by read. One caller
// asks one call at a time, so a figure is a latency and not a throughput. READS=medium in the
// environment measures a size between the two.

import { Agent, get } from 'node:http'
import { assert } from '../engine/domain/assert.ts'
import { Random } from '../test/support/random.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { withFolder } from './folder.ts'
import { monotonicMs } from './pacer.ts'
import { progress } from './progress.ts'
import { type ReadsSize, slugOf, writeReadsFolder } from './reads-folder.ts'
import { READS, type Read, type ReadsWorld } from './reads-list.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report.ts'

interface Plan {
  readonly few: ReadsSize
  readonly many: ReadsSize
  readonly rounds: number
  readonly calls: number
}

const OFTEN = { rounds: 5, calls: 400 }
/** Markets have equally many trades in both, so that their pages are equally full. */
const FULL: Plan = {
  few: { active: 50, resolved: 50, trades: 125_000 },
  many: { active: 4000, resolved: 200_000, trades: 10_000_000 },
  ...OFTEN,
}
const MEDIUM: Plan = {
  few: { active: 50, resolved: 50, trades: 20_000 },
  many: { active: 500, resolved: 4000, trades: 200_000 },
  ...OFTEN,
}
const SMOKE: Plan = {
  few: { active: 5, resolved: 5, trades: 100 },
  many: { active: 10, resolved: 20, trades: 200 },
  rounds: 1,
  calls: 2,
}

const PERCENTILES = [50, 99]

/** Asks once, and gives the milliseconds until the whole reply is there. */
function once(agent: Agent, url: string): Promise<number> {
  const startMs = monotonicMs()
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent }, (reply) => {
      const { statusCode = 0 } = reply
      if (statusCode !== 200 && statusCode !== 404) reject(new Error(`${url}: ${statusCode}`))
      reply.on('error', reject)
      reply.on('end', () => resolve(monotonicMs() - startMs))
      reply.resume()
    })
    asked.on('error', reject)
  })
}

function percentile(sortedMs: readonly number[], percent: number): number {
  return sortedMs[Math.min(sortedMs.length - 1, Math.floor((sortedMs.length * percent) / 100))]
}

class Side {
  /** Sorted latencies by read and round. */
  readonly #rounds = new Map<Read, number[][]>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #baseUrl: string
  readonly #world: ReadsWorld
  readonly name: string

  constructor(name: string, baseUrl: string, size: ReadsSize) {
    this.name = name
    this.#baseUrl = baseUrl
    const random = new Random(1)
    const slug = () => slugOf(size.resolved + 1 + random.below(size.active))
    this.#world = { random, size, slug }
  }

  async round(read: Read, calls: number): Promise<void> {
    const ms: number[] = []
    for (let call = 0; call < calls; call++) {
      ms.push(await once(this.#agent, this.#baseUrl + read.path(this.#world)))
    }
    ms.sort((a, b) => a - b)
    this.#rounds.set(read, [...(this.#rounds.get(read) ?? []), ms])
  }

  figures(read: Read, percent: number): number[] {
    const rounds = this.#rounds.get(read)
    assert(rounds !== undefined, 'a read is measured before it is told')
    return rounds.map((ms) => percentile(ms, percent))
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function withServer<T>(
  name: string,
  size: ReadsSize,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  return withFolder(async (dataDir) => {
    progress(`reads: ${size.active} active, ${size.resolved} resolved, ${size.trades} trades`)
    writeReadsFolder(dataDir, size)
    const server = await ServerProcess.start({ dataDir, args: ['--no-rate-limit'] })
    const side = new Side(name, server.baseUrl, size)
    try {
      return await work(side)
    } finally {
      side.close()
      await server.stop()
    }
  })
}

async function measure(few: Side, many: Side, { rounds, calls }: Plan): Promise<void> {
  for (const read of READS) {
    progress(`reads: ${read.name}`)
    // The first round warms up the code and the pages.
    for (let round = 0; round <= rounds; round++) {
      for (const side of [few, many]) await side.round(read, calls)
    }
  }
}

function rowsOf(few: Side, many: Side): Row[] {
  return READS.flatMap((read) =>
    PERCENTILES.flatMap((percent) => {
      const kind = read.isWhole === true ? 'whole list' : 'read'
      const title = (side: Side) => `${kind}: ${read.name}, p${percent}, ${side.name}`
      const [small, large] = [few, many].map((side) => side.figures(read, percent).slice(1))
      const first = rowOf(title(few), 'ms', small)
      const ratio = first.median / median(large)
      return [first, rowOf(title(many), 'ms', large, { yardstick: first.case, ratio })]
    }),
  )
}

function planOf(smoke: boolean): Plan {
  if (smoke) return SMOKE
  return process.env.READS === 'medium' ? MEDIUM : FULL
}

export function readsBench({ smoke }: BenchOptions): Promise<Report> {
  const plan = planOf(smoke)
  const nameOf = ({ active }: ReadsSize) => `${active} markets`
  return withServer(nameOf(plan.few), plan.few, (few) =>
    withServer(nameOf(plan.many), plan.many, async (many) => {
      await measure(few, many, plan)
      return { name: 'reads', rows: rowsOf(few, many) }
    }),
  )
}
