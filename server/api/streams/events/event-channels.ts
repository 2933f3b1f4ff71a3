// The public channels of matches and of offers, and their feeds.

import type { PackOffer } from '../../../../engine/core/packs/packs.ts'
import type { PlacedMatch } from '../../../../engine/core/sports/matches.ts'
import type { Channel } from '../../../edge/sockets/channels.ts'
import { OfferFeed, type OfferParts } from './offer-feed.ts'
import { ScoreFeed } from './score-feed.ts'

export interface EventFeeds {
  /** By the event that subscribes. */
  readonly channels: ReadonlyMap<string, Channel>
  scored(matches: readonly PlacedMatch[]): void
  offered(offer: PackOffer): void
}

export function eventFeeds(parts: OfferParts): EventFeeds {
  const { matches } = parts.pipeline.published
  const sports = new ScoreFeed({ ...parts, matches, event: 'live_sports_update' })
  const esports = new ScoreFeed({ ...parts, matches, event: 'live_esports_update' })
  const offers = new OfferFeed(parts)
  return {
    channels: new Map<string, Channel>([
      ['subscribe_live_sports', sports.group],
      ['subscribe_live_esports', esports.group],
      ['subscribe_live_offers', offers.group],
    ]),
    scored: (changed) => {
      for (const feed of [sports, esports]) feed.scored(changed)
    },
    offered: (offer) => offers.offered(offer),
  }
}
