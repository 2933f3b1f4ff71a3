// One caller that asks one call at a time, so a figure is a latency and not a throughput.

import { Agent, get } from 'node:http'
import { monotonicMs } from '../passes/pacer.ts'

type Headers = Readonly<Record<string, string>>

export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #baseUrl: string

  readonly #statuses: readonly number[]
  readonly #headersOf: () => Headers

  /** `headersOf` is asked before each call. */
  constructor(
    baseUrl: string,
    statuses: readonly number[] = [200],
    headersOf: () => Headers = () => ({}),
  ) {
    this.#baseUrl = baseUrl
    this.#statuses = statuses
    this.#headersOf = headersOf
  }

  /** Asks so many times; gives the latencies in milliseconds, lowest first. */
  async round(pathOf: () => string, calls: number): Promise<number[]> {
    const ms: number[] = []
    for (let call = 0; call < calls; call++) ms.push(await this.#once(pathOf()))
    return ms.sort((a, b) => a - b)
  }

  /** Asks once, and gives the milliseconds until the whole reply is there. */
  #once(path: string): Promise<number> {
    const headers = { ...this.#headersOf() }
    const startMs = monotonicMs()
    return new Promise((resolve, reject) => {
      const asked = get(this.#baseUrl + path, { agent: this.#agent, headers }, (reply) => {
        const { statusCode = 0 } = reply
        if (!this.#statuses.includes(statusCode)) reject(new Error(`${path}: ${statusCode}`))
        reply.on('error', reject)
        reply.on('end', () => resolve(monotonicMs() - startMs))
        reply.resume()
      })
      asked.on('error', reject)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

export function percentile(sortedMs: readonly number[], percent: number): number {
  return sortedMs[Math.min(sortedMs.length - 1, Math.floor((sortedMs.length * percent) / 100))]
}
