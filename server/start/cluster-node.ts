// This process as a node of a cluster: what it knows of the others, and whether it decides.

import { randomUUID } from 'node:crypto'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { Distribution, MICROS } from '../../engine/thread/distribution.ts'
import { NodeCopies } from '../../persistence/backup/node-copies.ts'
import { LogUnreachable, serversOf } from '../../persistence/log/log-address.ts'
import type { NodeIdentity } from '../../persistence/log/postgres-log.ts'
import type { ClusterState } from '../../persistence/log/thread/log-thread.ts'
import type { ClusterService, ClusterView } from '../api/admin/services.ts'
import { ClusterCell } from '../edge/http/forwarding/cluster-cell.ts'
import { LeaderCalls } from '../edge/http/forwarding/leader-calls.ts'
import type { ClusterLink } from '../edge/http/gateway/gateway-options.ts'
import type { Log } from '../ops/logging/log.ts'
import type { ClusterConfig } from '../settings/cluster-settings.ts'
import { VERSION } from '../version.ts'
import type { ClusterOptions } from './cluster.ts'
import type { RunningExchange } from './open.ts'
import { stampRules } from './rules.ts'

/**
 * A supervisor starts the process again: it then follows the new leader. EX_TEMPFAIL of sysexits.
 */
export const REPLACED_EXIT_CODE = 75
const WARN_AGAIN_MS = 60_000

const UNKNOWN: ClusterState = {
  role: 'standby',
  epoch: 0,
  leader: null,
  isLed: false,
  nodes: [],
  confirmedSeq: 0,
  isSynchronous: false,
  trouble: null,
  clockAheadMs: 0,
}

export class ClusterNode implements ClusterService {
  readonly identity: NodeIdentity
  /** Resolves when this node begins to decide; a standby may wait for ever. */
  readonly leading: Promise<void>
  readonly cell = new ClusterCell()
  readonly leader: LeaderCalls
  readonly copies: NodeCopies
  /** From the decision of a command by the leader to its publication here. */
  readonly lagMicros = new Distribution(MICROS)
  readonly #config: ClusterConfig
  #state = UNKNOWN
  #warned = { text: '', atMs: 0 }
  #isLeading = false
  #exchange: RunningExchange | null = null
  /** Called before this node decides. */
  #beforeLeading: () => void = () => {}
  /** Ends the process in order. */
  #onHandOver: () => void = () => {}
  #onLeading: () => void = () => {}
  /** Takes the clock of the log minus the clock of this machine, in milliseconds. */
  #onClock: (aheadMs: number) => void = () => {}

  constructor(config: ClusterConfig, folder: { dataDir: string; keyFile: string | undefined }) {
    this.#config = config
    this.copies = new NodeCopies(folder)
    this.identity = {
      name: config.name,
      run: randomUUID(),
      url: config.url,
      version: VERSION,
      rules: RULES_VERSION,
    }
    const { cell } = this
    this.leader = new LeaderCalls({
      cell,
      leaderUrl: () => this.leaderUrl,
      nowMs: Date.now,
      leaseMs: config.leaseMs,
    })
    this.leading = new Promise((resolve) => {
      this.#onLeading = resolve
    })
  }

  get state(): ClusterState {
    return this.#state
  }

  /** Whether this node decides. */
  get isLeading(): boolean {
    return this.#isLeading
  }

  /** Where the leader is reached; null while nobody leads. */
  get leaderUrl(): string | null {
    const { isLed, leader } = this.#state
    if (!isLed || leader === null) return null
    // Before it decides, this node applies what others decided.
    return leader.node === this.identity.name ? null : leader.url
  }

