// Reads markets from memory, or else from the read tables, which keep the markets that left memory
// (design §10). No market is changed here.

import type { MarketId } from '../../../engine/domain/ids.ts'
import { kindOf, takesOrders } from '../../../engine/domain/markets/market.ts'
import {
  type ArchivedMarket,
  archivedMarkets as archivedByIds,
  archivedMarket as archivedBySlug,
  archivedBySlugs,
  archivedOfGroup,
  isArchivedCondition,
  isSlugPrefixUsed,
  isSlugUsed,
} from '../../../persistence/query/read/markets/markets.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import { assetOf } from '../../exchange/read-model/oracle-views.ts'
import {
  archivedMarket,
  type PublishedMarket,
  type PublishedMarkets,
} from '../../exchange/read-model/published.ts'
import type { Part } from '../../messages/payload.ts'
import {
  ANYBODY,
  type PrivateReads,
  publicRequester,
  type Requester,
} from '../reads/private-reads.ts'

export { ANYBODY }

export class ArchivedMarkets {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads

  constructor(pipeline: Pipeline, reads: PrivateReads) {
    this.#pipeline = pipeline
    this.#reads = reads
  }

  /** A series never changes its asset, and its slot was durable, so all of this is durable. */
  #shown(metadata: ArchivedMarket): PublishedMarket {
    return archivedMarket(metadata, assetOf(metadata, this.#pipeline.clearing))
  }

  /** The market of a slug; null for an unknown slug, undefined on a read timeout. */
  async bySlug(slug: string, requester: Requester): Promise<PublishedMarket | null | undefined> {
    const live = this.#pipeline.published.bySlug(slug)
    if (live !== undefined) return live
    const metadata = await this.#reads.read(archivedBySlug, slug, requester)
    if (metadata === undefined || metadata === null) return metadata
    if (kindOf(metadata) !== 'group') return this.#shown(metadata)
    // A group leaves memory after its markets, so all of them are in the tables.
    const ofGroup = await this.#reads.read(archivedOfGroup, metadata.marketId, requester)
    return ofGroup === undefined ? undefined : archivedMarket(metadata, null, ofGroup)
  }

  /** Like `bySlug`; the address of a pool is accepted while the pool is in memory. */
  async byAddressOrSlug(
    name: string,
    requester: Requester,
  ): Promise<PublishedMarket | null | undefined> {
    const { published } = this.#pipeline
    return published.bySlug(name) ?? published.byAddress(name) ?? this.bySlug(name, requester)
  }

  /** The existing markets of these slugs, groups without children; undefined on a read timeout. */
  async bySlugs(
    slugs: Iterable<string>,
    requester: Requester,
  ): Promise<ReadonlyMap<string, PublishedMarket> | undefined> {
    const found = new Map<string, PublishedMarket>()
    const missing: string[] = []
    for (const slug of new Set(slugs)) {
      const live = this.#pipeline.published.bySlug(slug)
      if (live === undefined) missing.push(slug)
      else found.set(slug, live)
    }
    if (missing.length === 0) return found
    const read = await this.#reads.read(archivedBySlugs, missing, requester)
    for (const metadata of read ?? []) {
      if (metadata !== null) found.set(metadata.slug, this.#shown(metadata))
    }
    return read === undefined ? undefined : found
  }

  /** The markets of these ids, which all exist; undefined on a read timeout. */
  async byIds(
    marketIds: Iterable<MarketId>,
    requester?: Requester,
  ): Promise<ReadonlyMap<MarketId, PublishedMarket> | undefined> {
    const found = new Map<MarketId, PublishedMarket>()
    const missing: MarketId[] = []
    for (const marketId of new Set(marketIds)) {
      const live = this.#pipeline.published.byId(marketId)
      if (live === undefined) missing.push(marketId)
      else found.set(marketId, live)
    }
    if (missing.length === 0) return found
    const read = await this.#reads.read(archivedByIds, missing, requester)
    for (const metadata of read ?? []) {
      if (metadata !== null) found.set(metadata.marketId, this.#shown(metadata))
    }
    return read === undefined ? undefined : found
  }

  /** Whether a market that left memory had the slug; undefined on a read timeout. */
  isUsed(slug: string): Promise<boolean | undefined> {
    return this.#reads.read(isSlugUsed, slug)
  }

  /** Whether a market that left memory had the condition; undefined on a read timeout. */
  hadCondition(conditionId: string, requester: Requester): Promise<boolean | undefined> {
    return this.#reads.read(isArchivedCondition, conditionId, requester)
  }

  /** Whether a slot ever had a slug of this prefix; undefined on a read timeout. */
  isPrefixUsed(prefix: string): Promise<boolean | undefined> {
    return this.#reads.read(isSlugPrefixUsed, prefix)
  }
}

// Sends markets that the tables found, in their order, from the bytes that all readers share. The
// tables lag slightly behind, so a market that no longer accepts orders is omitted (invariant 1).

/** Callers that search share one group: their reads cost more than those of others. */
export function searcherOf(call: Parameters<typeof publicRequester>[0]): Requester {
  return { ...publicRequester(call), group: 'searches' }
}

/** The JSON of those of these markets that are active, separated by commas. */
export function foundMarkets(
  marketIds: readonly MarketId[],
  { published, lists }: { published: PublishedMarkets; lists: MarketLists },
  isBare = false,
): readonly Part[] {
  const found = marketIds.flatMap((marketId) => {
    const shown = published.byId(marketId)
    return shown !== undefined && takesOrders(shown.status) ? [shown] : []
  })
  return lists.joined(found, isBare)
}
