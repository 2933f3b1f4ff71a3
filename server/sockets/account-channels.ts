// The channels of an account, and what feeds them.

import type { TimeMs } from '../../engine/domain/units.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { PrivateReads } from '../pipeline/private-reads.ts'
import type { Channel } from './channels.ts'
import { OrderEvents } from './order-events.ts'
import { PositionsFeed } from './positions-feed.ts'
import { SettlementFeed } from './settlement-feed.ts'

export interface AccountFeeds {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly clock: () => TimeMs
}

/** By the event that subscribes to them. */
export function accountChannels(feeds: AccountFeeds): Map<string, Channel> {
  const { pipeline, clock } = feeds
  const orderEvents = new OrderEvents(pipeline, clock)
  const positions = new PositionsFeed(feeds)
  const settlements = new SettlementFeed({ ...feeds, orderEvents, positions })
  pipeline.mining?.listen(settlements)
  pipeline.publisher.news.onFacts = (facts) => {
    orderEvents.tell(facts)
    positions.tell(facts)
    settlements.tell(facts)
  }
  return new Map<string, Channel>([
    ['subscribe_order_events', orderEvents],
    ['subscribe_positions', positions],
    ['subscribe_transactions', settlements],
  ])
}
