import { EMPTY_TAIL } from '../../../persistence/journal/journal-chain.ts'
import type { Batch } from '../../../persistence/journal/journal-port.ts'
import type { LogConnection } from '../../../persistence/log/postgres-log.ts'
import { type Environment, LEASE_MS } from './environment.ts'
import { Link } from './log-connection.ts'
import { contentsOf } from './log-image.ts'
import type { SimulatedLog } from './simulated-log.ts'
import { type CopyEnd, digestAfter, SimulatedProcess } from './simulated-process.ts'

// A node of the cluster: a machine with a clock, a local copy and a network, and one process at a
// time.

/** How far a clock gains or loses, at most. */
const DRIFT_MAX = 1e-4
/** A supervisor starts a process that has ended. */
const RESTART_MS = 200
/** Batches of the copy that a power failure may lose: its commits do not wait for the disk. */
const POWER_LOSS_MAX = 4

const EMPTY_COPY: CopyEnd = { ...EMPTY_TAIL, digest: 0 }

export class SimulatedNode {
  readonly name: string
  readonly link: Link
  readonly #environment: Environment
  readonly #log: SimulatedLog
  readonly #clockRate: number
  readonly #clockStartMs: number
  #copy: CopyEnd[] = [EMPTY_COPY]
  /** The entries up to here are on the disk. */
  #safeIndex = 0
  #process: SimulatedProcess | null = null
  #runs = 0

  constructor(environment: Environment, log: SimulatedLog, name: string) {
    this.#environment = environment
    this.#log = log
    this.name = name
    this.link = new Link(environment)
    this.#clockRate = 1 + environment.between(-DRIFT_MAX, DRIFT_MAX)
    this.#clockStartMs = environment.between(0, 1e6)
  }

  get process(): SimulatedProcess | null {
    return this.#process
  }

  get isLeading(): boolean {
    return this.#process?.isLeading === true
  }

  get copiedSeq(): number {
    return this.#copyEnd.seq
  }

  /** What no power failure takes from the copy any more. */
  get safeSeq(): number {
    return this.#copy[this.#safeIndex].seq
  }

  get #copyEnd(): CopyEnd {
    return this.#copy.at(-1) ?? EMPTY_COPY
  }

  start(): void {
    if (this.#process !== null) return
    this.#environment.trace(() => `${this.name} starts at seq ${this.copiedSeq}`)
    const run = `${this.name}-${++this.#runs}`
    this.#process = new SimulatedProcess({
      environment: this.#environment,
      log: this.#log,
      link: this.link,
      identity: { name: this.name, run, url: `http://${this.name}`, version: '1', rules: 1 },
      copy: { copy: (batch) => this.#add(batch), close: () => {} },
      copyEnd: this.#copyEnd,
      nowMs: () => this.#clockStartMs + this.#environment.queue.nowMs * this.#clockRate,
      clockRate: this.#clockRate,
      onEnd: (error) => {
        this.#environment.count(error === null ? 'stops' : 'replaced leaders')
        this.#end(this.#environment.between(10, RESTART_MS))
      },
      onReply: (call) => this.#interrupt(call),
      onDelay: (call) => this.#abandon(call),
    })
  }

  #add(batch: Batch): void {
    const { invariants } = this.#log
    const { seq, digest } = this.#copyEnd
    const isEarly = this.#environment.planted.has('the copy is ahead of the log')
    if (isEarly && batch.lastSeq <= seq) return
    invariants.check(batch.firstSeq === seq + 1, () => {
      return `the copy of ${this.name} ends at ${seq}, and gets seq ${batch.firstSeq}`
    })
    let at = digest
    for (const [index, content] of contentsOf(batch.records).entries()) {
      invariants.received(this.name, batch.firstSeq + index, content)
      at = digestAfter(at, content)
    }
    this.#copy.push({ seq: batch.lastSeq, checksum: batch.checksum, digest: at })
    this.#safeIndex = Math.max(this.#safeIndex, this.#copy.length - 1 - POWER_LOSS_MAX)
  }

  /** Some faults need a process that ends or stops right after a call. */
  #interrupt(call: keyof LogConnection): void {
    const isWeighty = call === 'append' || call === 'batches' || call === 'report'
    if (this.#environment.chance(isWeighty ? 0.002 : 0.0005)) this.kill()
    const isElected = call === 'acquire'
    if (this.#environment.chance(isElected ? 0.2 : isWeighty ? 0.004 : 0.001)) {
      this.pause(this.#environment.between(isElected ? LEASE_MS : 0, 3 * LEASE_MS), isElected)
    }
  }

  /** An append that is executed late matters most if its node does not make it again. */
  #abandon(call: keyof LogConnection): void {
    if (call !== 'append' || this.#environment.chance(0.3)) return
    const faults = [
      () => this.kill(),
      () => this.pause(this.#environment.between(LEASE_MS, 3 * LEASE_MS)),
      () => this.partition(this.#environment.between(LEASE_MS, 3 * LEASE_MS)),
    ]
    this.#environment.queue.after(this.#environment.between(0, 20), () => {
      if (!this.#environment.isQuiet) this.#environment.random.pick(faults)()
    })
  }

  #end(restartMs: number): void {
    this.#process?.kill()
    this.#process = null
    this.#environment.queue.after(restartMs, () => this.start())
  }

  /** The process ends, and another starts from the local copy. */
  kill(): void {
    if (this.#process === null) return
    this.#environment.count('kills')
    this.#environment.trace(() => `${this.name} is killed`)
    if (this.#environment.chance(0.2)) {
      const lost = this.#environment.random.between(0, POWER_LOSS_MAX)
      this.#copy.length = Math.max(this.#safeIndex + 1, this.#copy.length - lost)
    }
    const longMs = this.#environment.chance(0.3) ? 3 * LEASE_MS : RESTART_MS
    this.#end(this.#environment.between(1, longMs))
  }

  /** The process does nothing for a while. What it reads then may be lost soon after. */
  pause(forMs: number, isDeceived = this.#environment.chance(0.3)): void {
    const process = this.#process
    if (process?.isRunning !== true) return
    this.#environment.count('pauses')
    this.#environment.trace(() => `${this.name} is paused for ${forMs} ms`)
    process.pause()
    const { queue } = this.#environment
    queue.after(forMs, () => process.resume())
    if (!isDeceived) return
    const earlyMs = this.#environment.between(0, 200)
    queue.after(Math.max(0, forMs - earlyMs), () => this.#log.loseRows())
  }

  /** Cuts the network for a while. */
  partition(forMs: number): void {
    if (this.link.state !== 'up') return
    this.#environment.count('partitions')
    this.link.state = this.#environment.random.pick(['refused', 'silent'])
    this.#environment.trace(() => `${this.name} is cut off for ${forMs} ms: ${this.link.state}`)
    if (this.link.state === 'refused') this.reset()
    this.#environment.queue.after(forMs, () => this.heal())
  }

  heal(): void {
    if (this.link.state === 'up') return
    const connections = this.#process?.connections ?? []
    const reset = connections.filter(() => this.#environment.random.chance(0.5))
    this.link.heal(new Set(reset))
    for (const connection of reset) connection.reset()
  }

  /** Breaks all connections. */
  reset(): void {
    for (const connection of this.#process?.connections ?? []) connection.reset()
  }
}
