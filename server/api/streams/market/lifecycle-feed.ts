// The channel `subscribe_market_lifecycle` (rules §12.8): created and resolved markets. A
// resolution is also sent to the listeners of the market's prices. A reader that missed too many of
// these frames is disconnected with the reason.

import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { PackOffer } from '../../../../engine/core/packs/packs.ts'
import type { PlacedMatch } from '../../../../engine/core/sports/matches.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import { kindOf } from '../../../../engine/domain/markets/market.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Channel } from '../../../edge/sockets/channels.ts'
import type { Member } from '../../../edge/sockets/member.ts'
import { packetOf } from '../../../edge/sockets/packets.ts'
import {
  BroadcastGroup,
  type BroadcastParts,
} from '../../../edge/sockets/shared/broadcast-group.ts'
import { NewestFrames } from '../../../edge/sockets/shared/newest-frames.ts'
import type {
  MarketsListener,
  PublishedMarket,
  ShownReport,
} from '../../../exchange/read-model/published.ts'
import { isoText } from '../../../messages/iso-text.ts'
import type { EventFeeds } from '../event-channels.ts'
import type { MarketTopics } from './market-topics.ts'

export interface LifecycleParts extends BroadcastParts {
  readonly topics: MarketTopics
  /** The oracle reported a price. */
  readonly reported: (report: ShownReport) => void
  /** The pool of a market changed by the command of `seq`. */
  readonly poolMoved: (published: PublishedMarket, seq: Seq) => void
  /** Publishes matches and offers. */
  readonly events: Pick<EventFeeds, 'scored' | 'offered'>
  /** A market left memory. */
  readonly ended: (published: PublishedMarket) => void
}

export class LifecycleFeed implements Channel, MarketsListener {
  readonly isPrivate = false
  readonly #parts: LifecycleParts
  readonly #group: BroadcastGroup
  readonly #newest = new NewestFrames()

  constructor(parts: LifecycleParts) {
    this.#parts = parts
    const since = (count: number) => this.#newest.missed(count)
    this.#group = new BroadcastGroup('markets', parts, { since, pace: 'every' })
  }

  subscribe(member: Member): null {
    if (!this.#group.has(member)) this.#group.join(member)
    return null
  }

  unsubscribe(member: Member): void {
    this.#group.leave(member)
  }

  left(member: Member): void {
    this.#group.leave(member)
  }

  added(published: PublishedMarket): void {
    // A group is published as its children. Drafts are not listed.
    if (kindOf(published.market) === 'group' || published.status === 'DRAFT') return
    this.#contained(() => this.#say('marketCreated', createdFrame(published)))
  }

  resolved(published: PublishedMarket): void {
    if (kindOf(published.market) === 'group') return
    this.#contained(() => {
      const frame = resolvedFrame(published)
      this.#say('marketResolved', frame)
      const topic = this.#parts.topics.byId(published.market.marketId)
      topic?.book.publish('marketResolved', frame, true)
    })
  }

  removed(published: PublishedMarket): void {
    this.#contained(() => this.#parts.ended(published))
  }

  reported(report: ShownReport): void {
    this.#contained(() => this.#parts.reported(report))
  }

  poolMoved(published: PublishedMarket, seq: Seq): void {
    this.#contained(() => this.#parts.poolMoved(published, seq))
  }

  scored(matches: readonly PlacedMatch[]): void {
    this.#contained(() => this.#parts.events.scored(matches))
  }

  offered(offer: PackOffer): void {
    this.#contained(() => this.#parts.events.offered(offer))
  }

  #say(event: string, payload: object): void {
    if (this.#group.isEmpty) return
    edgePoint('at-socket-frame')
    const packet = packetOf(event, payload)
    this.#newest.keep(this.#group.count, packet)
    this.#group.say(packet)
  }

  /** Called by the pipeline, so a fault in a frame must not be thrown. */
  #contained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.fail(error, this.#group.members)
    }
  }
}

const typeOf = (market: Market) => (kindOf(market) === 'amm' ? 'AMM' : 'CLOB')

export function createdFrame({ market, group }: PublishedMarket): object {
  return {
    slug: market.slug,
    title: market.title,
    type: typeOf(market),
    ...(group === null ? {} : { groupSlug: group.market.slug }),
    createdAt: isoText(market.createdMs),
  }
}

/**
 * The public client always reads a winner. For a payout split it is the outcome with the greater
 * payout, and YES when both are equal; `payoutNumerators` has both payouts.
 */
export function resolvedFrame({ market, payoutNumerators, updatedMs }: PublishedMarket): object {
  const [yes, no] = payoutNumerators ?? [0, 0]
  const isSplit = yes > 0 && no > 0
  const winner = yes >= no ? 'YES' : 'NO'
  return {
    slug: market.slug,
    type: typeOf(market),
    winningOutcome: winner,
    winningIndex: Number(winner === 'NO'),
    payoutNumerators: isSplit ? [yes, no] : null,
    resolutionDate: isoText(updatedMs),
  }
}

/** The channel `unsubscribe_market_lifecycle`, which has no acknowledgement. */
export function leaving(channel: Channel): Channel {
  return {
    isPrivate: false,
    confirmation: 'Unsubscribed from subscribe_market_lifecycle',
    subscribe: (member, requested) => {
      channel.unsubscribe(member, requested)
      return null
    },
    unsubscribe: () => {},
    left: () => {},
  }
}
