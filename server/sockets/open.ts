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
import { SendBudget } from './send-budget.ts'
import { type FrameBudgets, TurnRoom } from './shared/room.ts'
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
  return {
    books: new SendBudget({ sendsPerSec: bookSendsPerSec, bytesPerSec: bookBytesPerSec }),
    tapes: bytesOnly(tapeBytesPerSec),
    firsts: bytesOnly(firstBytesPerSec),
  }
}

function bytesOnly(bytesPerSec: number): SendBudget {
  return new SendBudget({ sendsPerSec: Number.POSITIVE_INFINITY, bytesPerSec })
}

export function openSockets(parts: OpenParts): SocketGateway {
  const { bounds, onFault, pipeline } = parts
  const census = new Census(bounds)
  const counts = { framesSent: 0, bytesSent: 0, slowReaders: 0 }
  const pump = new Pump()
  const budget = bytesOnly(parts.waits.accountBytesPerSec)
  const streams = new Streams({ pump, budget, onFault })
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
