// The channel `subscribe_trades`: the public tapes of the named markets. A group represents its
// children, each with its own tape.

import type { Channel, SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import type { BroadcastGroup } from '../../../edge/sockets/shared/broadcast-group.ts'
import { Subscriptions } from '../../../edge/sockets/shared/subscriptions.ts'
import type { PublishedMarket, PublishedMarkets } from '../../../exchange/read-model/published.ts'
import type { SettlementEvent, SettlementListener } from '../../../exchange/settlement/mining.ts'
import { Refusal } from '../../../messages/refusal.ts'
import { namesMissing, tapesNamed, tapesOf } from './market-names.ts'
import type { MarketTopics } from './market-topics.ts'

export class TradeFeed implements Channel, SettlementListener {
  readonly isPrivate = false
  readonly #published: PublishedMarkets
  readonly #topics: MarketTopics
  readonly #subscriptions = new Subscriptions()

  constructor(published: PublishedMarkets, topics: MarketTopics) {
    this.#published = published
    this.#topics = topics
  }

  subscribe(member: Member, { marketSlugs, isAdded = false }: SubscriptionRequest): Refusal | null {
    if (marketSlugs === undefined) return namesMissing()
    const markets = tapesNamed(this.#published, marketSlugs)
    if (markets instanceof Refusal) return markets
    const units = Math.max(1, markets.size)
    const refusal = this.#subscriptions.refusalOf(member, markets.keys(), { units, isAdded })
    if (refusal !== null) return refusal
    const groups = new Map<string, BroadcastGroup>()
    for (const [slug, shown] of markets) groups.set(slug, this.#topics.open(shown).tape.group)
    this.#subscriptions.set(member, groups, isAdded)
    return null
  }

  unsubscribe(member: Member, { marketSlugs }: SubscriptionRequest): void {
    const named = marketSlugs?.flatMap((slug) => {
      const shown = this.#published.bySlug(slug)
      if (shown === undefined) return [slug]
      return tapesOf(this.#published, shown).map(({ market }) => market.slug)
    })
    this.#subscriptions.drop(member, named ?? this.#subscriptions.namesOf(member))
  }

  left(member: Member): void {
    this.#subscriptions.drop(member, this.#subscriptions.namesOf(member))
  }

  /** A market left memory: it does not trade any more. */
  ended({ market }: PublishedMarket): void {
    const topic = this.#topics.byId(market.marketId)
    for (const member of topic?.tape.group.members ?? [])
      this.#subscriptions.drop(member, [market.slug])
  }

  onBlock(): void {}

  onSetback({ tradeSeq, reversed, nowMs }: SettlementEvent): void {
    if (reversed === undefined) return
    this.#topics.byId(reversed.marketId)?.tape.busted(tradeSeq, reversed.seq, nowMs)
  }
}
