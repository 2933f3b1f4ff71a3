// Opens a data folder as a running exchange (lock, key, recovery, threads), and closes it again.

import { randomInt } from 'node:crypto'
import { eachResting, resetMarkets } from '../../engine/core/book/market.ts'
import { type Clearing, RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import { orderMemory } from '../../engine/core/orders/seen-filters.ts'
import { stateHash } from '../../engine/core/state/state-hash.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { Command } from '../../engine/domain/command.ts'
import type { ProfileId, Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { tokensOf } from '../../engine/domain/markets/market.ts'
import { isBid } from '../../engine/domain/order.ts'
import { DAY_MS, type TimeMs } from '../../engine/domain/units.ts'
import { handOver } from '../../engine/shard/hand-over.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { WakeUps } from '../../engine/thread/wake-ups.ts'
import { DataLock } from '../../persistence/data-lock.ts'
import { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type {
  Durability,
  JournalThreadHandle,
  OnCommit,
} from '../../persistence/journal/journal-port.ts'
import {
  JournalHandle,
  type JournalOptions,
  startJournalThread,
} from '../../persistence/journal/thread/journal-handle.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'
import type { StateAt } from '../../persistence/log/postgres-log.ts'
import { QueryHandle } from '../../persistence/query/query-handle.ts'
import { archivedMarket } from '../../persistence/query/read/markets/markets.ts'
import { type Seal, tokenSecretOf } from '../../persistence/seal.ts'
import { openFolder } from '../../persistence/snapshot/emptied-folder.ts'
import {
  DataFolderError,
  type JournalEnd,
  journalEnd,
  recoverExchange,
} from '../../persistence/snapshot/recovery.ts'
import { BoardSlices } from '../api/boards/services.ts'
import { slotSpecOf } from '../api/markets/market-changes.ts'
import { queryUntil } from '../api/reads/private-reads.ts'
import { SolvencyCounts, type SolvencyOptions } from '../api/solvency/services.ts'
import { CoreIntake } from '../edge/intake/core-intake.ts'
import type { DirectoryChange } from '../edge/intake/directory.ts'
import { intakeProfile } from '../edge/intake/intake-profile.ts'
import type { IsArchived } from '../exchange/order-entry/order-entry.ts'
import { SeenLookups } from '../exchange/order-entry/seen-lookups.ts'
import { Pipeline, type PipelineParts } from '../exchange/pipeline.ts'
import { assetOf } from '../exchange/read-model/oracle-views.ts'
import { OrderIds } from '../exchange/read-model/order-ids.ts'
import { poolFigures } from '../exchange/read-model/pool-views.ts'
import { PublishedMarkets } from '../exchange/read-model/published.ts'
import { AheadOfTables } from '../exchange/sequencer/ahead-of-tables.ts'
import type { Clock } from '../exchange/sequencer/clock.ts'
import {
  booksMaxOf,
  type MarketThreads,
  partitionsOf,
  Shards,
} from '../exchange/sequencer/shard-map.ts'
import type { IntakeListener } from '../messages/order-intake.ts'
import type { Versions } from '../messages/versions.ts'
import type { EvmChain } from '../settlement/evm/settling/evm-chain.ts'
import { adoptCluster, beginLog, type ClusterOptions, sharedJournal } from './cluster.ts'
import { feeRatesRefusal } from './fee-rates.ts'
import { restoreShown } from './last-day.ts'
import { stampRules } from './rules.ts'
import { Segments, type SegmentsOptions } from './segments.ts'
import { type SettlementOptions, settlementOf, startChain } from './settlement.ts'
import { type SnapshotOptions, Snapshots } from './snapshots.ts'

/** Threads that have their own copies of the directory. */
interface OrderChecks {
  /** What they know of changes; raised as soon as anything of the exchange is shown. */
  readonly versions: Versions
  change(change: DirectoryChange): void
  /** How a new thread gets the whole directory: each step makes a few changes. */
  replicateBy(replicate: () => Iterator<unknown>): void
}

export interface OpenOptions
  extends SnapshotOptions,
    SegmentsOptions,
    SolvencyOptions,
    SettlementOptions {
  readonly dataDir: string
  readonly keyFile: string | undefined
  readonly durability: Durability
  readonly marketThreads: MarketThreads
  /** Threads that check orders before main gets them; absent when main checks all. */
  readonly edges?: OrderChecks | undefined
  /** Maximum clock difference of a signed call with orders; that of all calls when absent. */
  readonly orderSkewMs?: number
  readonly clock: Clock
  readonly profileWaitSec: (profileId: ProfileId) => number
  /** Whether a timer fires the deadlines. Without it the caller calls `pipeline.tick`. */
  readonly isTimed?: boolean
  /** Milliseconds since any instant, which end main's time slices. Without it they never end. */
  readonly monotonicMs?: () => number
  /** How many orders may end before the read tables contain it; absent for the default limit. */
  readonly burst?: AheadOfTables
  /** Called once per group commit. */
  readonly onCommit?: OnCommit
  /** Receives a sentence that states which part died and why; the process must stop. */
  readonly onFault: (sentence: string) => void
  /** Receives a sentence for the log: nothing is lost, but an operator should know. */
  readonly onWarning: (sentence: string) => void
  readonly onProgress: (what: 'journal' | 'read tables', seq: Seq, total: number) => void
  /** Absent when the journal of the folder is the only one. */
  readonly cluster?: ClusterOptions | undefined
  /** Days that history stays in the tables; 0 or absent for ever. */
  readonly historyDays?: number
  /** For the keys of orders (see LIMITS). */
  readonly orderMemoryDays?: number
  readonly orderMemoryMb?: number
}

/** The recovered state of an exchange. */
export interface Recovered {
  readonly seq: Seq
  readonly stateHash: string
  /** Seq of the snapshot that the start used; 0 for none. */
  readonly snapshotSeq: Seq
  /** Records acknowledged without fsync and lost in a power failure (--durability normal). */
  readonly lostRecords: number
}

export interface RunningExchange {
  readonly pipeline: RunningPipeline
  readonly shards: Shards
  readonly journal: JournalThreadHandle
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly intake: CoreIntake
  readonly seal: Seal
  readonly snapshots: Snapshots
  readonly segments: Segments
  readonly solvency: SolvencyCounts
  readonly boards: BoardSlices
  readonly lookups: SeenLookups
  readonly recovered: Recovered
  /**
   * Commits the commands in flight, saves a snapshot and ends every thread. Resolves to the last
   * seq and its state hash.
   */
  stop(): Promise<{ seq: Seq; stateHash: string }>
}

interface Core {
  readonly clearing: Clearing
  readonly published: PublishedMarkets
}

async function hashOf({ clearing, shards }: Pipeline): Promise<string> {
  const digests = await shards.digests(clearing.catalogue.openBooks())
  return stateHash(clearing, digests, nativeSha256)
}

/** Publishes the books of a snapshot: all their commands were durable before the snapshot was. */
function showRestored({ clearing }: Exchange, published: PublishedMarkets): void {
  const { orders } = clearing
  // Markets show whether they belong to a match.
  published.matches.restore(clearing.matches.capture())
  for (const market of clearing.catalogue.all()) {
    const about = { pool: poolFigures(clearing, market), asset: assetOf(market, clearing) }
    published.restore(market, about, (rest) => {
      if (market.book === 0) return
      eachResting(market.book, (ticks, slot, _owner, leftRaw) => {
        rest(ticks, leftRaw, isBid(orders.sideOf(slot), orders.outcomeOf(slot)))
      })
    })
  }
  published.lastId = clearing.catalogue.lastId
}

/** Replays the one-thread core to the end of the journal. */
function recover(options: OpenOptions, folder: KeyedFolder, { tail, lostRecords }: JournalEnd) {
  const published = new PublishedMarkets(options.edges?.versions)
  const visit = (command: Command, exchange: Exchange) => {
    exchange.apply(command)
    published.replayed(command, exchange.clearing)
  }
  const { exchange, snapshotSeq, passedOver } = recoverExchange(folder, tail, {
    partitions: partitionsOf(options.marketThreads),
    onStart: (found) => {
      // The signed orders and client order ids up to here are in the follower's filter and tables.
      found.clearing.seen.countOnly()
      showRestored(found, published)
      found.onEvents = (...events) => published.replayedEvents(...events)
    },
    visit,
    onProgress: (seq, total) => options.onProgress('journal', seq, total),
  })
  for (const sentence of passedOver) options.onWarning(sentence)
  const { clearing } = exchange
  const stateHash = exchange.stateHash(nativeSha256)
  const recovered = { seq: tail.seq, stateHash, snapshotSeq, lostRecords }
  const booksMax = booksMaxOf(options.marketThreads)
  const lastBook = Math.max(0, ...clearing.catalogue.openBooks())
  if (lastBook > booksMax) {
    throw new DataFolderError(
      `${options.dataDir} holds a market with book ${lastBook}, and --market-threads each ` +
        `allows at most ${booksMax} books; start it with --market-threads auto.`,
    )
  }
  const refusal = feeRatesRefusal(clearing, options.referralBps ?? 0)
  if (refusal !== null) throw new DataFolderError(refusal)
  return { core: { clearing, published }, recovered }
}

/** Starts the market threads and hands each its books; books on main stay where they are. */
function handOverBooks({ clearing, shards }: Pipeline, threads: MarketThreads): void {
  for (const book of clearing.catalogue.openBooks()) {
    const shard = shards.of(book)
    if (threads !== 0) handOver(book, clearing.orders, shard)
  }
  if (threads !== 0) resetMarkets()
}

function refuseLeap(clock: Clock, lastMs: TimeMs | null): void {
  const why = lastMs === null ? null : clock.refusal(lastMs)
  if (why !== null) throw new DataFolderError(why)
}

/** Main and the follower replay the journal to its end in parallel. */
async function recoverTwice(
  options: OpenOptions,
  folder: KeyedFolder,
  onMinute: ((state: StateAt) => void) | undefined,
) {
  const { onFault, historyDays = 0, orderMemoryDays, orderMemoryMb } = options
  const end = journalEnd(folder)
  // Before the replay, which may take long.
  refuseLeap(options.clock, end.lastMs)
  let lookups: SeenLookups | undefined
  const launch = FollowerHandle.launch({
    folder,
    memory: orderMemory(orderMemoryDays, orderMemoryMb),
    historyMs: historyDays * DAY_MS,
    seq: end.tail.seq,
    onApplied: (applied) => {
      assert(lookups !== undefined, 'main recovers in one tick, before the follower reports')
      lookups.applied(applied)
    },
    onProgress: (seq, total) => options.onProgress('read tables', seq, total),
    onMinute,
    onFault,
  })
  try {
    const found = recover(options, folder, end)
    const { clearing, published } = found.core
    lookups = new SeenLookups(clearing.seen, end.tail.seq, randomInt(2 ** 32), () => {
      published.versions.raiseOrderMemory()
    })
    return { ...found, tail: end.tail, lookups, follower: await launch.started }
  } catch (error) {
    await launch.abandon()
    throw error
  }
}

/** Compares the states of the market threads and the follower with the replay on main. */
async function compareStates(
  pipeline: Pipeline,
  follower: FollowerHandle,
  { seq, stateHash: expected }: Recovered,
): Promise<string | null> {
  if ((await hashOf(pipeline)) !== expected)
    return `a market thread took over a different book at ${seq}`
  const model = await follower.stateHash()
  if (model.hash === expected) return null
  return `the follower replayed seq ${model.seq} to a different state than main did`
}

/** Sends the whole directory to the intake, one market or one profile per step. */
function* replicateToIntake(
  intake: CoreIntake,
  clearing: Clearing,
  seal: Seal,
): Generator<undefined> {
  for (const market of clearing.catalogue.all()) {
    if (tokensOf(market).length > 0) intake.addMarket(market)
    yield
  }
  for (let profileId = 1; profileId <= clearing.accounts.count; profileId++) {
    const { accounts } = clearing
    const account = accounts.accountOf(profileId) ?? ''
    intake.putProfile(intakeProfile(accounts, seal, profileId))
    for (const token of accounts.tokensOf(profileId)) {
      const secret = seal.open(token.sealedSecret, tokenSecretOf(token.tokenId, profileId))
      intake.addToken({ ...token, account, secret })
    }
    yield
  }
}

/** Each edge thread receives the whole directory, and so does a thread that replaces one. */
function startIntake(
  { clearing, chain }: Core & { readonly chain: EvmChain | null },
  seal: Seal,
  options: OpenOptions,
  listener: IntakeListener,
): CoreIntake {
  function* replicate(): Generator<undefined> {
    if (chain !== null) intake.setChain(chain.walletCode)
    yield* replicateToIntake(intake, clearing, seal)
  }
  const intake = new CoreIntake({
    ...listener,
    queryWallet: chain === null ? undefined : (query) => chain.queryWallet(query),
    mirror: (change) => options.edges?.change(change),
    domain: options.domain,
    orderSkewMs: options.orderSkewMs,
  })
  options.edges?.replicateBy(replicate)
  const change = replicate()
  for (let step = change.next(); step.done !== true; ) step = change.next()
  chain?.onWalletCode((code) => intake.setChain(code))
  return intake
}

function openQueries(
  { onFault, onWarning }: OpenOptions,
  { folder, follower }: { folder: KeyedFolder; follower: FollowerHandle },
): QueryHandle {
  const { whenWritten } = follower
  return new QueryHandle({ folder, onFault, onTrouble: onWarning, whenWritten })
}

/** Opens the folder, or throws a DataFolderError that states the problem and the remedy. */
export async function openExchange(options: OpenOptions): Promise<RunningExchange> {
  const { dataDir, cluster, durability, onFault } = options
  const lock = DataLock.take(dataDir)
  if (cluster !== undefined) await adoptCluster(dataDir, cluster)
  const seal = openFolder(dataDir, options.keyFile)
  const folder = seal.keyed(dataDir)
  // Before any other thread: a wrong setting of it ends the start.
  const chain = await startChain(options, seal, folder)
  const { core, recovered, tail, follower, lookups } = await recoverTwice(
    options,
    folder,
    cluster === undefined ? undefined : (state) => journalLinks.compare?.(state),
  )
  if (cluster !== undefined) await beginLog(dataDir, { tail, seal }, cluster)
  const query = openQueries(options, { folder, follower })
  lookups.connect(query)
  options.clock.resume(core.clearing.lastNowMs)
  await restoreShown(query, core.published, options.clock.nowMs)
  const tables = { ...core, follower, query, seal, lastSeq: tail.seq }
  const settlement = await settlementOf(options, chain, tables)
  const warm = () => {
    // An exchange without profiles and markets has no reads and no orders, so it needs two threads
    // fewer.
    if (core.clearing.accounts.count === 0 && core.clearing.catalogue.lastId === 0) return
    void query.warm()
    void pipeline.journal.warm()
  }
  const onCopied = (seq: Seq) => {
    follower.advance(seq)
    warm()
  }
  const thread = { folder, durability, tail, lock: lock.file }
  const journalLinks =
    cluster === undefined
      ? await ownJournal(options, thread, onCopied)
      : await sharedJournal(cluster, thread, {
          onCopied,
          onCommit: options.onCommit,
          onFault,
          lead: (epoch) => void lead(options, { pipeline, follower, seal }, epoch),
        })
  const isArchived = archivedIn(() => pipeline, { follower, query })
  const links = { follower, lookups, isArchived, chain, ...journalLinks }
  const pipeline = startPipeline(options, core, seal, { ...links, ...settlement })
  handOverBooks(pipeline, options.marketThreads)
  const difference = await compareStates(pipeline, follower, recovered)
  if (difference !== null) onFault(difference)
  const { journal, shards, intake } = pipeline
  assert(intake !== null, 'this pipeline has an intake')
  if (cluster === undefined) begin(pipeline, follower)
  else pipeline.beginReplica()
  warm()
  await intake.ready()
  if (cluster === undefined) await stampRules(pipeline, RULES_VERSION)
  journalLinks.follow?.(pipeline)
  const { snapshotSeq: seq } = recovered
  const snapshots = new Snapshots({ pipeline, journal, follower, seq }, options)
  const counted = { folder, snapshots, clearing: core.clearing, chain }
  const solvency = new SolvencyCounts(counted, options)
  const segments = new Segments({ folder, journal, snapshots, clearing: core.clearing }, options)
  const parts = { shards, journal, follower, query, intake, snapshots, segments, solvency }
  const boards = new BoardSlices(follower)
  const running = { pipeline, ...parts, boards, seal, lookups, recovered }
  return { ...running, stop: () => stopExchange(running, lock) }
}

async function stopExchange(running: Omit<RunningExchange, 'stop'>, lock: DataLock) {
  const { pipeline, shards, journal, follower, query, snapshots, segments, solvency } = running
  pipeline.stopTimer()
  await pipeline.mining?.port.stop()
  await pipeline.whenIdle()
  await segments.stop()
  await snapshots.takeLast()
  const last = { seq: pipeline.clearing.lastSeq, stateHash: await hashOf(pipeline) }
  await journal.stop()
  await Promise.all([query, follower, shards, solvency].map((each) => each.stop()))
  lock.release()
  return last
}

/** Looks up markets that left memory. */
function archivedIn(
  pipelineOf: () => RunningPipeline,
  { follower, query }: FollowedTables,
): IsArchived {
  return async (slug, owner) => {
    const pipeline = pipelineOf()
    // The market may have left memory by a command that is not durable yet.
    await pipeline.durable()
    const untilMs = performance.now() + LIMITS.privateReadDeadlineMs
    const isThere = await follower.whenApplied(pipeline.durableSeq, LIMITS.privateReadDeadlineMs)
    const round = { group: `profile ${owner}`, owner, untilMs: queryUntil(untilMs) }
    const market = isThere ? await query.request(archivedMarket, slug, round) : undefined
    if (market) pipeline.intake?.recalled.recall(market)
    return market === undefined ? undefined : market !== null
  }
}

/** Begins to decide, after everything that other nodes decided is applied. */
async function lead(
  { cluster, clock }: OpenOptions,
  parts: { pipeline: RunningPipeline; follower: FollowerHandle; seal: Seal },
  epoch: number,
): Promise<void> {
  const { pipeline, follower, seal } = parts
  const { clearing, intake, shards } = pipeline
  while (!shards.areIdle) {
    pipeline.drain()
    await new Promise(setImmediate)
  }
  assert(intake !== null, 'this pipeline has an intake')
  const changes = replicateToIntake(intake, clearing, seal)
  for (let step = changes.next(); step.done !== true; ) step = changes.next()
  clock.resume(clearing.lastNowMs)
  begin(pipeline, follower)
  await stampRules(pipeline, cluster?.rulesOfAll() ?? RULES_VERSION)
  cluster?.onLeading(epoch, clearing.lastSeq)
}

type RunningPipeline = Pipeline<JournalThreadHandle, CoreIntake>

interface OwnJournal extends Pick<PipelineParts<JournalThreadHandle>, 'openJournal' | 'onDurable'> {
  readonly wakeUps: WakeUps
  readonly follow?: undefined
  readonly compare?: undefined
}

/** Starts the thread of the folder's journal. */
async function ownJournal(
  { onCommit, onFault }: OpenOptions,
  thread: JournalOptions,
  onWritten: (seq: Seq) => void,
): Promise<OwnJournal> {
  const writer = await startJournalThread(thread)
  const commits = onCommit === undefined ? {} : { onCommit }
  return {
    openJournal: (onDurable) => new JournalHandle(writer, { onDurable, onFault, ...commits }),
    onDurable: onWritten,
    wakeUps: new WakeUps(writer.data.wakeUps),
  }
}

type FollowedTables = Pick<RunningExchange, 'follower' | 'query'>

interface PipelineLinks
  extends Pick<
    PipelineParts<JournalThreadHandle, CoreIntake>,
    | 'isArchived'
    | 'lookups'
    | 'mayAnswer'
    | 'onDrained'
    | 'onDurable'
    | 'openJournal'
    | 'settlement'
  > {
  /** Absent when main wakes the market threads itself. */
  readonly wakeUps?: WakeUps
  readonly follower: FollowerHandle
  /** Null when trades settle on no EVM chain. */
  readonly chain: EvmChain | null
}

function startPipeline(
  options: OpenOptions,
  core: Core,
  seal: Seal,
  { wakeUps, follower, chain, ...links }: PipelineLinks,
): RunningPipeline {
  const { clock, profileWaitSec, onFault, collateralAddress } = options
  const specOf = collateralAddress === undefined ? null : slotSpecOf(collateralAddress)
  const booksMax = booksMaxOf(options.marketThreads)
  return new Pipeline({
    ...core,
    ...links,
    ...(specOf === null ? {} : { slots: { booksMax, specOf } }),
    ids: new OrderIds(seal.derive('order-ids')),
    clock,
    burst: options.burst ?? new AheadOfTables(() => follower.applied),
    isTimed: options.isTimed === true,
    ...(options.monotonicMs === undefined ? {} : { monotonicMs: options.monotonicMs }),
    profileWaitSec,
    openShards: (main) => {
      const wakes = wakeUps === undefined ? {} : { wakeUps }
      return new Shards({ ...main, threads: options.marketThreads, onFault, ...wakes })
    },
    openIntake: (verdicts) => startIntake({ ...core, chain }, seal, options, verdicts),
  })
}

/** From here on commands are decided, deadlines fire, and reward scores are credited. */
function begin(pipeline: Pipeline, follower: FollowerHandle): void {
  pipeline.start()
  follower.listenToScores((scored) => {
    if (pipeline.mining?.rewards.scored(scored)) pipeline.tick()
  })
}
