// The exchange as server/start/open.ts builds it, without HTTP, intake, follower and queries.

import { resetMarkets } from '../../engine/core/book/market.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { assert } from '../../engine/domain/assert.ts'
import { WakeUps } from '../../engine/thread/wake-ups.ts'
import {
  JournalHandle,
  type OnCommit,
  startJournalThread,
} from '../../persistence/journal/thread/journal-handle.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'
import { Pipeline } from '../../server/exchange/pipeline.ts'
import { OrderIds } from '../../server/exchange/read-model/order-ids.ts'
import { PublishedMarkets } from '../../server/exchange/read-model/published.ts'
import { reportedClock } from '../../server/exchange/sequencer/clock.ts'
import { Shards } from '../../server/exchange/sequencer/shard-map.ts'
import { type Setting, START_MS } from '../workload/setting.ts'
import { type WorkloadOptions, workloadOf } from '../workload/workload.ts'
import { type FeedOptions, flood, WorkloadFeed } from '../workload/workload-feed.ts'
import { writeSetting } from './exchange-folder.ts'

const onFault = (sentence: string) => {
  throw new Error(sentence)
}

export interface ThreadedExchange {
  readonly pipeline: Pipeline
  readonly journal: JournalHandle
  stop(): Promise<void>
}

/**
 * An exchange in an empty folder. Its setting is journaled. Each market has a thread of its own, up
 * to `marketThreadsAutoMax` threads.
 */
export async function openThreaded(
  dataDir: string,
  setting: Setting,
  onCommit: OnCommit = () => {},
): Promise<ThreadedExchange> {
  writeSetting(dataDir, setting)
  const exchange = new Exchange()
  const { clearing } = exchange
  const published = new PublishedMarkets()
  const { tail, folder } = recoverJournal(dataDir, {
    visit: (command) => {
      exchange.apply(command)
      published.replayed(command, clearing)
    },
  })
  assert(clearing.orders.live.all === 0, 'the setting leaves every book empty')
  resetMarkets()
  const writer = await startJournalThread({ folder, durability: 'full', tail })
  const wakeUps = new WakeUps(writer.data.wakeUps)
  const pipeline = new Pipeline({
    clearing,
    published,
    ids: new OrderIds(new Uint8Array(32)),
    clock: reportedClock(() => START_MS),
    openJournal: (onDurable) => new JournalHandle(writer, { onDurable, onCommit, onFault }),
    openShards: (main) => new Shards({ ...main, threads: 'auto', onFault, wakeUps }),
    onDurable: () => {},
    profileWaitSec: () => 0,
  })
  const { journal, shards } = pipeline
  await journal.warm()
  for (const book of clearing.catalogue.openBooks()) shards.of(book)
  await Promise.all(shards.all.map((shard) => shard.ready))
  pipeline.start()
  const stop = async () => {
    await pipeline.whenIdle()
    await journal.stop()
    await shards.stop()
  }
  return { pipeline, journal, stop }
}

/** Journals a workload in an empty folder; returns the number of commands. */
export async function writeJournal(
  dataDir: string,
  options: WorkloadOptions,
  { inFlight, ...feed }: FeedOptions & { readonly inFlight?: number } = {},
): Promise<number> {
  const work = workloadOf(options)
  const { accounts, books: markets } = options
  const { pipeline, stop } = await openThreaded(dataDir, { accounts, markets })
  await flood(new WorkloadFeed(work, pipeline, feed), { from: 0, to: work.count, inFlight })
  await stop()
  return pipeline.clearing.lastSeq
}
