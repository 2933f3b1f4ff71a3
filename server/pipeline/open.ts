// Opens a data folder as a running exchange: lock, key, recovery, threads; and closes it again.

import { join } from 'node:path'
import { Clearing, RULES_VERSION } from '../../engine/core/clearing.ts'
import { stateHash } from '../../engine/core/state-hash.ts'
import type { Command } from '../../engine/domain/command.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { DataLock } from '../../persistence/data-lock.ts'
import { FollowerHandle } from '../../persistence/follower-handle.ts'
import { JournalHandle } from '../../persistence/journal-handle.ts'
import type { Durability } from '../../persistence/journal-port.ts'
import { QueryHandle } from '../../persistence/query-handle.ts'
import { type Progress, recoverJournal } from '../../persistence/recovery.ts'
import { openSeal, type Seal } from '../../persistence/seal.ts'
import { IntakePool } from '../auth/intake-pool.ts'
import { OrderIds } from './order-ids.ts'
import { Pipeline } from './pipeline.ts'
import { PublishedMarkets } from './published.ts'
import { Publisher } from './publisher.ts'
import { type MarketThreads, Shards } from './shards.ts'

export interface OpenOptions {
  readonly dataDir: string
  readonly keyFile: string | undefined
  readonly durability: Durability
  readonly marketThreads: MarketThreads
  readonly intakeThreads: number
  readonly domain: { readonly name: string; readonly chainId: number }
  readonly clock: () => TimeMs
  readonly profileWaitSec: (profileId: number) => number
  readonly onTokenUsed: (tokenId: string) => void
  /** A sentence that says which part died and why; the process must stop. */
  readonly onFault: (sentence: string) => void
  readonly onProgress: (what: 'journal' | 'read tables', seq: number, total: number) => void
}

/** The state an exchange came back with. */
export interface Recovered {
  readonly seq: number
  readonly stateHash: string
  /** Acknowledged without fsync and gone with the power; only with --durability normal. */
  readonly lostRecords: number
}

export interface RunningExchange {
  readonly pipeline: Pipeline
  readonly shards: Shards
  readonly journal: JournalHandle
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly intake: IntakePool
  readonly seal: Seal
  readonly recovered: Recovered
  /** Commits what is in flight and ends every thread; gives the last seq and its state hash. */
  stop(): Promise<{ seq: number; stateHash: string }>
}

interface Core {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly publisher: Publisher
  readonly shards: Shards
}

const REPLAY_BURST = 256
/** Room for any one record while replaying; the threads drain meanwhile. */
const REPLAY_ROOM_BYTES = 64 * 1024
const pause = new Int32Array(new SharedArrayBuffer(4))

function buildCore(options: OpenOptions, onReady: () => void): Core {
  const clearing = new Clearing()
  const published = new PublishedMarkets()
  const publisher = new Publisher(clearing, published)
  const { marketThreads: threads, onFault } = options
  const shards = new Shards({ threads, visitor: publisher, onReady, onFault })
  return { clearing, published, publisher, shards }
}

function pump({ shards, publisher }: Core): void {
  for (const shard of shards.all) {
    shard.publish()
    shard.drain()
    shard.releaseThrough(publisher.durableSeq)
  }
}

/** Takes one journaled command in. Nobody is served yet, so waiting for a full ring is allowed. */
function replay(core: Core, command: Command, record: Uint8Array): void {
  const { clearing, published, publisher, shards } = core
  clearing.admit(command)
  publisher.durableSeq = command.seq
  if (command.kind === 'placeOrder' || command.kind === 'cancelOrders') {
    const shard = shards.of(command.marketId)
    while (shard.freeBytes() < REPLAY_ROOM_BYTES) {
      pump(core)
      Atomics.wait(pause, 0, 0, 1)
    }
    if (command.kind === 'placeOrder') shard.place(record)
    else shard.cancel(record)
  } else if ('marketId' in command) {
    const market = clearing.catalogue.existing(command.marketId)
    published.refresh(market, market.status, market.updatedMs)
    shards.of(command.marketId)
  }
  if (command.seq % REPLAY_BURST === 0) pump(core)
}

