// Assembles the sockets: their limits, their channels and their gateway.

import { Streams } from '../../edge/sockets/account-stream.ts'
import { ConnectionCounts } from '../../edge/sockets/connection-counts.ts'
import type { FrameRates } from '../../edge/sockets/frame-rates.ts'
import type { Member } from '../../edge/sockets/member.ts'
import { Pump } from '../../edge/sockets/pump.ts'
import { SendBudget } from '../../edge/sockets/send-budget.ts'
import { type FrameBudgets, TickBudget } from '../../edge/sockets/shared/broadcast-group.ts'
import {
  type AllSocketBounds,
  SocketGateway,
  type SocketParts,
} from '../../edge/sockets/socket-gateway.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads } from '../reads/private-reads.ts'
import { accountChannels } from './account/account-channels.ts'
import { eventFeeds } from './event-channels.ts'
import { marketFeeds } from './market/market-channels.ts'

type Opened = 'channels' | 'connectionCounts' | 'streams' | 'durable' | 'market' | 'counts'

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
  const connectionCounts = new ConnectionCounts(bounds)
  const counts = { framesSent: 0, bytesSent: 0, slowReaders: 0 }
  const pump = new Pump()
  const budget = bytesOnly(parts.waits.accountBytesPerSec)
  const streams = new Streams({ pump, budget, onFault })
  const groups = {
    ...parts,
    pump,
    tick: new TickBudget(pump),
    budgets: budgetsOf(parts.waits),
    counts,
    fail: (error: unknown, members: readonly Member[]) => streams.fail(error, members),
  }
  const events = eventFeeds(groups)
  const market = marketFeeds({ ...groups, events })
  const account = accountChannels({ ...parts, connectionCounts, streams })
  const channels = new Map([...account, ...market.channels, ...events.channels])
  const durable = () => pipeline.durable()
  return new SocketGateway({
    ...parts,
    channels,
    connectionCounts,
    streams,
    durable,
    market,
    counts,
  })
}
