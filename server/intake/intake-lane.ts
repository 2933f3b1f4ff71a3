import type { Worker } from 'node:worker_threads'
import { Ring } from '../../engine/wire/ring.ts'
import { spawn } from '../../engine/wire/spawn.ts'
import type { SigningDomain } from './directory.ts'
import type { IntakeRequest } from './intake.ts'
import { TO_INTAKE } from './intake-layout.ts'
import type { IntakeThreadData } from './intake-loop.ts'
import { AT_NOTHING, frameKey, pushRequest } from './intake-request.ts'

// Main's end of one intake thread. Invariants: the thread gets frames in the order main gave them;
// `open` holds every request given and not wholly answered; what the request ring holds is not
// given back before it is answered, so that another thread can be asked instead.

interface Frame {
  readonly tag: number
  readonly bytes: Uint8Array
}

export interface LaneParts {
  readonly index: number
  readonly domain: SigningDomain
  readonly ringBytes: number
  /** Requests asked of a thread before this one, and not answered. */
  readonly open?: Map<number, number>
  readonly onResults: (lane: IntakeLane) => void
  readonly onEnd: (lane: IntakeLane) => void
}

export class IntakeLane {
  readonly index: number
  readonly results: Ring
  /**
   * By the name of the request: for a group the parts that were told, and 256 times how many there
   * are; 0 before the first and for a single order.
   */
  readonly open: Map<number, number>
  /** Token id by the reference this thread was given. References are never used again. */
  readonly tokenIds: string[] = ['']
  isReady = false
  /** It knows what the exchange knows. */
  isTaught = true
  /** The thread is no more. */
  isEnded = false
  /** It gave a result that is none, and is given nothing more. */
  isClosing = false
  /** Requests that broke at such a result: what it says of them is not heard. */
  readonly lost = new Set<number>()
  /** Why it ended. */
  reason = ''
  readonly #worker: Worker
  readonly #requests: Ring
  readonly #shared: Buffer
  readonly #working: Int32Array
  /** What found the ring full, or waits until the thread is taught; oldest first. */
  readonly #waiting: Frame[] = []
  readonly #inherited: Frame[] = []

  constructor(parts: LaneParts) {
    this.index = parts.index
    this.open = parts.open ?? new Map()
    const requests = Ring.allocate(parts.ringBytes)
    const results = Ring.allocate(parts.ringBytes)
    const working = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    this.#requests = new Ring(requests)
    this.#shared = Buffer.from(requests)
    this.results = new Ring(results)
    this.#working = new Int32Array(working).fill(AT_NOTHING)
    const workerData: IntakeThreadData = { requests, results, working, domain: parts.domain }
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

  /** It takes orders. */
  get isOpen(): boolean {
    return this.isTaught && !this.isClosing
  }

  get name(): string {
    return `intake-${this.index}`
  }

  /** Nothing waits: what is given now goes into the ring. */
  get isFlushed(): boolean {
    return this.#waiting.length === 0
  }

  /** The request the thread is at, or was at when it ended; AT_NOTHING for none. */
  get workingAt(): number {
    return Atomics.load(this.#working, 0)
  }

  /** False, and nothing done, when there is no room. */
  submit(request: IntakeRequest): boolean {
    return pushRequest(this.#requests, this.#shared, request)
  }

  send(): void {
    this.#requests.send()
  }

  /** Goes behind all that waits; `flush` brings it on its way. */
  wait(tag: number, bytes: Uint8Array): void {
    this.#waiting.push({ tag, bytes })
  }

  /** True when nothing waits any more. */
  flush(): boolean {
    let sent = 0
    for (const { tag, bytes } of this.#waiting) {
      if (!this.#requests.push(tag, bytes)) break
      sent++
    }
    this.#waiting.splice(0, sent)
    this.#requests.send()
    return this.isFlushed
  }

  /** Requests of the thread before this one; they go behind all that it is taught. */
  inherit(orders: readonly Uint8Array[]): void {
    for (const bytes of orders) this.#inherited.push({ tag: TO_INTAKE.REQUEST, bytes })
    this.isTaught = false
  }

  taught(): void {
    for (const frame of this.#inherited.splice(0)) this.#waiting.push(frame)
    this.isTaught = true
  }

  /** Requests that nobody answered, as they were given: in the ring, or on their way to it. */
  unanswered(): Uint8Array[] {
    this.#requests.send()
    const frames: Frame[] = []
    const ring = new Ring(this.#requests.shared)
    while (ring.next()) frames.push({ tag: ring.tag, bytes: ring.bytes })
    return [...frames, ...this.#waiting, ...this.#inherited]
      .filter(({ tag, bytes }) => tag === TO_INTAKE.REQUEST && this.open.has(frameKey(bytes)))
      .map(({ bytes }) => bytes)
  }

  /** `onEnd` hears when it is over. */
  end(reason: string): void {
    this.reason = reason
    void this.#worker.terminate()
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
