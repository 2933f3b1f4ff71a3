// The core's end of one edge thread. Invariants: the thread gets commands in the order in which
// they are given. `#responses` has each request that may still get a reply, and `#sockets` each
// open socket; when the thread ends, all of them end.

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { BusyTimes } from '../../../engine/thread/busy-times.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { RingQueue } from '../../../engine/thread/ring-queue.ts'
import { spawn } from '../../../engine/thread/spawn.ts'
import { CODINGS } from '../http/caching/compressed.ts'
import type {
  KeptReply,
  OrdersHandler,
  RequestHandler,
  SocketBehavior,
} from '../http/gateway/native.ts'
import { ORDER_PATHS } from '../intake/order-forms.ts'
import { EdgeCounts } from './edge-counts.ts'
import {
  BODY,
  CELL,
  FLAG,
  FROM_EDGE,
  framesPerSecondMax,
  KEEP,
  type ListenRequest,
  NO_CODING,
  paddedBytes,
  SOCKETS_MAX,
  TO_EDGE,
} from './edge-layout.ts'
import type { EdgeThreadData } from './edge-loop.ts'
import { ABNORMAL, RemoteRequest, RemoteResponse, RemoteSocket } from './remote-native.ts'

type Behavior = SocketBehavior<unknown>

/** What the gateway registered: the handlers of LISTEN, by their indexes. */
export interface Handlers {
  readonly paths: readonly { readonly path: string; readonly handler: RequestHandler }[]
  readonly sockets: readonly { readonly path: string; readonly behavior: Behavior }[]
  /** Null without signed orders. */
  readonly orders: OrdersHandler | null
}

/** What each thread has for itself. */
type OwnData = 'frames' | 'commands' | 'changes' | 'cells' | 'busyTimes' | 'counts' | 'closed'

export interface EdgeThreadParts {
  readonly index: number
  readonly handlers: Handlers
  readonly ringBytes: number
  readonly data: Omit<EdgeThreadData, OwnData>
  /** Present for a thread that replaces another. */
  readonly before?: Pick<EdgeThread, 'busyTimes' | 'counts'> | undefined
  /** Receives an exception of a handler, or of the thread. */
  readonly onFault: (error: unknown) => void
  readonly onEnd: (thread: EdgeThread) => void
  /** The thread does not take its commands, and cannot be ended without the process. */
  readonly onStuck: (thread: EdgeThread) => void
}

/** A frame of a socket that waits. */
interface Late {
  readonly tag: number
  readonly word: number
  readonly bytes: ArrayBuffer
}

interface OpenSocket {
  readonly socket: RemoteSocket<unknown>
  readonly behavior: Behavior
  isBusy: boolean
  readonly late: Late[]
}

/** Commands that found their ring full; with more, the thread is stuck. */
const WAITING_BYTES_MAX = 256 << 20
const CHANGE_RING_BYTES = 1 << 20
/** With more waiting commands, shared frames wait too: their readers get newer ones later. */
const CONGESTED_BYTES = LIMITS.socketTickBytesMax
/** A thread that stays behind for longer no longer delays the readers of others. */
const HOLD_MS_MAX = 1000
/** The longest time of the core thread for the frames of one thread in an event-loop tick. */
const DRAIN_SLICE_MS = 2
const END_DEADLINE_MS = 5000
const NOTHING = new ArrayBuffer(0)
/** All frames of the ring of changes are of one kind. */
const NO_TAG = 0

export class EdgeThread {
  readonly index: number
  readonly busyTimes: BusyTimes
  readonly counts: EdgeCounts
  /** Why the thread ended. */
  reason = ''
  isEnded = false
  readonly #parts: EdgeThreadParts
  readonly #worker: Worker
  readonly #frames: Ring
  readonly #frameBytes: Buffer
  readonly #commands: RingQueue
  readonly #changes: RingQueue
  readonly #cells: Int32Array
  readonly #closed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #responses = new Map<number, RemoteResponse>()
  /** Requests that wait for the frames up to a position, by ascending position. */
  readonly #parsing: { readonly position: number; readonly resolve: () => void }[] = []
  /** By the id of each socket that the thread has. */
  readonly #slots = new Map<number, number>()
  readonly #freeSlots: number[] = []
  readonly #sockets = new Map<number, OpenSocket>()
  /** Sockets whose further frames wait for the next event-loop tick. */
  #busy: OpenSocket[] = []
  readonly #topics = new Map<string, number>()
  /** The version of each reply that the thread was given last, by target and coding. */
  readonly #kept = new Map<string, string>()
  #isSendDue = false
  /** Since when the thread is behind with its commands; null when it is not. */
  #congestedMs: number | null = null
  #onReady: () => void = () => {}
  readonly ready = new Promise<void>((resolve) => {
    this.#onReady = resolve
  })
  #onPort: (port: number) => void = () => {}
  #onRenewed: (problem: string) => void = () => {}

