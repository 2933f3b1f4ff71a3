// Moves and approvals of server wallets on the chain, each once: a wallet makes the calls of an id
// once. A wallet has one transaction at a time, so each meets what the earlier ones left.

import { setTimeout as pause } from 'node:timers/promises'
import type { Abi, Address } from 'viem'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { abiOf, type ChainClient, callOf, type Payload } from '../chain-client.ts'
import { ChainTrouble } from '../chain-trouble.ts'
import type { WalletJob, WalletWork } from './chain-messages.ts'
import { callsOf, executeArgs, type WalletContracts } from './wallet-calls.ts'

const WALLET_ABI = abiOf('function isMade(uint256) view returns (bool)')

/** A move may wait for a transaction that was sent just before. */
const FIRST_WAIT_MS = 100
/** What the chain keeps refusing is tried less and less. */
const WAIT_MAX_MS = 3_600_000
/** Jobs that are tried between two looks at the chain. */
const AT_ONCE_MAX = 20
/** Of calls that revert because they were made before. */
const MADE_GAS = 300_000n

export interface WalletMovesParts extends WalletContracts {
  readonly chain: ChainClient
  /** Makes wallets and their calls. */
  readonly factory: Address
  readonly factoryAbi: Abi
  /** When a move is refused for so long, the log warns. */
  readonly retryMs: number
  readonly idOf: (seq: Seq) => bigint
  readonly onWarning: (sentence: string) => void
}

interface Queued {
  readonly job: WalletJob
  notBeforeMs: TimeMs
  /** Until the next try; it doubles. */
  waitMs: number
  isWarned: boolean
}

export class WalletMoves {
  readonly #parts: WalletMovesParts
  /** By wallet, in the order of their commands. */
  readonly #queues = new Map<Address, Queued[]>()
  /** Wallets with a transaction that has not happened. */
  readonly #busy = new Set<Address>()

  constructor(parts: WalletMovesParts) {
    this.#parts = parts
  }

  add(jobs: readonly WalletJob[]): void {
    for (const job of jobs) {
      const queue = this.#queues.get(job.wallet) ?? []
      this.#queues.set(job.wallet, queue)
      queue.push({ job, notBeforeMs: 0, waitMs: FIRST_WAIT_MS, isWarned: false })
      if (job.isSent) this.#busy.add(job.wallet)
    }
  }

  /** The next jobs that may be submitted now, one of a wallet. */
  due(nowMs: TimeMs): WalletJob[] {
    const due = [...this.#queues].flatMap(([wallet, [first]]) => {
      const isDue = !this.#busy.has(wallet) && first.notBeforeMs <= nowMs
      return isDue ? [first] : []
    })
    // Those that the chain refused before come last, and never hold up the thread for long.
    due.sort((a, b) => a.waitMs - b.waitMs)
    return due.slice(0, AT_ONCE_MAX).map(({ job }) => job)
  }

  /** The transaction of a job; null when the chain would refuse it at present. */
  async payloadOf(job: WalletJob, account: Address, nowMs: TimeMs): Promise<Payload | null> {
    const { chain, factory: to, factoryAbi, idOf, onWarning, retryMs } = this.#parts
    const queued = this.#first(job)
    const calls = callsOf(job.work, this.#parts)
    const args = executeArgs(chain.chainId, job, calls, idOf(job.seq))
    const data = callOf(factoryAbi, 'execute', args)
    try {
      return { to, data, gas: await chain.gasFor({ to, data }, account) }
    } catch (error) {
      if (!(error instanceof ChainTrouble)) throw error
      // Its own transaction then reverts, and ends it.
      if (await this.#readMade(job)) return { to, data, gas: MADE_GAS }
      queued.notBeforeMs = nowMs + queued.waitMs
      const isLong = queued.waitMs >= retryMs
      queued.waitMs = Math.min(queued.waitMs * 2, WAIT_MAX_MS)
      if (isLong && !queued.isWarned) {
        onWarning(
          `Move ${job.seq} of wallet ${job.wallet} waits, and so do later ones: ${error.message}`,
        )
      }
      queued.isWarned = isLong
      return null
    }
  }

  /** The transaction of the job was sent. */
  sent({ wallet }: WalletJob): void {
    this.#busy.add(wallet)
  }

  /** The transaction of a job happened. True when the job is done, perhaps by another one. */
  async happened(seq: Seq, isReverted: boolean): Promise<boolean> {
    const queued = this.#sent(seq)
    // The process that sent it settled the approvals before it ended.
    if (queued === undefined) return true
    const { wallet } = queued.job
    const isDone = !isReverted || (await this.#isMade(queued.job))
    this.#busy.delete(wallet)
    if (!isDone) {
      queued.notBeforeMs = Date.now() + this.#parts.retryMs
      return false
    }
    const queue = this.#queues.get(wallet)
    queue?.shift()
    if (queue?.length === 0) this.#queues.delete(wallet)
    return true
  }

  /** The work of a job whose transaction was sent. */
  workOf(seq: Seq): WalletWork | undefined {
    return this.#sent(seq)?.job.work
  }

  /** Whether a split or a conversion waits that needs the market open. */
  needsMarket(marketId: MarketId): boolean {
    return [...this.#queues.values()].flat().some(({ job: { work } }) => {
      return work.kind === 'move' && work.move.marketId === marketId
    })
  }

  #sent(seq: Seq): Queued | undefined {
    const firsts = [...this.#queues.values()].map(([first]) => first)
    return firsts.find(({ job }) => job.seq === seq)
  }

  /** However long the chain is silent. */
  async #isMade(job: WalletJob): Promise<boolean> {
    for (;;) {
      try {
        return await this.#readMade(job)
      } catch (error) {
        if (!(error instanceof ChainTrouble)) throw error
        await pause(this.#parts.retryMs)
      }
    }
  }

  /** Whoever saw the signed calls may have sent them too. */
  async #readMade({ wallet, seq }: WalletJob): Promise<boolean> {
    const { chain, idOf } = this.#parts
    return (await chain.read(wallet, WALLET_ABI, 'isMade', [idOf(seq)])) === true
  }

  #first({ wallet, seq }: WalletJob): Queued {
    const [first] = this.#queues.get(wallet) ?? []
    assert(first?.job.seq === seq, 'jobs of a wallet come in order')
    return first
  }
}
