// Which thread holds which market's book. A market stays in one shard for its whole life.

import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import {
  type FrameVisitor,
  ShardHandle,
  type ShardThread,
} from '../../../engine/shard/shard-handle.ts'

/** With a number, the markets share that many threads; 0 keeps the books on main (design §3). */
export type MarketThreads = 'auto' | 'each' | number

export interface ShardOptions extends Omit<ShardThread, 'inline'> {
  readonly threads: MarketThreads
  readonly visitor: FrameVisitor
}

/** How many threads there may be. Markets take them in turn by id, as OrderTable has its lanes. */
export function lanesOf(threads: MarketThreads): number {
  if (threads === 'auto') return LIMITS.marketThreadsAutoMax
  return threads === 'each' ? LIMITS.marketThreadsEachMax : Math.max(1, threads)
}

/** How many markets an exchange can hold. More would share a thread, which `each` never does. */
export function marketsMaxOf(threads: MarketThreads): number {
  return threads === 'each' ? LIMITS.marketThreadsEachMax : LIMITS.marketsMax
}

export class Shards {
  readonly all: ShardHandle[] = []
  readonly #options: ShardOptions
  /** How many markets start a thread; later markets share one. */
  readonly #threadsMax: number

  constructor(options: ShardOptions) {
    this.#options = options
    this.#threadsMax = lanesOf(options.threads)
  }

  get marketsMax(): number {
    return marketsMaxOf(this.#options.threads)
  }

  /** The market's shard; its thread starts with its first market. */
  of(marketId: MarketId): ShardHandle {
    const index = (marketId - 1) % this.#threadsMax
    assert(index <= this.all.length, 'markets come in the order of their ids')
    if (index === this.all.length) this.all.push(this.#start(index))
    return this.all[index]
  }

  #start(index: number): ShardHandle {
    const { threads, visitor, ...thread } = this.#options
    const name = `market-${index}`
    return new ShardHandle(name, visitor, { ...thread, inline: threads === 0 })
  }

  get areIdle(): boolean {
    return this.all.every((shard) => shard.isIdle)
  }

  /** Digests of the books of markets 1 to `count`, in order. */
  digests(count: number): Promise<Uint8Array[]> {
    const markets = Array.from({ length: count }, (_, index) => index + 1)
    return Promise.all(markets.map((marketId) => this.of(marketId).digest(marketId)))
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((shard) => shard.stop()))
  }
}
