// One caller that asks one call at a time, so a figure is a latency and not a throughput.

import { Agent, request } from 'node:http'
import { monotonicMs } from '../passes/pacer.ts'

type Headers = Readonly<Record<string, string>>

export interface ReadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON; empty for none. */
  readonly body: string
}

export function getting(path: string): ReadRequest {
  return { method: 'GET', path, body: '' }
}

export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #baseUrl: string

  readonly #statuses: readonly number[]
  readonly #headersOf: (ask: ReadRequest) => Headers

  /** `headersOf` is asked before each call. */
  constructor(
    baseUrl: string,
    statuses: readonly number[] = [200],
    headersOf: (ask: ReadRequest) => Headers = () => ({}),
  ) {
    this.#baseUrl = baseUrl
    this.#statuses = statuses
    this.#headersOf = headersOf
  }

  /** Asks so many times; gives the latencies in milliseconds, lowest first. */
  async round(requestOf: () => ReadRequest, calls: number): Promise<number[]> {
    const ms: number[] = []
    for (let call = 0; call < calls; call++) ms.push(await this.#once(requestOf()))
    return ms.sort((a, b) => a - b)
  }

  /** Asks once, and gives the milliseconds until the whole reply is there. */
  #once(ask: ReadRequest): Promise<number> {
    const { method, path, body } = ask
    const headers = { ...this.#headersOf(ask) }
    const startMs = monotonicMs()
    return new Promise((resolve, reject) => {
      const init = { method, agent: this.#agent, headers }
      const requested = request(this.#baseUrl + path, init, (reply) => {
        const { statusCode = 0 } = reply
        if (!this.#statuses.includes(statusCode)) reject(new Error(`${path}: ${statusCode}`))
        reply.on('error', reject)
        reply.on('end', () => resolve(monotonicMs() - startMs))
        reply.resume()
      })
      requested.on('error', reject)
      requested.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

export function percentile(sortedMs: readonly number[], percent: number): number {
  return sortedMs[Math.min(sortedMs.length - 1, Math.floor((sortedMs.length * percent) / 100))]
}
