// One caller that makes one call at a time, so a figure is a latency and not a throughput.

import { Agent, request } from 'node:http'
import { monotonicMs } from '../../server/cli/load/pacer.ts'
import { headersFor } from '../../test/support/exchange-client.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON; empty for none. */
  readonly body: string
}

export interface CallerOptions {
  /** Signs those calls that are signed. */
  readonly token?: { readonly tokenId: string; readonly secret: string }
  /** A reply with another status fails the bench. */
  readonly statuses?: readonly number[]
}

export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #baseUrl: string
  readonly #token: CallerOptions['token']
  readonly #statuses: readonly number[]

  constructor(baseUrl: string, { token, statuses = [200] }: CallerOptions = {}) {
    this.#baseUrl = baseUrl
    this.#token = token
    this.#statuses = statuses
  }

  /** Makes so many calls; returns their latencies in milliseconds. */
  async round(callOf: () => Call, calls: number, isSigned = false): Promise<number[]> {
    const ms: number[] = []
    for (let call = 0; call < calls; call++) ms.push(await this.#once(callOf(), isSigned))
    return ms
  }

  /** Makes a call; returns the milliseconds until the whole reply is there. */
  #once(call: Call, isSigned: boolean): Promise<number> {
    const { method, path, body } = call
    const token = isSigned ? this.#token : undefined
    const headers = token === undefined ? {} : { ...headersFor(token, call) }
    const startMs = monotonicMs()
    return new Promise((resolve, reject) => {
      const init = { method, agent: this.#agent, headers }
      const sent = request(this.#baseUrl + path, init, (reply) => {
        const { statusCode = 0 } = reply
        if (!this.#statuses.includes(statusCode)) reject(new Error(`${path}: ${statusCode}`))
        reply.on('error', reject)
        reply.on('end', () => resolve(monotonicMs() - startMs))
        reply.resume()
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
