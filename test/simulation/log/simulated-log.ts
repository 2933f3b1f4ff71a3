// The servers of a simulated log: a primary and its replica, which may take its place.

import { type Environment, LEASE_MS } from './environment.ts'
import { type Change, LogImage } from './log-image.ts'
import { LogInvariants, SKEW_MS } from './log-invariants.ts'
import { LogServer } from './log-server.ts'

/** The end of a connection at the server. */
export interface ServerEnd {
  readonly server: LogServer
  readonly incarnation: number
  /** The server has closed it, or is gone. */
  lost(): void
  /** It breaks on the way. */
  reset(): void
}

/** The replica of a new primary is built some time later, so commits wait until then. */
const REBUILD_MS = 300
const FORMER_MS = 4 * LEASE_MS
const TCP_GIVES_UP_MS = 15 * 60_000

export class SimulatedLog {
  readonly invariants: LogInvariants
  readonly #environment: Environment
  #primary: LogServer
  /** A former primary that still answers. */
  #former: LogServer | null = null
  /** When a primary ended silently last. */
  silentMs = Number.NEGATIVE_INFINITY
  readonly #ends = new Set<ServerEnd>()
  /** Requests under way that are late. */
  readonly #late = new Set<() => void>()

  constructor(environment: Environment) {
    this.#environment = environment
    const image = new LogImage()
    this.invariants = new LogInvariants(image)
    this.#primary = this.#newServer(image)
  }

  get primary(): LogServer {
    return this.#primary
  }

