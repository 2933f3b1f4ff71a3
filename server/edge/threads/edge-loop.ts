// The thread that has connections: it runs the HTTP library, passes requests and messages to the
// core thread, and does what the core commands (edge-layout.ts). It checks signed orders on the
// way, so the core gets an order with its verdict (design §3).
// Invariants: an id is of one request, and then of the socket that it becomes. No callback of the
// library throws.

import type * as library from 'uWebSockets.js'
import { type BusyCells, BusyClock } from '../../../engine/thread/busy-times.ts'
import { stallPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { Versions } from '../../messages/versions.ts'
import { sharedLimiter } from '../http/access/rate-limit.ts'
import { type ConnectionBounds, Connections } from '../http/gateway/connections.ts'
import { Apps } from '../http/gateway/listening/apps.ts'
import type { TlsFiles } from '../http/gateway/listening/listen-check.ts'
import { Directory, type SigningDomain } from '../intake/directory.ts'
import { Intake } from '../intake/intake.ts'
import { EdgeCounter } from './edge-counts.ts'
import { EdgeFrames } from './edge-frames.ts'
import { FROM_EDGE, type ListenRequest, TO_EDGE } from './edge-layout.ts'
import {
  type AddressLimit,
  EdgeRequests,
  type OrderChecks,
  type SocketData,
} from './edge-requests.ts'
import { EdgeSockets } from './edge-sockets.ts'
import type { HeldResponse } from './held-response.ts'
import { KeptReplies } from './kept-replies.ts'

export interface EdgeThreadData {
  readonly frames: SharedArrayBuffer
  readonly commands: SharedArrayBuffer
  readonly changes: SharedArrayBuffer
  /** The cells of each socket, by its slot. */
  readonly cells: SharedArrayBuffer
  /** Connections of all edge threads. */
  readonly connections: SharedArrayBuffer
  /** One word, 1 once all connections of the thread are closed. */
  readonly closed: SharedArrayBuffer
  /** One f64: the wall clock of the core minus that of the machine, in ms. */
  readonly clockOffset: SharedArrayBuffer
  readonly busyTimes: BusyCells
  /** Requests that end here (edge-counts.ts). */
  readonly counts: SharedArrayBuffer
  readonly bounds: ConnectionBounds
  /** The versions of what public reads show. */
  readonly versions: SharedArrayBuffer
  /** The buckets of addresses and the origin of their times; null without limits. */
  readonly addresses: { readonly shared: SharedArrayBuffer; readonly originMs: number } | null
  readonly tls?: TlsFiles | undefined
  readonly domain: SigningDomain
  readonly orderSkewMs?: number | undefined
  readonly checks: OrderChecks
}

function limitOf({ addresses, checks }: EdgeThreadData): AddressLimit | null {
  if (addresses === null || checks.rates === null) return null
  const { shared, originMs } = addresses
  const limiter = sharedLimiter(checks.rates.address, shared)
  // Each thread counts its time from its own start.
  return { limiter, nowMs: () => performance.timeOrigin + performance.now() - originMs }
}

const ID_MAX = 2 ** 32
/** Time for the loop to close what is open. */
const CLOSE_MS = 10
const BROKEN_CODE = 7

export class EdgeLoop {
  readonly #apps: Apps
  readonly #frames: EdgeFrames
  readonly #requests: EdgeRequests
  readonly #sockets: EdgeSockets
  readonly #commands: Ring
  readonly #commandBytes: Buffer
  readonly #changes: Ring
  readonly #closed: Int32Array
  readonly #clock: BusyClock
  readonly #directory: Directory
  readonly #held: HeldResponse
  readonly #kept: KeptReplies
  #lastId = 0
  #isDrainDue = false

  constructor(uWS: typeof library, held: HeldResponse, data: EdgeThreadData, wake: () => void) {
    this.#held = held
    this.#frames = new EdgeFrames(data.frames, wake)
    this.#commands = new Ring(data.commands)
    this.#commandBytes = Buffer.from(data.commands)
    this.#changes = new Ring(data.changes)
    this.#closed = new Int32Array(data.closed)
    this.#clock = new BusyClock(data.busyTimes)
    this.#directory = new Directory(data.domain)
    this.#apps = new Apps(uWS, {
      tls: data.tls,
      connections: new Connections(data.bounds, () => performance.now(), data.connections),
      onFault: (error) => this.#frames.fault(error),
      isShared: true,
    })
    const clockOffset = new Float64Array(data.clockOffset)
    this.#kept = new KeptReplies(new Versions(data.versions))
    const both = { frames: this.#frames, commands: this.#commandBytes }
    this.#requests = new EdgeRequests({
      ...both,
      checks: data.checks,
      intake: new Intake(this.#directory, data.orderSkewMs),
      kept: this.#kept,
      counter: new EdgeCounter(data.counts),
      limit: limitOf(data),
      isCrowded: () => this.#apps.connections.isCrowded,
      nowMs: () => Date.now() + clockOffset[0],
      // Commands would write to other connections, which the library allows only between its
      // callbacks; so changes have a ring of their own.
      beforeRequest: () => this.#applyChanges(),
      nextId: () => this.#nextId(),
      onBroken: (error) => this.end(error),
    })
    this.#sockets = new EdgeSockets({
      ...both,
      cells: data.cells,
      publish: (topic, message, isBinary) => this.#apps.publish(topic, message, isBinary),
      onRequest: (handler, response, request, upgrade) => {
        this.#requests.contained(response, () => {
          this.#requests.receive(handler, response, request, upgrade)
        })
      },
      onEnded: () => this.#apps.connections.ended(),
    })
  }

  begin(): void {
    this.#frames.give(FROM_EDGE.READY, 0)
    this.drain()
  }

  /** Does what the core commanded. */
  drain(): void {
    this.#clock.begin()
    do {
      this.#applyChanges()
      while (!this.#sockets.isFlushDue && this.#commands.next()) this.#contained(() => this.#take())
      this.#commands.free()
      this.#commands.answer()
      if (this.#sockets.isFlushDue) {
        this.#drainLater()
        break
      }
    } while (!this.#commands.arm())
    this.#clock.end()
    stallPoint('edge-stall')
  }

  /** Goes on when the library has written what was published. */
  #drainLater(): void {
    if (this.#isDrainDue) return
    this.#isDrainDue = true
    setImmediate(() => {
      this.#isDrainDue = false
      this.#sockets.flushed()
      this.drain()
    })
  }

  #applyChanges(): void {
    while (this.#changes.next()) {
      const text = Buffer.from(this.#changes.bytes).toString()
      this.#contained(() => this.#directory.apply(JSON.parse(text)))
    }
    this.#changes.free()
  }

  #contained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#frames.fault(error)
    }
  }

  /** Closes all connections and ends the thread, because of an error if any. */
  end(error: unknown): void {
    if (error !== null) this.#frames.fault(error)
    this.#frames.send()
    this.#apps.stopListening()
    this.#apps.close()
    this.#held.close()
    setTimeout(() => {
      Atomics.store(this.#closed, 0, 1)
      Atomics.notify(this.#closed, 0)
      process.exit(error === null ? 0 : BROKEN_CODE)
    }, CLOSE_MS)
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId + 1) % ID_MAX
    while (this.#lastId === 0 || this.#isUsed(this.#lastId))
    return this.#lastId
  }

  #isUsed(id: number): boolean {
    return this.#requests.has(id) || this.#sockets.has(id)
  }

  #take(): void {
    const { tag, byteOffset: at, payloadBytes } = this.#commands
    const bytes = this.#commandBytes
    const end = at + payloadBytes
    switch (tag) {
      case TO_EDGE.LISTEN:
        void this.#listen(JSON.parse(bytes.toString('utf8', at, end)))
        return
      case TO_EDGE.PUBLISH:
        this.#sockets.publish(at, end)
        return
      case TO_EDGE.KEEP:
        this.#kept.take(bytes, at, end)
        return
      case TO_EDGE.DEAF:
        // From now on the core refuses every request.
        this.#kept.stop()
        this.#apps.stopListening()
        return
      case TO_EDGE.RENEW:
        this.#renew()
        return
      case TO_EDGE.STOP:
        // The kernel has the last replies one event-loop tick later.
        setImmediate(() => this.end(null))
        return
      default: {
        const id = bytes.readUInt32LE(at)
        const isDone = this.#requests.take(tag, id, at, end, this.#held)
        if (!isDone) this.#sockets.take(tag, id, at, end)
      }
    }
  }

  #renew(): void {
    let problem = ''
    try {
      this.#apps.renew()
    } catch (error) {
      problem = String(error)
    }
    this.#frames.give(FROM_EDGE.RENEWED, 0, 0, Buffer.from(problem))
  }

  async #listen({ host, port, paths, sockets }: ListenRequest): Promise<void> {
    try {
      this.#apps.each((app) => {
        for (const [handler, path] of paths.entries()) {
          app.any(path, (response, request) => {
            this.#requests.contained(response, () => {
              this.#requests.receive(handler, response, request, null)
            })
          })
        }
        for (const [handler, { path, limits }] of sockets.entries()) {
          app.ws<SocketData>(path, this.#sockets.behavior(handler, limits))
        }
      })
      this.#frames.give(FROM_EDGE.PORT, 0, await this.#apps.listen(host, port))
    } catch (error) {
      this.#frames.fault(error)
      this.#frames.give(FROM_EDGE.PORT, 0, 0)
    }
  }
}