  /** Why this node does not serve; null when it does. */
  get trouble(): string | null {
    const { trouble, isLed, isSynchronous } = this.#state
    if (trouble !== null) return `the log cannot be used: ${trouble}`
    if (this.#isLeading || this.leaderUrl !== null) return null
    if (isLed) return 'this node is about to lead'
    if (isSynchronous || this.#config.sync === 'any') return 'no node leads'
    return 'no node leads: the log has no synchronous standby'
  }

  /**
   * The clock of the log minus the clock of this machine goes to a listener, now and from now on.
   */
  followClock(onClock: (aheadMs: number) => void): void {
    this.#onClock = onClock
    onClock(this.#state.clockAheadMs)
  }

  /** The servers of the log, and on how many disks its commits are, for a terminal. */
  get logText(): string {
    const { address, sync } = this.#config
    const isOnTwo = sync === 'required' || this.#state.isSynchronous
    const disks = isOnTwo ? 'two disks' : 'one disk: the log has no synchronous standby'
    return `${serversOf(address)}; each commit is on ${disks}`
  }

  connect(exchange: RunningExchange, beforeLeading: () => void): void {
    this.#exchange = exchange
    this.#beforeLeading = beforeLeading
  }

  /** `onHandOver` ends the process in order, so that it starts again as a standby. */
  listenToHandOver(onHandOver: () => void): void {
    this.#onHandOver = onHandOver
  }

  view(): ClusterView {
    const { epoch, leader, isLed, nodes, confirmedSeq, isSynchronous } = this.#state
    const { lastSeq: seq = 0, rulesVersion: rules = 0 } = this.#exchange?.pipeline.clearing ?? {}
    return {
      node: this.identity.name,
      role: this.#isLeading ? 'leader' : 'standby',
      epoch,
      leader: isLed && leader !== null ? leader.node : null,
      leaderUrl: isLed && leader !== null ? leader.url : null,
      seq,
      confirmedSeq: Math.max(confirmedSeq, this.#exchange?.pipeline.durableSeq ?? 0),
      rules,
      sync: this.#config.sync,
      synchronous: isSynchronous,
      nodes: nodes.map(({ name: node, run: _run, ...rest }) => ({ node, ...rest })),
    }
  }

  handOver(): boolean {
    const others = this.#state.nodes.filter(({ name, seenMs }) => {
      return name !== this.identity.name && seenMs < this.#config.leaseMs
    })
    if (!this.#isLeading || others.length === 0) return false
    // The reply goes out first.
    setImmediate(this.#onHandOver)
    return true
  }

  async removeNode(name: string): Promise<boolean> {
    try {
      const { PostgresLog } = await import('../../persistence/log/postgres-log.ts')
      const log = await PostgresLog.connect(this.#config.address, this.identity.name)
      await log.removeNode(name)
      log.close()
      return true
    } catch (error) {
      if (error instanceof LogUnreachable) return false
      throw error
    }
  }

  /** What the gateway needs of this node. */
  linkTo({ pipeline }: RunningExchange): ClusterLink {
    const { cell, leader } = this
    const { privateReadDeadlineMs } = LIMITS
    return { cell, leader, whenShown: (seq) => pipeline.shown.when(seq, privateReadDeadlineMs) }
  }

  options(log: Log): ClusterOptions {
    const { address, leaseMs, sync } = this.#config
    return {
      address,
      leaseMs,
      sync,
      node: this.identity,
      onState: (state) => this.#change(state, log),
      onClock: (clockAheadMs) => {
        this.#state = { ...this.#state, clockAheadMs }
        this.#setClock()
      },
      onKey: (key) => {
        this.cell.key = key
      },
      onDurable: (seq) => {
        this.cell.seq = seq
        const decidedMs = this.#exchange?.pipeline.clearing.lastNowMs ?? 0
        const nowMs = Date.now() + this.#state.clockAheadMs
        if (!this.#isLeading) this.lagMicros.record(Math.max(0, nowMs - decidedMs) * 1000)
      },
      rulesOfAll: () => this.#rulesOfAll,
      onLeading: (epoch, seq) => {
        this.#beforeLeading()
        this.#isLeading = true
        this.cell.decides = true
        log.info({ epoch, seq }, 'this node leads')
        this.#onLeading()
      },
      onReplaced: (sentence) => {
        log.fatal(`this node no longer leads: ${sentence}; start it again`)
        log.output.lastWords(`outcomex stops: ${sentence}\n`)
        process.exit(REPLACED_EXIT_CODE)
      },
    }
  }

  /** A node that is listed may lead, so it must know the rules in force. */
  get #rulesOfAll(): number {
    return Math.min(RULES_VERSION, ...this.#state.nodes.map(({ rules }) => rules))
  }

  #setClock(): void {
    const { clockAheadMs } = this.#state
    this.cell.clockAheadMs = clockAheadMs
    this.#onClock(clockAheadMs)
  }

  /** A log that fails at every call would repeat one sentence several times a second. */
  #warn(trouble: string, log: Log): void {
    const { text, atMs } = this.#warned
    const nowMs = performance.now()
    if (trouble === text && nowMs - atMs < WARN_AGAIN_MS) return
    this.#warned = { text: trouble, atMs: nowMs }
    log.warn(`the log: ${trouble}`)
  }

  #change(state: ClusterState, log: Log): void {
    const before = this.#state
    this.#state = state
    this.#setClock()
    if (this.#isLeading && this.#exchange !== null) {
      void stampRules(this.#exchange.pipeline, this.#rulesOfAll)
    }
    if (state.trouble !== null && before.trouble === null) this.#warn(state.trouble, log)
    if (state.epoch !== before.epoch || state.isLed !== before.isLed) this.leader.leaderChanged()
    if (state.epoch === before.epoch || state.leader === null) return
    log.info({ epoch: state.epoch, leader: state.leader.node }, 'a node leads')
  }
}
