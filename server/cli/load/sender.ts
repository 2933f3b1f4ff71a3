// One thread of the load: it paces, sends and measures its share, and reports once a second.

import { performance } from 'node:perf_hooks'
import type { MessagePort, Worker } from 'node:worker_threads'
import { reasonOf } from '../../../engine/domain/error-code.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import { Connections, type HttpReply } from './connections.ts'
import { newHistogram, packed, recordMs } from './histogram.ts'
import {
  eachOperation,
  type FromSender,
  type Interval,
  OPERATIONS,
  type SenderPlan,
  type ToSender,
} from './load-plan.ts'
import { monotonicMs, startPacer } from './pacer.ts'
import { Requests, type Sent } from './requests.ts'
import type { SignedKind } from './signed-orders.ts'
import { Stock } from './stock.ts'

const REPORT_MS = 1000
/** Requests without an answer that long after the end count as unanswered. */
const LAST_REPLIES_MS = 10_000
/** The number of random choices varies: its standard deviation is at most half its root. */
const SPARE = 4

const CODE = /"code":"([A-Za-z0-9_]{1,64})"/

/** Status and code of a refusal; of a replacement, the code of its first failed leg. */
function refusalName({ status, body }: HttpReply): string {
  if (status === 0) return 'connection ended'
  const [, code = ''] = CODE.exec(body.toString('latin1')) ?? []
  return `${status} ${code}`.trim()
}

/** Requests a second of one connection that sends as fast as replies come: a guess. */
const CONNECTION_RATE = 500

/** How many orders the run takes of each kind. */
function countsOf({ perSecond, seconds, mix, target }: SenderPlan): Record<SignedKind, number> {
  const sum = OPERATIONS.reduce((total, each) => total + mix[each], 0)
  const count = (perSecond ?? target.connections * CONNECTION_RATE) * seconds
  const of = (weight: number) => {
    const expected = (count * weight) / sum
    return Math.ceil(Math.min(count, expected + SPARE * Math.sqrt(expected)))
  }
  // A cancel without an order that rests becomes an add.
  const addWeight = mix.add + mix.replace + Math.max(0, mix.cancel - mix.add)
  return { add: of(addWeight), take: of(mix.take) }
}

/** What happened since the last report. */
class Counts {
  readonly latencies = eachOperation(newHistogram)
  readonly lateness = newHistogram()
  readonly refused: Record<string, number> = {}

  count({ operation, reply }: Sent, sinceMs: number): void {
    if (reply.status >= 200 && reply.status < 300) {
      recordMs(this.latencies[operation], monotonicMs() - sinceMs)
      return
    }
    const name = refusalName(reply)
    this.refused[name] = (this.refused[name] ?? 0) + 1
  }
}

export class Sender {
  readonly #plan: SenderPlan
  readonly #port: Pick<MessagePort, 'postMessage'>
  readonly #connections: Connections
  readonly #stock: Stock
  readonly #requests: Requests
  #counts = new Counts()
  #startMs = 0
  #underWay = 0
  #begun = 0
  #isOver = false
  #pacer: Worker | null = null
  #timer: NodeJS.Timeout | undefined
  #busy = performance.eventLoopUtilization()
  #connectionWaits = 0
  #signatureWaits = 0
  #onIdle: () => void = () => {}

  constructor(plan: SenderPlan, port: Pick<MessagePort, 'postMessage'>) {
    this.#plan = plan
    this.#port = port
    const { target, mix } = plan
    this.#connections = new Connections(target)
    this.#stock = new Stock(plan, countsOf(plan), plan.perSecond === null, (error) => {
      throw error
    })
    this.#requests = new Requests(plan, {
      mix,
      authority: target.authority,
      connections: this.#connections,
      stock: this.#stock,
      clock: monotonicMs,
    })
  }

  /** Connects and signs ahead. */
  async prepare(): Promise<void> {
    try {
      await Promise.all([this.#connections.open(), this.#stock.full()])
    } catch (error) {
      await this.#stock.close()
      this.#say({ kind: 'failed', reason: reasonOf(error) })
      return
    }
    this.#say({ kind: 'ready', signed: this.#stock.signed })
  }

  take(message: ToSender): void {
    if (message === 'stop') this.#finish()
    else this.#start()
  }

  #start(): void {
    const { perSecond, seconds, target } = this.#plan
    if (perSecond === null) {
      this.#startClock(monotonicMs())
      setTimeout(() => this.#finish(), seconds * MS_PER_SEC)
      for (let each = 0; each < target.connections; each++) this.#repeat()
      return
    }
    const count = Math.round(perSecond * seconds)
    const begin = (intendedMs: number) => {
      if (this.#isOver) return
      if (this.#begun === 0) this.#startClock(intendedMs)
      recordMs(this.#counts.lateness, monotonicMs() - intendedMs)
      this.#next(() => intendedMs)
      if (++this.#begun === count) this.#finish()
    }
    this.#pacer = startPacer({ perSecond, count }, begin, (error) => {
      throw error
    })
  }

  /** The seconds count from the first request, not from the start of the pacer. */
  #startClock(startMs: number): void {
    this.#startMs = startMs
    this.#busy = performance.eventLoopUtilization()
    this.#timer = setInterval(() => this.#report(), REPORT_MS)
  }

  /** One connection of a closed loop. */
  #repeat(): void {
    if (this.#isOver) return
    this.#next(
      ({ sentMs }) => sentMs,
      () => this.#repeat(),
    )
  }

  #next(since: (sent: Sent) => number, then?: () => void): void {
    this.#underWay++
    this.#requests.next((sent) => {
      this.#counts.count(sent, since(sent))
      if (--this.#underWay === 0 && this.#isOver) this.#onIdle()
      then?.()
    })
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    void this.#pacer?.terminate()
    if (this.#underWay === 0) {
      this.#end()
      return
    }
    const timer = setTimeout(() => this.#end(), LAST_REPLIES_MS)
    this.#onIdle = () => {
      clearTimeout(timer)
      this.#end()
    }
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#report()
    this.#connections.close()
    void this.#stock.close().then(() => this.#say({ kind: 'end', unanswered: this.#underWay }))
  }

  #report(): void {
    const counts = this.#counts
    this.#counts = new Counts()
    const busy = performance.eventLoopUtilization()
    const interval: Interval = {
      untilSec: this.#startMs === 0 ? 0 : (monotonicMs() - this.#startMs) / MS_PER_SEC,
      latencies: eachOperation((operation) => packed(counts.latencies[operation])),
      lateness: packed(counts.lateness),
      refused: counts.refused,
      busyPart: performance.eventLoopUtilization(busy, this.#busy).utilization,
      connectionWaits: this.#connections.waits - this.#connectionWaits,
      signatureWaits: this.#stock.waits - this.#signatureWaits,
    }
    this.#busy = busy
    this.#connectionWaits = this.#connections.waits
    this.#signatureWaits = this.#stock.waits
    this.#say({ kind: 'interval', interval })
  }

  #say(message: FromSender): void {
    this.#port.postMessage(message)
  }
}
