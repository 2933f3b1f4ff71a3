// A listener whose connections are on edge threads, which all listen on one port. The kernel gives
// each new connection to one of them.
// Invariants: a thread gets directory changes in the order in which they were made, and a change
// before any reply that shows it. A thread that breaks is replaced: its calls end without a
// reply, and none of them is made twice (design §11).

import { IdleDeaths } from '../../../engine/thread/idle-deaths.ts'
import { Versions } from '../../messages/versions.ts'
import { type ConnectionBounds, Connections } from '../http/gateway/connections.ts'
import { freePort, type TlsFiles } from '../http/gateway/listening/listen-check.ts'
import type {
  Listener,
  NativeApp,
  OpenConnections,
  SocketBehavior,
} from '../http/gateway/native.ts'
import type { DirectoryChange, SigningDomain } from '../intake/directory.ts'
import { replicate } from '../intake/replication.ts'
import { TO_EDGE } from './edge-layout.ts'
import type { OrderChecks } from './edge-requests.ts'
import { EdgeThread, type Handlers } from './edge-thread.ts'

export interface EdgeListenerOptions {
  readonly threads: number
  readonly bounds: ConnectionBounds
  readonly tls?: TlsFiles | undefined
  readonly domain: SigningDomain
  readonly orderSkewMs?: number | undefined
  readonly checks: OrderChecks
  /** The buckets of addresses; null without limits. */
  readonly addresses: SharedArrayBuffer | null
  /** Must be a power of two. */
  readonly ringBytes?: number
  /** Receives an exception of a handler or of a thread. */
  readonly onFault: (error: unknown) => void
  /** Called when threads died too often: the process cannot go on. */
  readonly onFatal: (sentence: string) => void
  /** Receives a sentence when a thread died and was replaced. */
  readonly onReplaced: (sentence: string) => void
}

const RING_BYTES = 1 << 22
/** A thread that does not close its connections in time is not waited for. */
const EXIT_DEADLINE_MS = 1000