  constructor(parts: EdgeThreadParts) {
    this.#parts = parts
    this.index = parts.index
    const { busyTimes = new BusyTimes(), counts = new EdgeCounts() } = parts.before ?? {}
    this.busyTimes = busyTimes
    this.counts = counts
    const frames = Ring.allocate(parts.ringBytes)
    const commands = Ring.allocate(parts.ringBytes)
    const changes = Ring.allocate(CHANGE_RING_BYTES)
    const cells = new SharedArrayBuffer(SOCKETS_MAX * CELL.count * Int32Array.BYTES_PER_ELEMENT)
    this.#frames = new Ring(frames)
    this.#frameBytes = Buffer.from(frames)
    this.#commands = new RingQueue(commands)
    this.#changes = new RingQueue(changes)
    this.#cells = new Int32Array(cells)
    const { buffer: closed } = this.#closed
    const figures = { busyTimes: busyTimes.cells, counts: counts.shared }
    const own = { frames, commands, changes, cells, closed, ...figures }
    const workerData: EdgeThreadData = { ...parts.data, ...own }
    this.#worker = spawn(new URL('./edge.worker.ts', import.meta.url), {
      name: this.name,
      workerData,
    })
    this.#worker.on('message', () => this.drain())
    this.#worker.on('error', (error) => {
      this.reason = error.message
    })
    this.#worker.on('exit', (code) => this.#ended(code))
    this.#frames.arm()
  }

  /** How long the thread did not wait for work, in ms since it started. */
  get activeMs(): number {
    return this.isEnded ? 0 : this.#worker.performance.eventLoopUtilization().active
  }

  get name(): string {
    return `edge-${this.index}`
  }

  /** Whether shared frames should wait, because the thread is behind with its commands. */
  get isCongested(): boolean {
    if (this.isEnded || this.#commands.ring.unreadBytes < CONGESTED_BYTES) {
      this.#congestedMs = null
      return false
    }
    const nowMs = performance.now()
    this.#congestedMs ??= nowMs
    return nowMs - this.#congestedMs < HOLD_MS_MAX
  }

  /** Requests a sign of life, which the thread gives between two callbacks. */
  request(): void {
    this.#commands.ring.request()
    this.#worker.postMessage(null)
  }

  get isAnswered(): boolean {
    return this.isEnded || this.#commands.ring.isAnswered
  }

  // Commands.

  /** Reserves a command and returns where to write it. A thread that ended gets none. */
  command(tag: number, bytes: number): { readonly buffer: Buffer; readonly at: number } {
    if (this.isEnded) return { buffer: Buffer.alloc(bytes), at: 0 }
    const at = this.#commands.reserve(tag, bytes)
    this.#sendSoon()
    if (at >= 0) return { buffer: this.#commands.buffer, at }
    const buffer = Buffer.alloc(bytes)
    this.#commands.wait(tag, buffer)
    this.#commands.flushLater(() => this.#send())
    if (this.#commands.waitingBytes > WAITING_BYTES_MAX) this.#parts.onStuck(this)
    return { buffer, at: 0 }
  }

  /** A change of the directory. The thread applies it before any later request. */
  change(bytes: Uint8Array): void {
    if (this.isEnded) return
    this.#changes.wait(NO_TAG, bytes)
    this.#changes.flush()
    this.#changes.ring.show()
    this.#changes.flushLater(() => {
      this.#changes.ring.show()
      this.#worker.postMessage(null)
    })
  }

  /** One wake-up serves all commands of a callback. */
  #sendSoon(): void {
    if (this.#isSendDue) return
    this.#isSendDue = true
    queueMicrotask(() => {
      this.#isSendDue = false
      this.#send()
    })
  }

  #send(): void {
    const { ring } = this.#commands
    ring.show()
    if (ring.takeWakeUp()) this.#worker.postMessage(null)
  }

  /** Resolves with the port; rejects when the thread cannot listen. */
  listen(host: string, port: number): Promise<number> {
    const { paths, sockets } = this.#parts.handlers
    const request: ListenRequest = {
      host,
      port,
      paths: paths.map(({ path }) => path),
      sockets: sockets.map(({ path, behavior }) => {
        const { maxPayloadLength, maxBackpressure, closeOnBackpressureLimit } = behavior
        const { idleTimeout, messagesPerSecondMax } = behavior
        const bytes = { maxPayloadLength, maxBackpressure, closeOnBackpressureLimit }
        return { path, limits: { ...bytes, idleTimeout, messagesPerSecondMax } }
      }),
    }
    return new Promise((resolve, reject) => {
      this.#onPort = (at) => {
        if (at > 0) resolve(at)
        else reject(new Error(`cannot listen on ${host}:${port}; is the port in use?`))
      }
      const text = Buffer.from(JSON.stringify(request))
      const { buffer, at: textAt } = this.command(TO_EDGE.LISTEN, text.length)
      buffer.set(text, textAt)
    })
  }

  /** Resolves when new connections get the new certificate; rejects when it cannot be read. */
  renew(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onRenewed = (problem) => {
        if (problem === '') resolve()
        else reject(new Error(problem))
      }
      this.command(TO_EDGE.RENEW, 0)
    })
  }

  publish(topic: string, message: string | Uint8Array, isBinary: boolean): boolean {
    if (!this.#topics.has(topic)) return false
    const bytes = typeof message === 'string' ? Buffer.from(message) : message
    const topicBytes = Buffer.byteLength(topic)
    const bodyAt = BODY + ((topicBytes + 7) & ~7)
    const { buffer, at } = this.command(TO_EDGE.PUBLISH, bodyAt + bytes.length)
    buffer.writeUInt32LE(topicBytes, at)
    buffer.writeUInt32LE(isBinary ? FLAG.BINARY : 0, at + 4)
    buffer.write(topic, at + BODY)
    buffer.set(bytes, at + bodyAt)
    return true
  }

  // What becomes of requests.

  upgrade(id: number, head: string, data: unknown, behavior: Behavior): void {
    const isGone = !this.#responses.delete(id)
    const slot = this.#freeSlots.pop() ?? this.#slots.size
    assert(slot < SOCKETS_MAX, 'there are fewer sockets than cells')
    const socket = new RemoteSocket(this, id, data, this.#cells, slot)
    this.#slots.set(id, slot)
    this.#cells.fill(0, slot * CELL.count, (slot + 1) * CELL.count)
    this.#sockets.set(id, { socket, behavior, isBusy: false, late: [] })
    const { buffer, at } = this.command(TO_EDGE.UPGRADE, BODY + Buffer.byteLength(head))
    buffer.writeUInt32LE(id, at)
    buffer.writeUInt32LE(slot, at + 4)
    buffer.write(head, at + BODY)
    behavior.open(socket)
    if (!isGone) return
    this.closing(id, ABNORMAL)
    this.#freeSlot(id)
  }

  replied(id: number): void {
    this.#responses.delete(id)
  }

  /** Several callers may have waited for the same bytes, which the thread needs once. */
  keep({ path, target, freshness, coding, head, body }: KeptReply): void {
    const { subject, version, fromMs, untilMs, isTime = false } = freshness
    const name = `${target} ${coding}`
    const stamp = `${subject} ${version} ${untilMs}`
    if (this.#kept.get(name) === stamp) return
    if (this.#kept.size >= LIMITS.keptReplies.targetsMax) this.#kept.clear()
    this.#kept.set(name, stamp)
    const targetBytes = Buffer.byteLength(target)
    const headBytes = Buffer.byteLength(head)
    const frameBytes = KEEP.texts + targetBytes + headBytes + body.length
    const { buffer, at } = this.command(TO_EDGE.KEEP, frameBytes)
    buffer.writeUInt32LE(subject, at + KEEP.subject)
    buffer.writeInt32LE(version, at + KEEP.version)
    buffer.writeDoubleLE(fromMs, at + KEEP.fromMs)
    buffer.writeDoubleLE(untilMs, at + KEEP.untilMs)
    buffer[at + KEEP.flags] = isTime ? FLAG.TIME : 0
    buffer[at + KEEP.coding] = coding === null ? NO_CODING : CODINGS.indexOf(coding)
    buffer.writeUInt16LE(targetBytes, at + KEEP.targetBytes)
    buffer.writeUInt32LE(headBytes, at + KEEP.headBytes)
    buffer.writeUInt32LE(this.counts.numberOf(path), at + KEEP.path)
    const headAt = at + KEEP.texts + buffer.write(target, at + KEEP.texts)
    buffer.set(body, headAt + buffer.write(head, headAt))
  }

  joined(topic: string): void {
    this.#topics.set(topic, (this.#topics.get(topic) ?? 0) + 1)
  }

  left(topic: string): void {
    const count = (this.#topics.get(topic) ?? 0) - 1
    if (count > 0) this.#topics.set(topic, count)
    else this.#topics.delete(topic)
  }

  // Frames.

  /**
   * Resolves once all frames that the thread has sent are taken: those of a request come together
   * with the end of its connection, if the bytes behind it ended that. A slice of time may separate
   * them here.
   */
  parsed(): Promise<void> {
    const position = this.#frames.sentPosition
    if (this.#frames.isPast(position)) return Promise.resolve()
    return new Promise((resolve) => this.#parsing.push({ position, resolve }))
  }

  #releaseParsed(): void {
    while (this.#parsing.length > 0 && this.#frames.isPast(this.#parsing[0].position)) {
      this.#parsing.shift()?.resolve()
    }
  }

  /**
   * Takes frames for a slice of time, so that other work is done in between; what is left comes in
   * the next event-loop tick.
   */
  drain(untilMs = performance.now() + DRAIN_SLICE_MS): void {
    this.#drain(untilMs)
    this.#releaseParsed()
  }

  #drain(untilMs: number): void {
    do {
      while (this.#frames.next()) {
        this.#contained(() => this.#take())
        if (performance.now() < untilMs) continue
        this.#frames.free()
        setImmediate(() => {
          if (!this.isEnded) this.drain()
        })
        return
      }
      this.#frames.free()
    } while (!this.#frames.arm())
  }

  #contained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.onFault(error)
    }
  }

  #take(): void {
    const { tag, byteOffset: at, payloadBytes } = this.#frames
    const bytes = this.#frameBytes
    const end = at + payloadBytes
    const id = bytes.readUInt32LE(at)
    switch (tag) {
      case FROM_EDGE.HEAD:
        this.#head(id, at, end)
        return
      case FROM_EDGE.ORDERS:
        this.#orders(id, at, end)
        return
      case FROM_EDGE.VERDICT:
        this.#responses.get(id)?.checked(bytes.subarray(at + BODY, end))
        return
      case FROM_EDGE.DATA: {
        const isLast = (bytes.readUInt32LE(at + 4) & FLAG.LAST) !== 0
        this.#responses.get(id)?.data(copyOf(bytes, at + BODY, end), isLast)
        return
      }
      case FROM_EDGE.WANT:
        this.#responses.get(id)?.wants(bytes.readDoubleLE(at + BODY))
        return
      case FROM_EDGE.GONE: {
        const response = this.#responses.get(id)
        this.replied(id)
        response?.aborted()
        this.closing(id, ABNORMAL)
        this.#freeSlot(id)
        return
      }
      case FROM_EDGE.READY:
        this.#onReady()
        return
      case FROM_EDGE.PORT:
        this.#onPort(bytes.readUInt32LE(at + 4))
        return
      case FROM_EDGE.RENEWED:
        this.#onRenewed(bytes.toString('utf8', at + BODY, end))
        return
      case FROM_EDGE.FAULT:
        this.#parts.onFault(new Error(bytes.toString('utf8', at + BODY, end)))
        return
      case FROM_EDGE.DROPPED:
        for (const { behavior } of this.#parts.handlers.sockets) behavior.dropped()
        return
      default:
        this.#ofSocket(tag, id, at, end)
    }
  }

  #head(id: number, at: number, end: number): void {
    const bytes = this.#frameBytes
    const handler = bytes.readUInt16LE(at + 4)
    const flags = bytes.readUInt16LE(at + 6)
    const lines = bytes.toString('utf8', at + BODY, end).split('\n')
    const request = new RemoteRequest(lines, (flags & FLAG.QUERY) !== 0)
    const { paths, sockets } = this.#parts.handlers
    const behavior = (flags & FLAG.UPGRADE) === 0 ? null : sockets[handler].behavior
    const response = new RemoteResponse(this, id, request.address, behavior)
    this.#responses.set(id, response)
    if (behavior === null) paths[handler].handler(response, request)
    else behavior.upgrade(response, request, NO_CONTEXT)
  }

  #orders(id: number, at: number, end: number): void {
    const { orders } = this.#parts.handlers
    assert(orders !== null, 'calls with orders have a handler')
    const bytes = this.#frameBytes
    const addressEnd = at + BODY + bytes.readUInt16LE(at + 6)
    const address = bytes.toString('latin1', at + BODY, addressEnd)
    const response = new RemoteResponse(this, id, address, null)
    this.#responses.set(id, response)
    const verdict = bytes.subarray(at + BODY + paddedBytes(addressEnd - at - BODY), end)
    orders(response, { path: ORDER_PATHS[bytes.readUInt16LE(at + 4)], address, verdict })
  }

  #ofSocket(tag: number, id: number, at: number, end: number): void {
    const bytes = this.#frameBytes
    const open = this.#sockets.get(id)
    if (open === undefined) {
      if (tag === FROM_EDGE.CLOSE) this.#freeSlot(id)
      return
    }
    const word = payloadWord(bytes, at, end)
    const frame = { tag, word, bytes: copyOf(bytes, at + BODY, end) }
    if (!open.isBusy) {
      this.#toSocket(open, frame)
      return
    }
    open.late.push(frame)
    const lateMax = framesPerSecondMax(open.behavior.messagesPerSecondMax)
    const oldest = open.late.length > lateMax ? open.late.shift() : undefined
    if (oldest !== undefined) this.#toSocket(open, oldest)
  }

  #toSocket(open: OpenSocket, { tag, word, bytes }: Late): void {
    const { socket, behavior } = open
    switch (tag) {
      case FROM_EDGE.MESSAGE:
        this.#isBusyWith(open)
        behavior.message(socket, bytes, (word & FLAG.BINARY) !== 0)
        return
      case FROM_EDGE.PING:
        behavior.ping(socket)
        return
      case FROM_EDGE.DRAIN:
        behavior.drain(socket)
        return
      case FROM_EDGE.CLOSE:
        this.closing(socket.id, word)
        this.#freeSlot(socket.id)
    }
  }

  /**
   * The library of sockets finishes what it does for a message in the same event-loop tick, so the
   * next message of the socket comes in another.
   */
  #isBusyWith(open: OpenSocket): void {
    if (open.isBusy) return
    open.isBusy = true
    this.#busy.push(open)
    if (this.#busy.length === 1) setImmediate(() => this.#goOn())
  }

  #goOn(): void {
    const busy = this.#busy
    this.#busy = []
    for (const open of busy) {
      open.isBusy = false
      for (let next = open.late.shift(); next !== undefined; next = open.late.shift()) {
        const late = next
        const isDue = open.socket.isOpen || late.tag === FROM_EDGE.CLOSE
        if (isDue) this.#contained(() => this.#toSocket(open, late))
        if (open.isBusy) break
      }
    }
  }

  closing(id: number, code: number): void {
    const open = this.#sockets.get(id)
    if (open === undefined) return
    this.#sockets.delete(id)
    const { socket, behavior } = open
    socket.over()
    behavior.close(socket, code, NOTHING)
  }

  /** The thread writes to the cells of a socket until it has closed it. */
  #freeSlot(id: number): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#slots.delete(id)
    this.#freeSlots.push(slot)
  }

  // The end of the thread.

  #ended(code: number): void {
    this.drain(Number.POSITIVE_INFINITY)
    this.isEnded = true
    this.#commands.drop()
    this.#changes.drop()
    if (this.reason === '') this.reason = `ended with code ${code}`
    for (const response of [...this.#responses.values()]) {
      this.#contained(() => response.aborted())
    }
    this.#responses.clear()
    for (const id of [...this.#sockets.keys()]) this.#contained(() => this.closing(id, ABNORMAL))
    // Nobody may wait for it forever. Its successor reads the new certificate.
    this.#onReady()
    this.#onPort(0)
    this.#onRenewed('')
    this.#parts.onEnd(this)
  }

  /**
   * Commands the thread to close its connections. The process must not end before: the HTTP library
   * would abort it.
   */
  beginEnd(): void {
    if (this.isEnded) return
    this.command(TO_EDGE.STOP, 0)
    this.#send()
  }

  /** Blocks until the thread has closed its connections, up to this long. */
  awaitEnd(ms: number): void {
    if (!this.isEnded) Atomics.wait(this.#closed, 0, 0, ms)
  }

  async stop(): Promise<void> {
    if (this.isEnded) return
    const ended = once(this.#worker, 'exit')
    this.command(TO_EDGE.STOP, 0)
    const timer = setTimeout(() => this.#worker.terminate(), END_DEADLINE_MS)
    await ended
    clearTimeout(timer)
  }
}

/** The second word of a frame; 0 without one. */
function payloadWord(bytes: Buffer, at: number, end: number): number {
  return end - at >= BODY ? bytes.readUInt32LE(at + 4) : 0
}

/** The thread has the context of an upgrade. */
const NO_CONTEXT = {}

function copyOf(bytes: Buffer, at: number, end: number): ArrayBuffer {
  const copy = new ArrayBuffer(end - at)
  new Uint8Array(copy).set(bytes.subarray(at, end))
  return copy
}
