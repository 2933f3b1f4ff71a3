// A lean HTTP client for load: raw sockets, ready-made requests, one under way per connection. It
// shares the machine with the server, so what it costs itself is kept small.

import { connect, type Socket } from 'node:net'
import { build, type Histogram } from 'hdr-histogram-js'

export interface LoadPlan {
  readonly port: number
  readonly requests: readonly Uint8Array[]
  readonly connections: number
  /** 0: as fast as replies come. Else requests begin at this rate, late or not. */
  readonly perSecond: number
}

export interface LoadResult {
  readonly seconds: number
  /** Replies by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The first reply that was not 201; '' when all were. */
  readonly refusal: string
  /** Milliseconds by LOAD_PERCENTILES, from the moment each request was meant to begin. */
  readonly latencyMs: readonly number[]
}

export const LOAD_PERCENTILES = [50, 99, 99.9, 99.99, 100] as const
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /content-length: *(\d+)/i

interface Line {
  readonly socket: Socket
  waiting: Buffer
  /** 0 when the line is free. */
  intendedMs: number
}

export class LoadClient {
  readonly #plan: LoadPlan
  readonly #free: Line[] = []
  readonly #statuses: Record<string, number> = {}
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
  })
  #refusal = ''
  #next = 0
  #ended = 0
  #startMs = 0
  #isTicking = false
  #finish: (result: LoadResult) => void = () => {}
  #fail: (error: Error) => void = () => {}

  constructor(plan: LoadPlan) {
    this.#plan = plan
  }

  async run(): Promise<LoadResult> {
    const lines = Array.from({ length: this.#plan.connections }, () => this.#connect())
    this.#free.push(...(await Promise.all(lines)))
    const result = await new Promise<LoadResult>((resolve, reject) => {
      this.#finish = resolve
      this.#fail = reject
      this.#startMs = performance.now()
      this.#pump()
    })
    for (const { socket } of this.#free) socket.destroy()
    return result
  }

  #connect(): Promise<Line> {
    const socket = connect({ port: this.#plan.port, host: '127.0.0.1', noDelay: true })
    const line: Line = { socket, waiting: Buffer.alloc(0), intendedMs: 0 }
    socket.on('data', (bytes) => this.#take(line, bytes))
    socket.on('error', (error) => this.#fail(error))
    return new Promise((resolve) => socket.once('connect', () => resolve(line)))
  }

  /** Begins what is due on the lines that are free; what finds none waits, and its time runs. */
  #pump(): void {
    const { requests, perSecond } = this.#plan
    const nowMs = performance.now()
    while (this.#next < requests.length && this.#free.length > 0) {
      const dueMs = perSecond === 0 ? nowMs : this.#startMs + (this.#next * 1000) / perSecond
      if (dueMs > nowMs) break
      const line = this.#free.pop()
      if (line === undefined) return
      line.intendedMs = dueMs
      line.socket.write(requests[this.#next++])
    }
    const isTimed = perSecond > 0 && this.#next < requests.length && this.#free.length > 0
    if (isTimed && !this.#isTicking) this.#tick()
  }

  #tick(): void {
    this.#isTicking = true
    setTimeout(() => {
      this.#isTicking = false
      this.#pump()
    }, 1)
  }

  #take(line: Line, bytes: Buffer): void {
    line.waiting = line.waiting.length === 0 ? bytes : Buffer.concat([line.waiting, bytes])
    const headEnd = line.waiting.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = line.waiting.toString('latin1', 0, headEnd)
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
    if (line.waiting.length < headEnd + HEAD_END.length + length) return
    const status = head.slice(9, 12)
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    if (status !== '201' && this.#refusal === '') this.#refusal = line.waiting.toString('utf8')
    const tookMs = performance.now() - line.intendedMs
    this.#histogram.recordValue(Math.max(1, Math.round(tookMs * 1000)))
    line.waiting = Buffer.alloc(0)
    this.#free.push(line)
    this.#ended++
    if (this.#ended === this.#plan.requests.length) this.#finish(this.#result())
    else this.#pump()
  }

  #result(): LoadResult {
    return {
      seconds: (performance.now() - this.#startMs) / 1000,
      statuses: this.#statuses,
      refusal: this.#refusal,
      latencyMs: LOAD_PERCENTILES.map((each) => this.#histogram.getValueAtPercentile(each) / 1000),
    }
  }
}
