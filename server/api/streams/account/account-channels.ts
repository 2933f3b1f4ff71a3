// The account channels and their feeds.

import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { Streams } from '../../../edge/sockets/account-stream.ts'
import type { Channel } from '../../../edge/sockets/channels.ts'
import type { ConnectionCounts } from '../../../edge/sockets/connection-counts.ts'
import type { Pipeline } from '../../../exchange/pipeline.ts'
import type { ArchivedMarkets } from '../../markets/archived-markets.ts'
import { HeartbeatChanges } from '../../orders/services.ts'
import type { PrivateReads } from '../../reads/private-reads.ts'
import { Audience } from './audience.ts'
import { CANCEL_ON_DISCONNECT, CancelOnDisconnect } from './cancel-on-disconnect.ts'
import { OrderEvents } from './order-events.ts'
import { FrameMaker } from './order-frames.ts'
import { PositionsFeed } from './positions-feed.ts'
import { MoveTransactions, SettlementFeed } from './settlement-feed.ts'

export interface AccountFeeds {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly clock: () => TimeMs
  readonly connectionCounts: ConnectionCounts
  readonly streams: Streams
}

/** The channels by the event that subscribes to them. */
export function accountChannels(feeds: AccountFeeds): Map<string, Channel> {
  const { pipeline, reads, archive, streams, clock } = feeds
  const { orderEvents: source } = pipeline.publisher
  const frames = new FrameMaker(pipeline, clock)
  const audience = new Audience(source)
  const orderEvents = new OrderEvents({ audience, pipeline, reads, archive, streams, frames })
  const positions = new PositionsFeed(new Audience(source), feeds)
  const transactions = new Audience(null)
  pipeline.mining?.listen(
    new SettlementFeed({
      audience: transactions,
      reads,
      archive,
      streams,
      frames,
      orderEvents,
      positions,
    }),
  )
  // Each feed handles its own faults, because a frame must not break the pipeline.
  source.listen((events) => {
    orderEvents.publish(events)
    positions.publish(events)
  })
  const { published, mining } = pipeline
  const chainId = mining?.port.chainId ?? 0
  const moves = new MoveTransactions({ audience: transactions, streams, published, chainId })
  mining?.listen(moves)
  published.listenToMoves((events, seq) => {
    positions.moved(events)
    moves.moved(events, seq)
  })
  return new Map<string, Channel>([
    ['subscribe_order_events', orderEvents],
    ['subscribe_positions', positions],
    ['subscribe_transactions', transactions],
    [
      CANCEL_ON_DISCONNECT,
      new CancelOnDisconnect({ pipeline, streams, heartbeats: new HeartbeatChanges(pipeline) }),
    ],
  ])
}
