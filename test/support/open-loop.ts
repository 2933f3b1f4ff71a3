import { connect, type Socket } from 'node:net'
import { newHistogram } from '../../server/cli/load/histogram.ts'
import type { OrderPool } from './order-pool.ts'

// Sends orders at a rate that ignores the replies, or as fast as replies come. A connection carries
// one request at a time. A broken connection is counted and replaced, unless so many break that no
// server listens any more.

export interface LoopPlan {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** 0 means as fast as replies come. */
  readonly perSecond: number
}

export interface LoopResult {
  readonly seconds: number
  /** Requests that were written to a connection. */
  readonly begun: number
  /** Requests that came due and found every connection busy. */
  readonly notBegun: number
  readonly statuses: Readonly<Record<string, number>>
  /** Refusals under overload that did not say when to come back. */
  readonly silent: number
  /** Connections that were refused, or that ended before their reply. */
  readonly broken: number
  /** Requests without a reply when the grace after the end was over. */
  readonly unanswered: number
  /** The first reply that is neither 201 nor one of an overload; '' when there was none. */
  readonly oddReply: string
  /** Milliseconds by LOOP_PERCENTILES, from the due time of each accepted order to its reply. */
  readonly takenMs: readonly number[]
  readonly refusedMs: readonly number[]
  /** The same from the moment that the order was written to its connection. */
  readonly takenSentMs: readonly number[]
  readonly refusedSentMs: readonly number[]
  /** How late the sender itself began its requests. */
  readonly lateMs: readonly number[]
  /** The longest time in which the sender read no reply: each may have lain there for so long. */
  readonly stallMs: number
  /** Milliseconds from the end of sending to the last reply. */
  readonly drainMs: number
  /** Ids of the orders that were accepted last. */
  readonly lastIds: readonly string[]
  /** Share of one core that the sender used. */
  readonly cpu: number
}

export const LOOP_PERCENTILES = [50, 99, 99.9, 99.99, 100] as const
const GRACE_MS = 10_000
const LOOK_MS = 5
const CONNECTS_AT_ONCE = 256
const CONTENT_LENGTH = /content-length: *(\d+)/i
const ORDER_ID = /"id":"([0-9a-f-]{36})"/
const LAST_IDS = 500
const RETRY_AFTER = /\r\nretry-after: *[1-9]/i

interface Line {
  readonly socket: Socket
  waiting: string
  /** Index of the order on its way; -1 when the line is free. */
  index: number
  dueMs: number
  sentMs: number
}

const percentilesOf = (histogram: ReturnType<typeof newHistogram>) =>
  LOOP_PERCENTILES.map((each) => histogram.getValueAtPercentile(each) / 1000)

export class OrderLoop {
  readonly #plan: LoopPlan
  readonly #pool: OrderPool
  readonly #free: Line[] = []
  readonly #lines = new Set<Line>()
  readonly #statuses: Record<string, number> = {}
  readonly #taken = newHistogram()
  readonly #refused = newHistogram()
  readonly #takenSent = newHistogram()
  readonly #refusedSent = newHistogram()
  readonly #late = newHistogram()
  #stallMs = 0
  #silent = 0
  #broken = 0
  #begun = 0
  #due = 0
  #onWay = 0
  #oddReply = ''
  readonly #lastIds: string[] = []
  #startMs = 0
  #ending = false
  #onIdle: () => void = () => {}

  constructor(plan: LoopPlan, pool: OrderPool) {
    this.#plan = plan
    this.#pool = pool
  }

