// The channels of an account, and what feeds them.

import type { TimeMs } from '../../engine/domain/units.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Channel } from './channels.ts'
import { OrderEvents } from './order-events.ts'

export interface AccountFeeds {
  readonly pipeline: Pipeline
  readonly clock: () => TimeMs
}

/** By the event that subscribes to them. */
export function accountChannels({ pipeline, clock }: AccountFeeds): Map<string, Channel> {
  const orderEvents = new OrderEvents(pipeline, clock)
  pipeline.publisher.news.onFacts = (facts) => orderEvents.tell(facts)
  return new Map([['subscribe_order_events', orderEvents]])
}
