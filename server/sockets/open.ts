// Joins the parts of the sockets: their bounds, their channels and their gateway.

import type { Pipeline } from '../pipeline/pipeline.ts'
import type { ArchivedMarkets } from '../services/markets/archived-markets.ts'
import type { PrivateReads } from '../services/private-reads.ts'
import { Streams } from './account-stream.ts'
import { Census } from './census.ts'
import { accountChannels } from './feeds/account-channels.ts'
import { Pump } from './pump.ts'
import { type AllSocketBounds, SocketGateway, type SocketParts } from './socket-gateway.ts'

type Opened = 'channels' | 'census' | 'streams' | 'durable'

export interface OpenParts extends Omit<SocketParts, Opened> {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  readonly archive: ArchivedMarkets
  readonly bounds: AllSocketBounds
}

export function openSockets(parts: OpenParts): SocketGateway {
  const { bounds, onFault, pipeline } = parts
  const census = new Census(bounds)
  const streams = new Streams({ pump: new Pump(), onFault })
  const channels = accountChannels({ ...parts, census, streams })
  const durable = () => pipeline.durable()
  return new SocketGateway({ ...parts, channels, census, streams, durable })
}