export class EdgeListener implements Listener {
  readonly connections: OpenConnections
  /** Versions of what public reads show; the threads send bytes again that have them. */
  readonly versions = new Versions()
  readonly #options: EdgeListenerOptions
  readonly #handlers: {
    readonly paths: Handlers['paths'][number][]
    readonly sockets: Handlers['sockets'][number][]
    orders: Handlers['orders']
  } = { paths: [], sockets: [], orders: null }
  readonly #shared = new SharedArrayBuffer(8)
  readonly #clockOffset = new SharedArrayBuffer(8)
  readonly #threads: EdgeThread[] = []
  readonly #deaths = new IdleDeaths()
  #replicate: () => Iterator<unknown> = () => [].values()
  /** The thread that receives the current step of a replication; null outside a step. */
  #replica: EdgeThread | null = null
  #at: { readonly host: string; readonly port: number } | null = null
  #isStopping = false

  constructor(options: EdgeListenerOptions) {
    this.#options = options
    const { bounds } = options
    const { max } = bounds
    const clock = () => performance.now()
    this.connections = new CountedElsewhere({ max, openings: null }, clock, this.#shared)
    for (let index = 0; index < options.threads; index++) this.#threads.push(this.#start(index))
    process.on('exit', this.#onExit)
  }

  get threads(): readonly EdgeThread[] {
    return this.#threads
  }

  #start(index: number, before?: EdgeThread): EdgeThread {
    const { bounds, tls, domain, orderSkewMs, checks, addresses, threads } = this.#options
    const { timeOrigin: originMs } = performance
    const { openings } = bounds
    const part =
      openings === null
        ? null
        : { perSecond: openings.perSecond / threads, burst: Math.ceil(openings.burst / threads) }
    return new EdgeThread({
      index,
      handlers: this.#handlers,
      ringBytes: this.#options.ringBytes ?? RING_BYTES,
      data: {
        connections: this.#shared,
        clockOffset: this.#clockOffset,
        versions: this.versions.shared,
        addresses: addresses === null ? null : { shared: addresses, originMs },
        bounds: { max: bounds.max, openings: part },
        tls,
        domain,
        orderSkewMs,
        checks,
      },
      before,
      onFault: this.#options.onFault,
      onStuck: ({ name }) => this.#options.onFatal(`the thread ${name} reads no commands`),
      onEnd: (thread) => {
        if (!this.#isStopping) this.#replace(thread)
      },
    })
  }

  /** Resolves when every thread has loaded what it needs. */
  async ready(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ready))
  }

  /** The wall clock of the exchange minus that of the machine, in ms. */
  set clockOffsetMs(offsetMs: number) {
    new Float64Array(this.#clockOffset)[0] = offsetMs
  }

  /** How a new thread gets the whole directory: each step makes a few changes. */
  replicateBy(replicate: () => Iterator<unknown>): void {
    this.#replicate = replicate
  }

  change(change: DirectoryChange): void {
    const bytes = Buffer.from(JSON.stringify(change))
    for (const thread of this.#replica === null ? this.#threads : [this.#replica]) {
      thread.change(bytes)
    }
  }

  each(register: (app: NativeApp) => void): void {
    register({
      any: (path, handler) => {
        this.#handlers.paths.push({ path, handler })
      },
      orders: (handler) => {
        this.#handlers.orders = handler
      },
      ws: <Data>(path: string, behavior: SocketBehavior<Data>) => {
        this.#handlers.sockets.push({ path, behavior })
      },
    })
  }

  async listen(host: string, port: number): Promise<number> {
    await this.ready()
    // The library shares only a port that was named.
    const at = port === 0 ? await freePort(host) : port
    this.#at = { host, port: at }
    await Promise.all(this.#threads.map((thread) => thread.listen(host, at)))
    return at
  }

  stopListening(): void {
    this.#isStopping = true
    for (const thread of this.#threads) thread.command(TO_EDGE.DEAF, 0)
  }

  async renew(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.renew()))
  }

  publish(topic: string, message: string | Uint8Array, isBinary = false): boolean {
    let isTaken = false
    for (const thread of this.#threads) {
      if (thread.publish(topic, message, isBinary)) isTaken = true
    }
    return isTaken
  }

  get isCongested(): boolean {
    return this.#threads.some((thread) => thread.isCongested)
  }

  async close(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#threads.map((thread) => thread.stop()))
    process.off('exit', this.#onExit)
  }

  /** The process ends at once, so this waits without the event loop. */
  readonly #onExit = (): void => {
    const untilMs = performance.now() + EXIT_DEADLINE_MS
    for (const thread of this.#threads) thread.beginEnd()
    for (const thread of this.#threads) thread.awaitEnd(Math.max(0, untilMs - performance.now()))
  }

  #replace(ended: EdgeThread): void {
    const sentence = `${ended.name} died: ${ended.reason}`
    if (this.#deaths.tooMany(performance.now())) {
      this.#options.onFatal(`${sentence}; too often`)
      return
    }
    const thread = this.#start(ended.index, ended)
    this.#threads[ended.index] = thread
    this.#options.onReplaced(`The thread ${sentence}; it was replaced.`)
    this.#replicateTo(thread, this.#replicate())
  }

  /** The thread listens once it has the whole directory. */
  #replicateTo(thread: EdgeThread, steps: Iterator<unknown>): void {
    replicate(steps, {
      isWanted: () => !this.#isStopping && this.#threads[thread.index] === thread,
      alone: (work) => {
        this.#replica = thread
        work()
        this.#replica = null
      },
      onDone: () => {
        if (this.#at === null) return
        const { host, port } = this.#at
        thread.listen(host, port).catch((error: unknown) => this.#options.onFault(error))
      },
    })
  }
}

/** The threads count their connections themselves. */
class CountedElsewhere extends Connections {
  override ended(): void {}
}
