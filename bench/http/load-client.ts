// A lean HTTP client for latency: raw sockets, ready-made requests, one under way per connection.
// It starts each order at its time of a constant rate, whether earlier ones have ended or not.
// autocannon starts the next order only after the last reply. So it sends less to a slow server,
// and misses the wait of the orders that should have started. Its correction for that is a guess.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { spawn } from '../../engine/thread/spawn.ts'
import { type Latencies, paced } from '../harness/pacer.ts'

export interface LoadPlan {
  readonly port: number
  readonly requests: readonly Uint8Array[]
  readonly connections: number
  readonly perSecond: number
}

interface LoadResult {
  /** The first reply other than 201; '' when there was none. */
  readonly refusal: string
  readonly latencies: Latencies
}

const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /content-length: *(\d+)/i

interface Line {
  readonly socket: Socket
  waiting: Buffer
  /** Called when the request under way has its reply. */
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
  refusal = ''
  #isOver = false

  async connect({ port, connections }: LoadPlan): Promise<void> {
    const lines = Array.from({ length: connections }, () => this.#connect(port))
    this.#free.push(...(await Promise.all(lines)))
  }

  close(): void {
    this.#isOver = true
    for (const { socket } of this.#free) socket.destroy()
  }

  send(request: Uint8Array, done: () => void): void {
    // All connections take part: the server closes one that is idle for long.
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
    // Without this a run would wait for ever for the reply of a connection that was idle too long.
    socket.on('close', () => {
      if (!this.#isOver) throw new Error('the server closed a connection')
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
    const isRefused = head.slice(9, 12) !== '201'
    if (isRefused && this.refusal === '') this.refusal = line.waiting.toString('utf8')
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

/** Runs in a thread: see `latenciesOf`. */
export async function sendAtRate(plan: LoadPlan): Promise<LoadResult> {
  const client = new LoadClient()
  await client.connect(plan)
  const { perSecond, requests } = plan
  const latencies = await paced({ perSecond, count: requests.length }, (index, done) => {
    client.send(requests[index], done)
  })
  client.close()
  return { refusal: client.refusal, latencies }
}

/** Sends orders at a constant rate, from a thread of its own; every order must be accepted. */
export async function latenciesOf(plan: LoadPlan): Promise<Latencies> {
  const entry = new URL('./load.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'load', workerData: plan })
  const [result] = await once(worker, 'message')
  await worker.terminate()
  const { refusal, latencies }: LoadResult = result
  if (refusal !== '') throw new Error(`not every order was accepted: ${refusal}`)
  return latencies
}