  async run(): Promise<LoopResult> {
    const { connections, seconds } = this.#plan
    for (let open = 0; open < connections; open += CONNECTS_AT_ONCE) {
      const count = Math.min(CONNECTS_AT_ONCE, connections - open)
      await Promise.all(Array.from({ length: count }, () => this.#connect()))
    }
    const usage = process.cpuUsage()
    this.#startMs = performance.now()
    const stopLooking = this.#watchStalls()
    await this.#send()
    const tookSec = (performance.now() - this.#startMs) / 1000
    const { user, system } = process.cpuUsage(usage)
    const sentMs = performance.now()
    await this.#replies()
    const drainMs = performance.now() - sentMs
    stopLooking()
    for (const { socket } of this.#lines) socket.destroy()
    return {
      seconds: tookSec,
      begun: this.#begun,
      notBegun: Math.max(0, Math.round(this.#plan.perSecond * seconds) - this.#begun),
      statuses: this.#statuses,
      silent: this.#silent,
      broken: this.#broken,
      unanswered: this.#onWay,
      oddReply: this.#oddReply,
      takenMs: percentilesOf(this.#taken),
      refusedMs: percentilesOf(this.#refused),
      takenSentMs: percentilesOf(this.#takenSent),
      refusedSentMs: percentilesOf(this.#refusedSent),
      lateMs: percentilesOf(this.#late),
      stallMs: this.#stallMs,
      drainMs,
      lastIds: this.#lastIds.slice(-LAST_IDS),
      cpu: (user + system) / 1e6 / tookSec,
    }
  }

  /** Resolves when the connection is open or has failed. */
  #connect(): Promise<void> {
    const socket = connect({ port: this.#plan.port, host: '127.0.0.1', noDelay: true })
    const line: Line = { socket, waiting: '', index: -1, dueMs: 0, sentMs: 0 }
    socket.setEncoding('latin1')
    socket.on('data', (text) => this.#take(line, String(text)))
    socket.on('error', () => {})
    socket.on('close', () => this.#lose(line))
    socket.on('connect', () => this.#free.push(line))
    this.#lines.add(line)
    return new Promise((resolve) => {
      socket.once('connect', () => resolve())
      socket.once('close', () => resolve())
    })
  }

  #lose(line: Line): void {
    if (!this.#lines.delete(line) || this.#ending) return
    this.#broken++
    const at = this.#free.indexOf(line)
    if (at >= 0) this.#free.splice(at, 1)
    if (line.index >= 0) {
      this.#pool.lose(line.index)
      this.#end()
    }
    if (this.#broken < this.#plan.connections * 2) this.#connect()
  }

  /** Keeps the longest time between two passes of the event loop; gives what ends that. */
  #watchStalls(): () => void {
    let lastMs = performance.now()
    const look = () => {
      const nowMs = performance.now()
      this.#stallMs = Math.max(this.#stallMs, nowMs - lastMs)
      lastMs = nowMs
    }
    const timer = setInterval(look, LOOK_MS)
    return () => {
      clearInterval(timer)
      look()
    }
  }

  /**
   * Begins the due requests each millisecond until the time is over. A sender that was late goes on
   * while it has orders.
   */
  #send(): Promise<void> {
    const { seconds, perSecond } = this.#plan
    return new Promise((resolve) => {
      const tick = () => {
        const sinceMs = performance.now() - this.#startMs
        const isOver = sinceMs >= seconds * 1000
        const most = Math.round(perSecond * seconds)
        this.#due = perSecond === 0 ? Infinity : Math.min(most, (sinceMs * perSecond) / 1000)
        const isSpent = this.#pool.isEmpty || this.#free.length === 0
        if (isOver && (perSecond === 0 || this.#begun >= most || isSpent)) {
          this.#due = 0
          resolve()
          return
        }
        this.#pump()
        setTimeout(tick, 1)
      }
      tick()
    })
  }

  #pump(): void {
    const { perSecond } = this.#plan
    const wallMs = Date.now()
    while (this.#begun < this.#due && this.#free.length > 0) {
      const index = this.#pool.next()
      if (index === undefined) return
      const line = this.#free.pop()
      if (line === undefined) return
      // A sender that is behind writes thousands in a row, so each order has a time of its own.
      const nowMs = performance.now()
      const dueMs = perSecond === 0 ? nowMs : this.#startMs + (this.#begun * 1000) / perSecond
      this.#begun++
      this.#onWay++
      line.index = index
      line.dueMs = dueMs
      line.sentMs = nowMs
      this.#late.recordValue(micros(nowMs - dueMs))
      line.socket.write(this.#pool.request(index, wallMs), 'latin1')
    }
  }

  #take(line: Line, text: string): void {
    line.waiting += text
    const headEnd = line.waiting.indexOf('\r\n\r\n')
    if (headEnd < 0 || line.index < 0) return
    const head = line.waiting.slice(0, headEnd + 2)
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
    if (line.waiting.length < headEnd + 4 + length) return
    this.#count(line, head.slice(9, 12), head)
    line.waiting = ''
    line.index = -1
    this.#free.push(line)
    this.#end()
    if (this.#plan.perSecond === 0) this.#pump()
  }

  #count({ index, dueMs, sentMs, waiting }: Line, status: string, head: string): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    const nowMs = performance.now()
    if (status === '201') {
      this.#pool.accept(index)
      this.#keepId(waiting)
      this.#taken.recordValue(micros(nowMs - dueMs))
      this.#takenSent.recordValue(micros(nowMs - sentMs))
      return
    }
    this.#refused.recordValue(micros(nowMs - dueMs))
    this.#refusedSent.recordValue(micros(nowMs - sentMs))
    this.#pool.giveBack(index)
    if (status !== '503' && status !== '429') this.#oddReply ||= waiting
    else if (!RETRY_AFTER.test(head)) this.#silent++
  }

  #keepId(reply: string): void {
    this.#lastIds.push(ORDER_ID.exec(reply)?.[1] ?? '')
    if (this.#lastIds.length === 2 * LAST_IDS) this.#lastIds.splice(0, LAST_IDS)
  }

  #end(): void {
    this.#onWay--
    if (this.#onWay === 0) this.#onIdle()
  }

  /** Waits until each request has its reply, or the grace is over. */
  #replies(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#ending = true
        for (const { index } of this.#lines) if (index >= 0) this.#pool.lose(index)
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(end, GRACE_MS)
      this.#onIdle = end
      if (this.#onWay === 0) end()
    })
  }
}

function micros(ms: number): number {
  return Math.min(59_000_000, Math.max(1, Math.round(ms * 1000)))
}
