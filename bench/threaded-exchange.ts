// The exchange as server/start/open.ts joins it, without what is not on an order's way here:
// no HTTP, no intake, no follower, no queries.

import { resetMarkets } from '../engine/core/book/market.ts'
import { concernsBook } from '../engine/core/clearing.ts'
import { Exchange } from '../engine/core/exchange.ts'
import { assert, fault } from '../engine/domain/assert.ts'
import type { Command } from '../engine/domain/command.ts'
import { encodeCancel } from '../engine/wire/cancel-codec.ts'
import { encodeRare } from '../engine/wire/codec.ts'
import { encodePlace } from '../engine/wire/place-codec.ts'
import { encodeRelease } from '../engine/wire/release-codec.ts'
import { JournalHandle } from '../persistence/journal/journal-handle.ts'
import { recoverJournal } from '../persistence/snapshot/recovery.ts'
import { Pipeline } from '../server/pipeline/pipeline.ts'
import { OrderIds } from '../server/pipeline/shown/order-ids.ts'
import { PublishedMarkets } from '../server/pipeline/shown/published.ts'
import { toldClock } from '../server/pipeline/spine/clock.ts'
import { Publisher } from '../server/pipeline/spine/durable-publisher.ts'
import { Shards } from '../server/pipeline/spine/shard-map.ts'
import { type Setting, START_MS, setUp } from './setting.ts'

const onFault = (sentence: string) => {
  throw new Error(sentence)
}

export function encodeCommand(command: Command): Uint8Array {
  if (command.kind === 'placeOrder') return encodePlace(command)
  if (command.kind === 'releaseOrder') return encodeRelease(command)
  return command.kind === 'cancelOrders' ? encodeCancel(command) : encodeRare(command)
}

export interface ThreadedExchange {
  readonly pipeline: Pipeline
  readonly journal: JournalHandle
  stop(): Promise<void>
}

/** An exchange in an empty folder, its setting journaled, a thread for each market. */
export async function openThreaded(dataDir: string, setting: Setting): Promise<ThreadedExchange> {
  const { tail, folder } = recoverJournal(dataDir, { visit: () => fault('the folder is new') })
  const journal = await JournalHandle.start({ folder, durability: 'full', tail, onFault })
  const exchange = new Exchange()
  const { clearing } = exchange
  const published = new PublishedMarkets()
  exchange.onEvents = (words, f64s, count) => published.publish(words, f64s, 0, count)
  setUp(setting, exchange, (command) => {
    exchange.apply(command)
    if (!concernsBook(command) && 'marketId' in command) {
      const market = clearing.catalogue.existing(command.marketId)
      published.refresh(market, market.status, market.updatedMs)
    }
    const record = encodeCommand(command)
    assert(journal.freeBytes() >= record.length, 'the setting fits the journal ring')
    journal.append(command.seq, record)
  })
  assert(clearing.orders.openCount === 0, 'the setting leaves every book empty')
  resetMarkets()
  const publisher = new Publisher(clearing, published)
  const durable = new Promise<void>((resolve) => {
    journal.onDurable = (seq) => {
      if (seq === clearing.lastSeq) resolve()
    }
  })
  journal.send()
  await durable
  publisher.durableSeq = clearing.lastSeq
  let drain = () => {}
  const onReady = () => drain()
  const shards = new Shards({ threads: 'auto', visitor: publisher, onReady, onFault })
  for (const { marketId } of clearing.catalogue.all()) shards.of(marketId)
  await Promise.all(shards.all.map((shard) => shard.ready))
  const pipeline = new Pipeline({
    clearing,
    published,
    publisher,
    shards: shards.all,
    shardOf: (marketId) => shards.of(marketId),
    journal,
    ids: new OrderIds(new Uint8Array(32)),
    clock: toldClock(() => START_MS),
    onDurable: () => {},
    profileWaitSec: () => 0,
    onTokenUsed: () => {},
  })
  drain = () => pipeline.drain()
  const stop = async () => {
    await pipeline.whenIdle()
    await journal.stop()
    await shards.stop()
  }
  return { pipeline, journal, stop }
}
