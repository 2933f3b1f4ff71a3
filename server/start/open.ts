// Opens a data folder as a running exchange: lock, key, recovery, threads; and closes it again.

import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { eachResting, resetMarkets } from '../../engine/core/book/market.ts'
import { type Clearing, concernsBook, RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import { stateHash } from '../../engine/core/state/state-hash.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { Command } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { isBid } from '../../engine/domain/order.ts'
import { handOver } from '../../engine/shard/hand-over.ts'
import { DataLock } from '../../persistence/data-lock.ts'
import { openSeal } from '../../persistence/folder-key.ts'
import { FollowerHandle, type SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import { JournalHandle } from '../../persistence/journal/journal-handle.ts'
import type { Durability } from '../../persistence/journal/journal-port.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'
import { QueryHandle } from '../../persistence/query/query-handle.ts'
import { settledTrade, tradesAfter } from '../../persistence/query/read/settlements.ts'
import { type Seal, tokenSecretOf } from '../../persistence/seal.ts'
import {
  DataFolderError,
  type JournalEnd,
  journalEnd,
  recoverExchange,
} from '../../persistence/snapshot/recovery.ts'
import { IntakePool } from '../intake/intake-pool.ts'
import { taughtProfile } from '../intake/taught-profile.ts'
import { SeenLookups } from '../pipeline/orders/seen-lookups.ts'
import { Pipeline, type PipelineParts } from '../pipeline/pipeline.ts'
import { OrderIds } from '../pipeline/shown/order-ids.ts'
import { PublishedMarkets } from '../pipeline/shown/published.ts'
import type { Clock } from '../pipeline/spine/clock.ts'
import { Publisher } from '../pipeline/spine/durable-publisher.ts'
import { lanesOf, type MarketThreads, Shards } from '../pipeline/spine/shard-map.ts'
import { EmbeddedChain } from '../settlement/embedded-chain.ts'
import { type SnapshotParts, Snapshots } from './snapshots.ts'

export interface OpenOptions {
  readonly dataDir: string
  readonly keyFile: string | undefined
  readonly durability: Durability
  readonly marketThreads: MarketThreads
  readonly intakeThreads: number
  readonly domain: { readonly name: string; readonly chainId: number }
  /** From one block of trades to the next; absent: they are never mined. */
  readonly blockMs?: number
  readonly clock: Clock
  readonly profileWaitSec: (profileId: number) => number
  readonly onTokenUsed: (tokenId: string) => void
  /** A sentence that says which part died and why; the process must stop. */
  readonly onFault: (sentence: string) => void
  /** A sentence for the log: nothing is lost, yet somebody should know. */
  readonly onWarning: (sentence: string) => void
  /** Told of each snapshot. */
  readonly onSnapshot?: (saved: SavedSnapshot) => void
  /** Commands from one snapshot to the next; the default is LIMITS.snapshotEveryCommands. */
  readonly snapshotEveryCommands?: number
  readonly onProgress: (what: 'journal' | 'read tables', seq: number, total: number) => void
}

/** The state an exchange came back with. */
export interface Recovered {
  readonly seq: number
  readonly stateHash: string
  /** Seq of the snapshot that the start began with; 0 for none. */
  readonly snapshotSeq: number
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
  readonly snapshots: Snapshots
  readonly lookups: SeenLookups
  readonly recovered: Recovered
  /**
   * Commits what is in flight, saves a snapshot and ends every thread; gives the last seq and its
   * state hash.
   */
  stop(): Promise<{ seq: number; stateHash: string }>
}

interface Core {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
  readonly publisher: Publisher
  readonly shards: Shards
}

async function hashOf({ clearing, shards }: Core): Promise<string> {
  return stateHash(clearing, await shards.digests(clearing.catalogue.count))
}

/** Shows what a snapshot holds: all of it was durable before the snapshot was. */
function showRestored({ clearing }: Exchange, published: PublishedMarkets): void {
  const { orders } = clearing
  for (const market of clearing.catalogue.all()) {
    published.restore(market, (rest) => {
      eachResting(market.marketId, (ticks, slot, _owner, leftRaw) => {
        rest(ticks, leftRaw, isBid(orders.sideOf(slot), orders.outcomeOf(slot)))
      })
    })
  }
}

/**
 * Brings the one-thread core to the end of the journal, then hands each book to the thread that
 * keeps it.
 */
function recover(
  options: OpenOptions,
  folder: KeyedFolder,
  { tail, lostRecords }: JournalEnd,
  onReady: (shards: Shards) => void,
) {
  const published = new PublishedMarkets()
  const visit = (command: Command, exchange: Exchange) => {
    exchange.apply(command)
    if (concernsBook(command) || !('marketId' in command)) return
    const market = exchange.clearing.catalogue.existing(command.marketId)
    published.refresh(market, market.status, market.updatedMs)
  }
  const { exchange, snapshotSeq, passedOver } = recoverExchange(folder, tail, {
    lanes: lanesOf(options.marketThreads),
    onStart: (found) => {
      // What was seen up to here is in the follower's filter and tables.
      found.clearing.seen.countOnly()
      showRestored(found, published)
      found.onEvents = (words, f64s, count) => published.publish(words, f64s, 0, count)
    },
    visit,
    onProgress: (seq, total) => options.onProgress('journal', seq, total),
  })
  for (const sentence of passedOver) options.onWarning(sentence)
  const { clearing } = exchange
  const stateHash = exchange.stateHash()
  const recovered = { seq: tail.seq, stateHash, snapshotSeq, lostRecords }
  const publisher = new Publisher(clearing, published)
  publisher.durableSeq = tail.seq
  const { marketThreads: threads, onFault } = options
  const shards: Shards = new Shards({
    threads,
    visitor: publisher,
    onReady: () => onReady(shards),
    onFault,
  })
  if (clearing.catalogue.count > shards.marketsMax) {
    throw new DataFolderError(
      `${options.dataDir} holds ${clearing.catalogue.count} markets and --market-threads each ` +
        `takes ${shards.marketsMax} at the most; start it with --market-threads auto.`,
    )
  }
  for (const { marketId } of clearing.catalogue.all()) {
    const shard = shards.of(marketId)
    if (threads !== 0) handOver(marketId, clearing.orders, shard)
  }
  if (threads !== 0) resetMarkets()
  return { core: { clearing, published, publisher, shards }, recovered }
}

/** Main and the follower come to the end of the journal side by side. */
async function recoverTwice(
  options: OpenOptions,
  folder: KeyedFolder,
  onReady: (shards: Shards) => void,
) {
  const { onFault } = options
  const end = journalEnd(folder)
  let lookups: SeenLookups | undefined
  const launch = FollowerHandle.launch({
    folder,
    seq: end.tail.seq,
    onApplied: (applied) => {
      assert(lookups !== undefined, 'main recovers in one stretch, before it hears the follower')
      lookups.applied(applied)
    },
    onProgress: (seq, total) => options.onProgress('read tables', seq, total),
    onFault,
  })
  try {
    const found = recover(options, folder, end, onReady)
    lookups = new SeenLookups(found.core.clearing.seen, end.tail.seq, randomInt(2 ** 32))
    return { ...found, tail: end.tail, lookups, follower: await launch.started }
  } catch (error) {
    await launch.abandon()
    throw error
  }
}

/** The threads, the follower and the replay on main must have come to one state. */
async function compareStates(
  core: Core,
  follower: FollowerHandle,
  { seq, stateHash: expected }: Recovered,
): Promise<string | null> {
  if ((await hashOf(core)) !== expected) return `a market thread took over another book at ${seq}`
  const twin = await follower.stateHash()
  if (twin.hash === expected) return null
  return `the follower replayed seq ${twin.seq} to another state than the start did`
}

/** Tells the intake all that it must know, a market or a profile with each step. */
function* teachIntake(intake: IntakePool, clearing: Clearing, seal: Seal): Generator<undefined> {
  for (const market of clearing.catalogue.all()) {
    intake.addMarket(market)
    yield
  }
  for (let profileId = 1; profileId <= clearing.accounts.count; profileId++) {
    const { accounts } = clearing
    const account = accounts.accountOf(profileId) ?? ''
    intake.putProfile(taughtProfile(accounts, seal, profileId))
    for (const token of accounts.tokensOf(profileId)) {
      const secret = seal.open(token.sealedSecret, tokenSecretOf(token.tokenId, profileId))
      intake.addToken({ ...token, account, secret })
    }
    yield
  }
}

/** Its threads know what the exchange knows, the first ones and those that replace them. */
function startIntake(pipeline: Pipeline, seal: Seal, options: OpenOptions): IntakePool {
  const teach = () => teachIntake(intake, pipeline.clearing, seal)
  const intake = new IntakePool({
    threads: options.intakeThreads,
    domain: options.domain,
    onResult: (result) => pipeline.onIntake(result),
    onPart: (result, part) => pipeline.groups.onPart(result, part),
    onFault: (reason) => options.onFault(reason.message),
    teach,
    onReplaced: options.onWarning,
  })
  const lesson = teach()
  for (let step = lesson.next(); step.done !== true; ) step = lesson.next()
  return intake
}

/** Opens the folder or throws a DataFolderError that says what is wrong and what to do. */
export async function openExchange(options: OpenOptions): Promise<RunningExchange> {
  const lock = DataLock.take(options.dataDir)
  const seal = openSeal(options.dataDir, options.keyFile)
  const folder = seal.keyed(options.dataDir)
  let drain = (shards: Shards) => {
    for (const shard of shards.all) shard.drain(Number.POSITIVE_INFINITY)
  }
  // A doorbell that nobody answers would be the last: the threads ring from their start on.
  const onReady = (shards: Shards) => drain(shards)
  const found = await recoverTwice(options, folder, onReady)
  const { core, recovered, tail, follower, lookups } = found
  const { dataDir, durability, onFault } = options
  const { file } = lock
  const journal = await JournalHandle.start({ folder, durability, tail, lock: file, onFault })
  const difference = await compareStates(core, follower, recovered)
  if (difference !== null) onFault(difference)
  const query = await QueryHandle.start({ dataDir, onFault, onTrouble: options.onWarning })
  lookups.connect(query)
  const { throughSeq } = core.clearing.blocks
  options.clock.resume(core.clearing.lastNowMs)
  const settlement = await settlementOf(options, { follower, query, throughSeq })
  const onDurable = (seq: number) => follower.advance(seq)
  const links = { journal, lookups, onDurable, ...settlement }
  const pipeline = startPipeline(core, links, seal, options)
  drain = () => pipeline.drain()
  const intake = startIntake(pipeline, seal, options)
  await intake.ready()
  pipeline.connect(intake)
  if (recovered.seq === 0) await pipeline.change(() => ({ kind: 'rules', version: RULES_VERSION }))
  const { snapshotSeq: seq } = recovered
  const snapshots = new Snapshots({ pipeline, journal, follower, seq, ...snapshotWishes(options) })
  const stop = async () => {
    await pipeline.whenIdle()
    await snapshots.takeLast()
    const last = { seq: core.clearing.lastSeq, stateHash: await hashOf(core) }
    await journal.stop()
    await Promise.all([intake.stop(), query.stop(), follower.stop(), core.shards.stop()])
    lock.release()
    return last
  }
  const { shards } = core
  const threads = { shards, journal, follower, query, intake }
  return { pipeline, ...threads, seal, snapshots, lookups, recovered, stop }
}

function snapshotWishes(options: OpenOptions): Pick<SnapshotParts, 'everyCommands' | 'onSaved'> {
  return {
    everyCommands: options.snapshotEveryCommands ?? LIMITS.snapshotEveryCommands,
    onSaved: (saved) => {
      if (saved.failure !== null) {
        options.onWarning(`No snapshot was saved, trading goes on: ${saved.failure}`)
      }
      options.onSnapshot?.(saved)
    },
  }
}

/** The embedded chain, and the trades that are in no block of it yet. */
async function settlementOf(
  { blockMs, domain, onWarning }: OpenOptions,
  { follower, query, throughSeq }: FollowedTables & { throughSeq: number },
): Promise<Pick<PipelineParts, 'settlement'>> {
  if (blockMs === undefined) return {}
  const waiting = await waitingTrades(query, throughSeq)
  const tradeOf = async (tradeSeq: number) => {
    const isThere = await follower.whenApplied(tradeSeq, LIMITS.privateReadDeadlineMs)
    if (!isThere) return undefined
    return query.ask(settledTrade, { tradeSeq }).catch((error: unknown) => {
      onWarning(`A trade that failed is asked for again: ${error}`)
      return undefined
    })
  }
  const port = new EmbeddedChain(domain.chainId)
  return { settlement: { port, blockMs, waiting, tradeOf } }
}

/** A start that does not know which trades wait for a block is none. */
async function waitingTrades(query: QueryHandle, throughSeq: number): Promise<readonly number[]> {
  for (let attempt = 0; attempt < LIMITS.settledReadsMax; attempt++) {
    const waiting = await query.ask(tradesAfter, {
      seq: throughSeq,
      limit: LIMITS.waitingTradesMax,
    })
    if (waiting !== undefined) return waiting
    await pause(LIMITS.settledReadPauseMs)
  }
  throw new DataFolderError('The read tables do not say which trades wait; start it again.')
}

type FollowedTables = Pick<RunningExchange, 'follower' | 'query'>

function startPipeline(
  core: Core,
  links: Pick<PipelineParts, 'journal' | 'lookups' | 'onDurable' | 'settlement'>,
  seal: Seal,
  options: OpenOptions,
): Pipeline {
  return new Pipeline({
    ...links,
    clearing: core.clearing,
    published: core.published,
    publisher: core.publisher,
    shards: core.shards.all,
    shardOf: (marketId) => core.shards.of(marketId),
    ids: new OrderIds(seal.derive('order-ids')),
    clock: options.clock,
    profileWaitSec: options.profileWaitSec,
    onTokenUsed: options.onTokenUsed,
  })
}
