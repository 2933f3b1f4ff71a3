// The channel `subscribe_positions` (domain §12.8): what the caller holds in the markets it names,
// first as it is, then whenever a trade of it changed that. Read from the tables behind the barrier
// of private reads, so a frame never shows less than the order event that came before it.
// Invariant: of one member at most one read is out, however often it subscribes; what changes or is
// asked for meanwhile is read after it.

import { assert } from '../../engine/domain/assert.ts'
import { mulDivFloor, type TimeMs, UNIT_RAW } from '../../engine/domain/units.ts'
import type { PositionRow } from '../../persistence/read/positions.ts'
import { invalid, type Refusal, refuse } from '../http/refusal.ts'
import type { OrderFact } from '../pipeline/order-news.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { PrivateReads } from '../pipeline/private-reads.ts'
import type { PublishedMarket } from '../pipeline/published.ts'
import { yesMarkHalfTicks } from '../pipeline/views.ts'
import type { Audience } from './audience.ts'
import type { Channel, SubscriptionAsk } from './channels.ts'
import type { Member } from './member.ts'

const MARK_ONE = 2000
const CHANNEL = 'subscribe_positions'

interface Subscription {
  readonly marketIds: Set<number>
  /** Not shown at all yet: their first frame is the snapshot. */
  readonly fresh: Set<number>
  readonly changed: Set<number>
}

export interface PositionParts {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly clock: () => TimeMs
}

export class PositionsFeed implements Channel {
  readonly isPrivate = true
  readonly #parts: PositionParts
  readonly audience: Audience
  readonly #subscriptions = new Map<Member, Subscription>()
  readonly #reading = new Set<Member>()

  constructor(audience: Audience, parts: PositionParts) {
    this.audience = audience
    this.#parts = parts
  }

  subscribe(member: Member, { marketSlugs }: SubscriptionAsk): Refusal | null {
    if (marketSlugs === undefined) {
      return invalid({ field: 'marketSlugs', message: 'must name the markets' })
    }
    const { published } = this.#parts.pipeline
    const markets = marketSlugs.map((slug) => published.bySlug(slug))
    const ids = markets.flatMap((shown) => shown?.market.marketId ?? [])
    if (ids.length < markets.length) return refuse('MARKET_NOT_FOUND')
    const subscription = { marketIds: new Set(ids), fresh: new Set(ids), changed: new Set(ids) }
    this.#subscriptions.set(member, subscription)
    this.audience.subscribe(member)
    void this.#read(member)
    return null
  }

  unsubscribe(member: Member, { marketSlugs }: SubscriptionAsk): void {
    const subscription = this.#subscriptions.get(member)
    if (subscription === undefined) return
    for (const slug of marketSlugs ?? []) {
      const id = this.#parts.pipeline.published.bySlug(slug)?.market.marketId ?? 0
      subscription.marketIds.delete(id)
      subscription.changed.delete(id)
    }
    if (marketSlugs === undefined || subscription.marketIds.size === 0) this.left(member)
  }

  left(member: Member): void {
    this.#subscriptions.delete(member)
    this.audience.left(member)
  }

  tell(facts: readonly OrderFact[]): void {
    for (const fact of facts) {
      if (fact.type === 'MATCHED') this.changed(fact.accountId, fact.marketId)
    }
  }

  /** What a profile holds in a market is another than before. */
  changed(profileId: number, marketId: number): void {
    for (const member of this.audience.of(profileId)) {
      const subscription = this.#subscriptions.get(member)
      if (subscription === undefined || !subscription.marketIds.has(marketId)) continue
      subscription.changed.add(marketId)
      void this.#read(member)
    }
  }

  async #read(member: Member): Promise<void> {
    if (member.caller === null || this.#reading.has(member)) return
    this.#reading.add(member)
    const accountId = member.caller.profileId
    for (let due = this.#due(member); due !== undefined; due = this.#due(member)) {
      const marketIds = [...due.changed]
      due.changed.clear()
      const rows = await this.#parts.reads.positions({ accountId, marketIds })
      // Gone, or asked anew meanwhile: then all of that is still due.
      if (this.#subscriptions.get(member) !== due) continue
      if (rows === undefined) {
        // The tables are far behind: the client hears it, and asks again as after any 503.
        this.left(member)
        member.except(refuse('READ_TIMEOUT'), CHANNEL)
        continue
      }
      for (const id of marketIds) this.#show(member, due, id, rows)
    }
    this.#reading.delete(member)
  }

  /** What a member listens to, when some of it is to be read. */
  #due(member: Member): Subscription | undefined {
    const subscription = this.#subscriptions.get(member)
    return subscription !== undefined && subscription.changed.size > 0 ? subscription : undefined
  }

  #show(
    member: Member,
    { marketIds, fresh }: Subscription,
    id: number,
    rows: readonly PositionRow[],
  ): void {
    const shown = this.#parts.pipeline.published.byId(id)
    assert(shown !== undefined && member.caller !== null, 'who subscribed is known, and to what')
    if (!marketIds.has(id)) return
    const { market } = shown
    const isFirst = fresh.delete(id)
    member.sendPrivate('positions', {
      type: 'CLOB',
      account: member.caller.account,
      marketSlug: market.slug,
      positions: rows.filter((row) => row.marketId === id).map((row) => positionView(row, shown)),
      tokenIds: [market.yesTokenId, market.noTokenId],
      ...(isFirst ? {} : { timestamp: this.#parts.clock() }),
    })
  }
}

/** Raw amounts as text; the price is of one share, raw as well (domain §9.1). */
export function positionView({ outcome, sizeRaw, costRaw }: PositionRow, shown: PublishedMarket) {
  const { market } = shown
  const yesMark = yesMarkHalfTicks(shown)
  const mark = outcome === 0 ? yesMark : MARK_ONE - yesMark
  const heldRaw = Math.max(0, sizeRaw)
  return {
    tokenId: outcome === 0 ? market.yesTokenId : market.noTokenId,
    ctfBalance: String(sizeRaw),
    averageFillPrice: String(fillPriceRaw(sizeRaw, costRaw)),
    costBasis: String(costRaw),
    marketValue: String(mulDivFloor(heldRaw, mark, MARK_ONE)),
    marketId: String(market.marketId),
  }
}

/** Rounded half up; 0 of nothing. */
function fillPriceRaw(sizeRaw: number, costRaw: number): number {
  if (sizeRaw <= 0) return 0
  return Math.floor((mulDivFloor(costRaw, 2 * UNIT_RAW, sizeRaw) + 1) / 2)
}