  #newServer(image: LogImage): LogServer {
    const onVisible = (visible: LogImage, change: Change) => {
      this.invariants.visible(visible, change)
    }
    const aheadMs = this.#environment.between(-SKEW_MS / 2, SKEW_MS / 2)
    return new LogServer({ environment: this.#environment, image, onVisible }, aheadMs)
  }

  opened(end: ServerEnd): void {
    this.#ends.add(end)
  }

  closed(end: ServerEnd): void {
    this.#ends.delete(end)
  }

  /** Whether the server still executes what arrives over a connection. */
  accepts({ server, incarnation }: ServerEnd): boolean {
    return server.isUp && server.incarnation === incarnation
  }

  /** Ends one backend. */
  terminate(end: ServerEnd): void {
    this.#environment.count('terminated backends')
    end.server.terminate(end)
    end.lost()
  }

  terminateAny(): void {
    if (this.#ends.size > 0) this.terminate(this.#environment.random.pick(this.connections))
  }

  /** Ends every backend that waits for the replica. */
  terminateCommitting(): void {
    const committing = new Set(this.#primary.committing)
    this.#environment.count('terminated backends', committing.size)
    for (const owner of committing) this.#primary.terminate(owner)
    for (const end of [...this.#ends]) if (committing.has(end)) end.lost()
  }

  get connections(): ServerEnd[] {
    return [...this.#ends]
  }

  restart(downMs: number): void {
    this.#environment.count('restarts of the primary')
    const server = this.#primary
    server.stop()
    this.#loseConnections(server)
    this.#environment.queue.after(downMs, () => server.start())
  }

  /** The primary is lost, and its replica is promoted. What only the primary had is gone. */
  failOver(downMs: number): void {
    const environment = this.#environment
    const { queue } = environment
    const before = this.#primary
    // Nobody promotes a replica that may lack what was acknowledged.
    if (!before.isCovered) return
    const image = before.promoted()
    environment.count('fail-overs')
    environment.count('rows lost', Math.max(0, before.image.rows.length - image.rows.length))
    const server = this.#newServer(image)
    server.isUp = false
    server.detach()
    this.#primary = server
    this.invariants.failedOver(image)
    if (environment.chance(0.2)) this.#leave(before)
    else {
      before.stop()
      if (environment.chance(0.2)) this.#forsake(before)
      else this.#loseConnections(before)
    }
    queue.after(downMs, () => server.start())
    queue.after(downMs + REBUILD_MS, () => server.attach())
  }

  /** A primary that was replaced goes on: it is read, and nothing that it commits returns. */
  #leave(server: LogServer): void {
    this.#environment.count('former primaries that answer')
    this.#environment.trace(() => 'the former primary goes on')
    this.#former?.stop()
    this.#former = server
    if (this.#environment.random.chance(0.5)) {
      for (const owner of server.committing) server.terminate(owner)
    }
    for (const end of this.#ends) {
      if (end.server === server && this.#environment.random.chance(0.5)) end.lost()
    }
    this.#environment.queue.after(this.#environment.between(0, FORMER_MS), () => {
      if (this.#former === server) this.#former = null
      server.stop()
      this.#loseConnections(server)
    })
  }

  /** The host of a server dies, and closes no connection: TCP gives up much later. */
  #forsake(server: LogServer): void {
    this.#environment.count('silent ends of a primary')
    this.#environment.trace(() => 'the former primary ends silently')
    this.silentMs = this.#environment.queue.nowMs
    this.#environment.queue.after(TCP_GIVES_UP_MS, () => this.#loseConnections(server))
  }

  /** The server that a new connection finds; null if it is down. */
  reachable(): LogServer | null {
    const primary = this.#primary.isUp ? this.#primary : null
    const isMisled = primary === null || this.#environment.chance(0.3)
    return isMisled && this.#former !== null ? this.#former : primary
  }

  /** Waits for the replica are interrupted. Then the primary may be lost before it catches up. */
  loseRows(): void {
    const { queue, random, isQuiet } = this.#environment
    if (isQuiet) return
    const interruptMs = this.#environment.between(0, 150)
    const afterMs = interruptMs + this.#environment.between(0, random.pick([30, 300, 2 * LEASE_MS]))
    this.detach(afterMs + 1)
    queue.after(interruptMs, () => {
      const interruptions = [
        // Other connections survive, and see the rows.
        () => this.terminateCommitting(),
        () => this.terminateCommitting(),
        () => this.restart(this.#environment.between(0, 50)),
        () => {
          for (const end of this.connections) if (random.chance(0.5)) end.reset()
        },
      ]
      if (!this.#environment.isQuiet) random.pick(interruptions)()
    })
    queue.after(afterMs, () => {
      if (this.#environment.chance(0.6)) this.failOver(this.#environment.between(0, 100))
    })
  }

  /** A request that arrives late, at most after so long. */
  arriveLate(afterMs: number, arrive: () => void): void {
    let isDue = true
    const run = () => {
      if (isDue && !this.#environment.isQuiet) arrive()
      isDue = false
      this.#late.delete(run)
    }
    this.#late.add(run)
    this.#environment.queue.after(afterMs, run)
  }

  /** Requests that are late arrive about now: when another node has just become the leader. */
  hasten(): void {
    for (const run of this.#late) {
      if (this.#environment.chance(0.9)) {
        this.#environment.queue.after(this.#environment.between(0, 20), run)
      }
    }
  }

  /** Removes batches from the log as its leader would, once every node has had them for long. */
  trim(throughSeq: number): void {
    const server = this.#primary
    if (!server.isUp) return
    const { epoch } = server.image.leadership
    server.execute({
      owner: this,
      lock: 'shared',
      fail: () => {},
      plan: (image) => {
        const base = image.trim(epoch, throughSeq, 2000)
        return { change: base && { kind: 'trim', base }, answer: () => {} }
      },
    })
  }

  /** Nothing is down any more. */
  recover(): void {
    const former = this.#former
    this.#former = null
    former?.stop()
    if (former !== null) this.#loseConnections(former)
    this.#primary.start()
    this.#primary.attach()
    this.#primary.setSynchronous(true)
  }

  #loseConnections(server: LogServer): void {
    for (const end of [...this.#ends]) if (end.server === server) end.lost()
  }

  /** Commits do not wait for the replica for a while. */
  desynchronize(forMs: number): void {
    this.#environment.count('times without a synchronous replica')
    const server = this.#primary
    server.setSynchronous(false)
    this.#environment.queue.after(forMs, () => server.setSynchronous(true))
  }

  /** A break of replication. */
  detach(forMs: number): void {
    this.#environment.count('breaks of the replication')
    const server = this.#primary
    server.detach()
    this.#environment.queue.after(forMs, () => server.attach())
  }
}
