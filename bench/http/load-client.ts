// A lean HTTP client for latency: raw sockets, ready-made requests, one under way per connection.
// It begins each order at its time of a constant rate, whether earlier ones have ended or not.
// autocannon begins the next order only after the last reply. So it asks a slow server less often,
// and never sees the wait of the orders that should have begun. Its correction for that is a guess.

import { connect, type Socket } from 'node:net'
import { paced } from '../passes/pacer.ts'

export interface LoadPlan {
  readonly port: number
  readonly requests: readonly Uint8Array[]
  readonly connections: number
  readonly perSecond: number
}

export interface LoadResult {
  /** Replies other than 201. */
  readonly refused: number
  /** The first reply other than 201. */
  readonly refusal: string
  /** Milliseconds for each percentile, counted from when each request was meant to begin. */
  readonly latencyMs: readonly number[]
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /content-length: *(\d+)/i

interface Line {
  readonly socket: Socket
  waiting: Buffer
  /** Ends the request that is under way. */
  done: () => void
}

interface Unsent {
  readonly request: Uint8Array
  readonly done: () => void
}

class LoadClient {
  readonly #free: Line[] = []
  /** Requests that wait for a free connection, oldest first. Their wait counts. */
  readonly #unsent: Unsent[] = []
  #unsentFrom = 0
  refused = 0
  refusal = ''

  async connect({ port, connections }: LoadPlan): Promise<void> {
    const lines = Array.from({ length: connections }, () => this.#connect(port))
    this.#free.push(...(await Promise.all(lines)))
  }

  close(): void {
    for (const { socket } of this.#free) socket.destroy()
  }

  send(request: Uint8Array, done: () => void): void {
    // In turns: the server closes a connection that is idle for long.
    const line = this.#free.shift()
    if (line === undefined) this.#unsent.push({ request, done })
    else this.#begin(line, request, done)
  }

  #begin(line: Line, request: Uint8Array, done: () => void): void {
    line.done = done
    line.socket.write(request)
  }

  #connect(port: number): Promise<Line> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const line: Line = { socket, waiting: Buffer.alloc(0), done: () => {} }
    socket.on('data', (bytes) => this.#take(line, bytes))
    socket.on('error', (error) => {
      throw error
    })
    return new Promise((resolve) => socket.once('connect', () => resolve(line)))
  }

  #take(line: Line, bytes: Buffer): void {
    line.waiting = line.waiting.length === 0 ? bytes : Buffer.concat([line.waiting, bytes])
    const headEnd = line.waiting.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = line.waiting.toString('latin1', 0, headEnd)
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
    if (line.waiting.length < headEnd + HEAD_END.length + length) return
    if (head.slice(9, 12) !== '201') {
      this.refused++
      if (this.refusal === '') this.refusal = line.waiting.toString('utf8')
    }
    line.waiting = Buffer.alloc(0)
    const { done } = line
    const next = this.#unsent[this.#unsentFrom]
    if (next === undefined) this.#free.push(line)
    else {
      this.#unsentFrom++
      this.#begin(line, next.request, next.done)
    }
    done()
  }
}

export async function constantRate(
  plan: LoadPlan,
  percentiles: readonly number[],
): Promise<LoadResult> {
  const client = new LoadClient()
  await client.connect(plan)
  const { perSecond, requests } = plan
  const histogram = await paced({ perSecond, count: requests.length }, (index, done) => {
    client.send(requests[index], done)
  })
  client.close()
  const { refused, refusal } = client
  const latencyMs = percentiles.map((each) => histogram.getValueAtPercentile(each) / 1000)
  return { refused, refusal, latencyMs }
}