async function untilIdle(core: Core): Promise<void> {
  while (!core.shards.areIdle) {
    pump(core)
    await new Promise(setImmediate)
  }
  pump(core)
}

async function hashOf({ clearing, shards }: Core): Promise<string> {
  return stateHash(clearing, await shards.digests(clearing.catalogue.count))
}

async function recover(
  core: Core,
  options: OpenOptions,
): Promise<{ recovered: Recovered; tail: ReturnType<typeof recoverJournal>['tail'] }> {
  const onProgress: Progress = (seq, total) => options.onProgress('journal', seq, total)
  const end = recoverJournal(options.dataDir, {
    visit: (command, record) => replay(core, command, record),
    onProgress,
  })
  await untilIdle(core)
  const recovered = {
    seq: end.tail.seq,
    stateHash: await hashOf(core),
    lostRecords: end.lostRecords,
  }
  return { recovered, tail: end.tail }
}

function teachIntake(intake: IntakePool, clearing: Clearing, seal: Seal): void {
  for (const market of clearing.catalogue.all()) intake.addMarket(market)
  for (let profileId = 1; profileId <= clearing.accounts.count; profileId++) {
    const profile = clearing.accounts.byId(profileId)
    for (const token of profile?.tokens ?? []) {
      const secret = seal.open(token.sealedSecret)
      intake.addToken({ ...token, account: profile?.account ?? '', secret })
    }
  }
}

/** Opens the folder or throws a DataFolderError that says what is wrong and what to do. */
export async function openExchange(options: OpenOptions): Promise<RunningExchange> {
  const lock = DataLock.take(options.dataDir)
  const seal = openSeal(options.dataDir, options.keyFile ?? join(options.dataDir, 'server.key'))
  let drain = () => {}
  const core = buildCore(options, () => drain())
  const { recovered, tail } = await recover(core, options)
  const { dataDir, durability, onFault } = options
  const journal = await JournalHandle.start({ dataDir, durability, tail, onFault })
  const follower = await FollowerHandle.start({
    dataDir,
    seq: recovered.seq,
    onProgress: (seq, total) => options.onProgress('read tables', seq, total),
    onFault,
  })
  const twin = await follower.stateHash()
  if (twin.hash !== recovered.stateHash) {
    onFault(`the follower replayed seq ${twin.seq} to another state than the market threads`)
  }
  const query = await QueryHandle.start({ dataDir, onFault })
  const pipeline = startPipeline(core, journal, seal, options, (seq) => follower.advance(seq))
  drain = () => pipeline.drain()
  const intake = new IntakePool({
    threads: options.intakeThreads,
    domain: options.domain,
    onResult: (result) => pipeline.onIntake(result),
    onFault: (reason) => onFault(reason.message),
  })
  teachIntake(intake, core.clearing, seal)
  await intake.ready()
  pipeline.connect(intake)
  if (recovered.seq === 0) await pipeline.change({ kind: 'rules', version: RULES_VERSION })
  const stop = async () => {
    await pipeline.settled()
    const last = { seq: core.clearing.lastSeq, stateHash: await hashOf(core) }
    await journal.stop()
    await Promise.all([intake.stop(), query.stop(), follower.stop(), core.shards.stop()])
    lock.release()
    return last
  }
  const { shards } = core
  return { pipeline, shards, journal, follower, query, intake, seal, recovered, stop }
}

function startPipeline(
  core: Core,
  journal: JournalHandle,
  seal: Seal,
  options: OpenOptions,
  onDurable: (seq: number) => void,
): Pipeline {
  return new Pipeline({
    clearing: core.clearing,
    published: core.published,
    publisher: core.publisher,
    shards: core.shards.all,
    shardOf: (marketId) => core.shards.of(marketId),
    journal,
    ids: new OrderIds(seal.derive('order-ids')),
    clock: options.clock,
    onDurable,
    profileWaitSec: options.profileWaitSec,
    onTokenUsed: options.onTokenUsed,
  })
}
