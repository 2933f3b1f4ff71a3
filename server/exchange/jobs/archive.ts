// Removes markets from memory once nothing needs them (design §10): they are resolved, nobody holds
// their shares, and blocks contain all their trades. Main's thread owns it.
// Invariant: a market leaves only when every record of it is published.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { mayArchive } from '../../../engine/core/decide/endings.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { ShardHandle } from '../../../engine/shard/shard-handle.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { type Publisher, publishedThrough } from '../publisher/durable-publisher.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

export interface ArchiveParts {
  readonly clearing: Clearing
  readonly sequencer: Sequencer
  readonly publisher: Publisher
  readonly shards: readonly ShardHandle[]
  /** The market left memory, and that is durable. */
  readonly onArchived: (market: Market) => void
}

export class Archive {
  readonly #parts: ArchiveParts
  /**
   * Finished markets, each with the newest seq at the time this was first seen. No later command
   * names the market.
   */
  readonly #overSince = new Map<Market, Seq>()
  #lookedMs: TimeMs = 0
  /** The inputs of the last check: the same inputs give the same result. */
  #seen = { size: 0, throughSeq: 0, aside: 0, paid: 0, counted: 0, waiting: 0, sampling: false }

  constructor(parts: ArchiveParts) {
    this.#parts = parts
  }

  /** The time of the next check; Infinity while nothing new can be archived. */
  get nextDueMs(): TimeMs {
    const { catalogue, blocks, rewards, packs } = this.#parts.clearing
    const { size, throughSeq, aside, paid, counted, waiting, sampling } = this.#seen
    const isSame =
      catalogue.emptied.size === size &&
      catalogue.paidCount === paid &&
      rewards.countedSeq === counted &&
      (rewards.open !== null) === sampling &&
      packs.due.size === waiting &&
      blocks.throughSeq === throughSeq &&
      blocks.asideCount === aside
    if (isSame && this.#overSince.size === 0) return Number.POSITIVE_INFINITY
    return this.#lookedMs + LIMITS.archiveEveryMs
  }

  /** Archives the markets that are due, a bounded number at a time. */
  tick(): void {
    const { clearing, sequencer, publisher, shards } = this.#parts
    const { emptied, paidCount: paid } = clearing.catalogue
    // The value from before this check: when markets leave, their group may follow at the next one.
    const { size } = emptied
    const nowMs = sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    this.#lookedMs = nowMs
    const shownSeq = publishedThrough(publisher, shards)
    let left: number = LIMITS.archiveAtOnceMax
    for (const market of emptied) {
      if (market.rowCount > 0) emptied.delete(market)
      if (!mayArchive(clearing, market)) this.#overSince.delete(market)
      else if ((this.#overSince.get(market) ?? Number.POSITIVE_INFINITY) > shownSeq) {
        if (!this.#overSince.has(market)) this.#overSince.set(market, clearing.lastSeq)
      } else if (left-- === 0 || !this.#archive(market)) return
    }
    const { throughSeq, asideCount: aside } = clearing.blocks
    const { countedSeq: counted, open } = clearing.rewards
    const { size: waiting } = clearing.packs.due
    const sampling = open !== null
    this.#seen = { size, throughSeq, aside, paid, counted, waiting, sampling }
  }

  /** False when a ring is full. */
  #archive(market: Market): boolean {
    const { sequencer, publisher, onArchived } = this.#parts
    const { marketId } = market
    const { seq, reject } = sequencer.change(() => ({ kind: 'archiveMarket', marketId }))
    if (reject !== null) return false
    this.#overSince.delete(market)
    faultPoint('mid-archive')
    publisher.whenDurable(seq, () => onArchived(market))
    return true
  }
}
