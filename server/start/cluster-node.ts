// This process as a node of a cluster: what it knows of the others, and whether it decides.

import { randomUUID } from 'node:crypto'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { NodeIdentity } from '../../persistence/log/postgres-log.ts'
import type { ClusterState } from '../../persistence/log/thread/log-thread.ts'
import { ClusterCell } from '../edge/http/forwarding/cluster-cell.ts'
import { LeaderCalls } from '../edge/http/forwarding/leader-calls.ts'
import type { ClusterLink } from '../edge/http/gateway/gateway-options.ts'
import type { Log } from '../ops/logging/log.ts'
import type { ClusterConfig } from '../settings/cluster-settings.ts'
import { VERSION } from '../version.ts'
import type { ClusterOptions } from './cluster.ts'
import type { RunningExchange } from './open.ts'

/**
 * A supervisor starts the process again: it then follows the new leader. EX_TEMPFAIL of sysexits.
 */
export const REPLACED_EXIT_CODE = 75

const UNKNOWN: ClusterState = {
  role: 'standby',
  epoch: 0,
  leader: null,
  isLed: false,
  confirmedSeq: 0,
  isSynchronous: false,
  trouble: null,
  clockAheadMs: 0,
}

export class ClusterNode {
  readonly identity: NodeIdentity
  /** Resolves when this node begins to decide; a standby may wait for ever. */
  readonly leading: Promise<void>
  readonly cell = new ClusterCell()
  readonly leader: LeaderCalls
  readonly #config: ClusterConfig
  #state = UNKNOWN
  #isLeading = false
  #onLeading: () => void = () => {}

  constructor(config: ClusterConfig) {
    this.#config = config
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
    return isLed && leader !== null && !this.#isLeading ? leader.url : null
  }

  /** Why this node does not serve; null when it does. */
  get trouble(): string | null {
    const { trouble, isLed, isSynchronous } = this.#state
    if (trouble !== null) return `the log cannot be used: ${trouble}`
    if (isLed) return null
    if (isSynchronous || this.#config.sync === 'any') return 'no node leads'
    return 'no node leads: the log has no synchronous standby'
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
      },
      onKey: (key) => {
        this.cell.key = key
      },
      onDurable: (seq) => {
        this.cell.seq = seq
      },
      onLeading: (epoch, seq) => {
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

  #change(state: ClusterState, log: Log): void {
    const before = this.#state
    this.#state = state
    if (state.trouble !== null && before.trouble === null) log.warn(`the log: ${state.trouble}`)
    if (state.epoch === before.epoch || state.leader === null) return
    log.info({ epoch: state.epoch, leader: state.leader.node }, 'a node leads')
  }
}
