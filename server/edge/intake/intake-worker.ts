import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { type Frame, RingQueue } from '../../../engine/thread/ring-queue.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { TO_INTAKE } from '../../messages/intake-layout.ts'
import type { IntakeRequest } from '../../messages/order-intake.ts'
import type { SigningDomain } from './directory.ts'
import type { IntakeThreadData } from './intake-loop.ts'
import { AT_NOTHING, frameKey, pushRequest, WORKING } from './intake-request.ts'

// Main's end of one intake thread. Invariants: the thread receives frames in the order in which
// main submitted them. `open` has every request that is not completely answered. A request stays in
// its ring until it is answered, so another thread can take it over.

/** No request takes this long: a thread that has not ended by then hangs. */
const END_DEADLINE_MS = 5000

export interface WorkerParts {
  readonly index: number
  readonly domain: SigningDomain
  readonly orderSkewMs?: number | undefined
  readonly ringBytes: number
  /** Unanswered requests of the thread that this one replaces. */
  readonly open?: Map<number, number>
  /** From the thread that this one replaces, so that its figures continue. */
  readonly busyTimes?: BusyTimes
  readonly onResults: (worker: IntakeWorker) => void
  readonly onEnd: (worker: IntakeWorker) => void
}

export class IntakeWorker {
  readonly index: number
  readonly results: Ring
  /**
   * Open requests by their keys. For a group the value is 256 times its parts plus the parts that
   * were answered; it is 0 before the first answer and for a single order.
   */
  readonly open: Map<number, number>
  readonly busyTimes: BusyTimes
  isReady = false
  /** The thread has the whole directory. */
  isReplicated = true
  /** The thread has ended. */
  isEnded = false
  /** The thread returned an undecodable result, so it gets no more requests. */
  isClosing = false
  /** Requests that broke at such a result; later results for them are ignored. */
  readonly lost = new Set<number>()
  /** Why the thread ended. */
  reason = ''
  readonly #worker: Worker
  /** Its frames wait while the ring is full, or for the thread's directory. */
  readonly #requests: RingQueue
  readonly #working: Int32Array
  readonly #inherited: Frame[] = []

  constructor(parts: WorkerParts) {
    this.index = parts.index
    this.open = parts.open ?? new Map()
    this.busyTimes = parts.busyTimes ?? new BusyTimes()
    const requests = Ring.allocate(parts.ringBytes)
    const results = Ring.allocate(parts.ringBytes)
    const working = new SharedArrayBuffer(WORKING.words * Int32Array.BYTES_PER_ELEMENT)
    this.#requests = new RingQueue(requests)
    this.results = new Ring(results)
    this.#working = new Int32Array(working)
    this.#working[WORKING.key] = AT_NOTHING
    const { domain, orderSkewMs } = parts
    const { cells: busyTimes } = this.busyTimes
    const rings = { requests, results, working, busyTimes }
    const workerData: IntakeThreadData = { ...rings, domain, orderSkewMs }
    this.#worker = spawn(new URL('./intake.worker.ts', import.meta.url), {
      name: this.name,
      workerData,
    })
    this.#worker.on('message', () => parts.onResults(this))
    this.#worker.on('error', (error) => {
      this.reason = error.message
    })
    this.#worker.on('exit', (code) => {
      this.isEnded = true
      if (this.reason === '') this.reason = `ended with code ${code}`
      parts.onEnd(this)
    })
    this.results.arm()
  }

  /** Whether the thread accepts orders. */
  get isOpen(): boolean {
    return this.isReplicated && !this.isClosing
  }

  get name(): string {
    return `intake-${this.index}`
  }

  /** Whether no frame waits, so that a new frame goes straight into the ring. */
  get isFlushed(): boolean {
    return this.#requests.isFlushed
  }

  /** Key of the request that the thread works on, or last worked on; AT_NOTHING for none. */
  get workingAt(): number {
    return Atomics.load(this.#working, WORKING.key)
  }

  /** Does nothing and returns false when the ring is full. */
  submit(request: IntakeRequest): boolean {
    return pushRequest(this.#requests.ring, this.#requests.buffer, request)
  }

  send(): void {
    this.#requests.ring.send()
  }

  /** Queues a frame after all waiting frames; `flush` moves it into the ring. */
  wait(tag: number, bytes: Uint8Array): void {
    this.#requests.wait(tag, bytes)
  }

  /** Moves waiting frames into the ring; true when none is left. */
  flush(): boolean {
    this.#requests.flush()
    this.send()
    return this.isFlushed
  }

  /** Takes over requests of an ended thread; they follow the whole directory. */
  inherit(orders: readonly Uint8Array[]): void {
    for (const bytes of orders) this.#inherited.push({ tag: TO_INTAKE.REQUEST, bytes })
    this.isReplicated = false
  }

  replicated(): void {
    for (const { tag, bytes } of this.#inherited.splice(0)) this.wait(tag, bytes)
    this.isReplicated = true
  }

  /** Unanswered requests in the order of submission, both in the ring and waiting for it. */
  unanswered(): Uint8Array[] {
    this.send()
    const frames: Frame[] = []
    const ring = new Ring(this.#requests.ring.shared)
    while (ring.next()) frames.push({ tag: ring.tag, bytes: ring.bytes })
    return [...frames, ...this.#requests.waiting, ...this.#inherited]
      .filter(({ tag, bytes }) => tag === TO_INTAKE.REQUEST && this.open.has(frameKey(bytes)))
      .map(({ bytes }) => bytes)
  }

  /**
   * Ends the thread between two requests; `onEnd` is called when it has ended. A thread terminated
   * inside libsecp256k1 takes the process with it (`Napi::Error`), so termination is the last
   * resort, for a thread that hangs.
   */
  end(reason: string): void {
    this.reason = reason
    void this.stop()
  }

  async stop(): Promise<void> {
    if (this.isEnded) return
    const ended = once(this.#worker, 'exit')
    Atomics.store(this.#working, WORKING.ends, 1)
    this.#requests.ring.request()
    const timer = setTimeout(() => this.#worker.terminate(), END_DEADLINE_MS)
    await ended
    clearTimeout(timer)
  }
}
