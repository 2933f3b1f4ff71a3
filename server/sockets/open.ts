// Joins the parts of the sockets: their bounds, their channels and their gateway.

import type { Pipeline } from '../pipeline/pipeline.ts'
import type { ArchivedMarkets } from '../services/markets/archived-markets.ts'
import type { PrivateReads } from '../services/private-reads.ts'
import { Streams } from './account-stream.ts'
import { Census } from './census.ts'
import { accountChannels } from './feeds/account/account-channels.ts'
import { marketFeeds } from './feeds/market/market-channels.ts'
import { newsFeeds } from './feeds/news/news-channels.ts'
import type { FrameRates } from './frame-rates.ts'
import type { Member } from './member.ts'
import { Pump } from './pump.ts'
import { type FrameBudgets, TurnRoom } from './shared/room.ts'
import { SendBudget } from './shared/send-budget.ts'
import { type AllSocketBounds, SocketGateway, type SocketParts } from './socket-gateway.ts'

type Opened = 'channels' | 'census' | 'streams' | 'durable' | 'market' | 'counts'

export interface OpenParts extends Omit<SocketParts, Opened> {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly bounds: AllSocketBounds
}

function budgetsOf(rates: FrameRates): FrameBudgets {
  const { bookSendsPerSec, bookBytesPerSec, tapeBytesPerSec, firstBytesPerSec } = rates
  const sendsPerSec = Number.POSITIVE_INFINITY
  return {
    books: new SendBudget({ sendsPerSec: bookSendsPerSec, bytesPerSec: bookBytesPerSec }),
    tapes: new SendBudget({ sendsPerSec, bytesPerSec: tapeBytesPerSec }),
    firsts: new SendBudget({ sendsPerSec, bytesPerSec: firstBytesPerSec }),
  }
}

export function openSockets(parts: OpenParts): SocketGateway {
  const { bounds, onFault, pipeline } = parts
  const census = new Census(bounds)
  const counts = { framesSent: 0, bytesSent: 0, slowReaders: 0 }
  const pump = new Pump()
  const streams = new Streams({ pump, onFault })
  const rooms = {
    ...parts,
    pump,
    turn: new TurnRoom(pump),
    budgets: budgetsOf(parts.waits),
    counts,
    fail: (error: unknown, members: readonly Member[]) => streams.fail(error, members),
  }
  const news = newsFeeds(rooms)
  const market = marketFeeds({ ...rooms, news })
  const account = accountChannels({ ...parts, census, streams })
  const channels = new Map([...account, ...market.channels, ...news.channels])
  const durable = () => pipeline.durable()
  return new SocketGateway({ ...parts, channels, census, streams, durable, market, counts })
}
