// Makes a running exchange observable by operators: values for /metrics, lines for --trace.

import type { Generation, MarketId, Slot } from '../../engine/domain/ids.ts'
import { BULKHEADS } from '../../engine/domain/limits.ts'
import { TRADING_MODES } from '../../engine/domain/markets/trading-window.ts'
import { MS_PER_SEC, UNIT_RAW } from '../../engine/domain/units.ts'
import { Distribution, logLinear, MICROS } from '../../engine/thread/distribution.ts'
import { FOLDER_PARTS, type FolderPart } from '../../persistence/folder-sizes.ts'
import { COUNTED_TABLES } from '../../persistence/follower/tables/written-rows.ts'
import type { OnCommit } from '../../persistence/journal/journal-port.ts'
import type { Services } from '../api/services.ts'
import { type Limits, RATE_CLASSES, type RateClass } from '../edge/http/access/rate-limit.ts'
import type { Gateway } from '../edge/http/gateway/gateway.ts'
import type { Seen } from '../edge/http/route.ts'
import { SOCKET_REFUSALS } from '../edge/sockets/connection-counts.ts'
import type { SocketGateway } from '../edge/sockets/socket-gateway.ts'
import type { Pipeline } from '../exchange/pipeline.ts'
import type { SteadyClock } from '../exchange/sequencer/clock.ts'
import { EDGES, type EdgeFaults } from '../ops/faults.ts'
import type { LogOutput } from '../ops/logging/log-output.ts'
import { watchRest } from '../ops/main-rest.ts'
import type { Metrics } from '../ops/metrics.ts'
import { watchProcess } from '../ops/process-metrics.ts'
import type { Readiness } from '../ops/readiness.ts'
import { type TraceFile, traceLine } from '../ops/trace.ts'
import type { ClusterNode } from './cluster-node.ts'
import type { RunningExchange } from './open.ts'
import { ReadinessWatch } from './readiness.ts'
import { collectionsOf, type WatchedThread, watchThreads } from './watch-threads.ts'

export interface Watch {
  /** Receives every request when it has ended. */
  readonly observe: (seen: Seen) => void
  readonly metricsText: () => Promise<string>
  readonly readiness: () => Readiness
  /** Writes the waiting lines of the trace. */
  readonly stop: () => Promise<void>
}

const RECORDS = logLinear(1, 10_000, [1, 2, 5])
const BYTES = logLinear(100, 1_000_000, [1, 2, 5])

/** The parts that are watched besides the exchange. */
export interface Watched {
  /** Absent when main has the connections. */
  readonly edges?: readonly WatchedThread[] | undefined
  readonly trace: TraceFile | null
  readonly limits: Limits | null
  readonly faults: EdgeFaults
  readonly log: Pick<LogOutput, 'droppedCount'>
  readonly clock: Pick<SteadyClock, 'state' | 'trouble' | 'offsetMs' | 'behindCount' | 'aheadCount'>
  readonly commits: CommitFigures
  readonly dataDir: string
  /** Null for an exchange of one node. */
  readonly cluster?: ClusterNode | null
}

/** The journal thread's measurements of its commits since the start. */
export class CommitFigures {
  readonly micros = new Distribution(MICROS)
  readonly checkpointMicros = new Distribution(MICROS)
  /** For checkpoints made by the journal thread between two commits. */
  readonly shortMicros = new Distribution(MICROS)
  readonly records = new Distribution(RECORDS)
  readonly bytes = new Distribution(BYTES)

  readonly onCommit: OnCommit = (recordCount, byteCount, micros, { ownMicros, shortMicros }) => {
    this.micros.record(micros)
    this.records.record(recordCount)
    this.bytes.record(byteCount)
    if (ownMicros > 0) this.checkpointMicros.record(ownMicros)
    if (shortMicros > 0) this.shortMicros.record(shortMicros)
  }
}

export function watch(exchange: RunningExchange, metrics: Metrics, watched: Watched): Watch {
  const { trace, limits, faults, log, clock, commits, edges = [], cluster = null } = watched
  metrics.steps(exchange.pipeline.times)
  metrics.countsElsewhere(() => edges.flatMap(({ counts }) => counts.read()))
  watchState(exchange, metrics)
  watchFollower(exchange, metrics)
  watchQueues(exchange, metrics)
  watchCommits(exchange, commits, metrics)
  watchThreads(exchange, edges, commits, metrics)
  watchLimits(limits, () => exchange.pipeline.orders.limitedCount, metrics)
  const endProcess = watchProcess(metrics, () => collectionsOf(exchange, edges))
  const endRest = watchRest()
  const { pipeline } = exchange
  watchMining(pipeline, metrics)
  const { times } = pipeline
  const names = {
    orderIdOf: (slot: Slot, generation: Generation) => pipeline.ids.text(slot, generation),
    slugOf: (marketId: MarketId) => pipeline.published.byId(marketId)?.market.slug ?? '',
  }
  watchClock(clock, metrics)
  if (trace !== null) watchTrace(trace, metrics)
  watchLog(log, metrics)
  watchFaults(faults, metrics)
  if (cluster !== null) watchCluster(cluster, exchange, metrics)
  const readiness = new ReadinessWatch(exchange, watched)
  watchReadiness(readiness, metrics)
  return {
    observe(seen) {
      const kind = metrics.http(seen)
      if (trace !== null && kind === 'order') trace.add(traceLine(times, names, seen))
      times.end(seen.call.timesRow, seen.endedMs)
    },
    metricsText: () => metrics.text(),
    readiness: () => readiness.now(),
    async stop() {
      readiness.stop()
      endProcess()
      endRest()
      await trace?.stop()
    },
  }
}

function watchState(exchange: RunningExchange, metrics: Metrics): void {
  const { pipeline, shards, snapshots, solvency, lookups } = exchange
  const { gauge } = metrics
  const add = gauge.bind(metrics)
  add('outcomex_snapshot_seq', 'Seq of the newest snapshot; 0 for none.', () => snapshots.last.seq)
  add(
    'outcomex_snapshot_bytes',
    'Bytes of the newest snapshot; 0 if an older process saved it.',
    () => {
      return snapshots.last.bytes
    },
  )
  add('outcomex_solvency_seq', 'Seq of the newest count of obligations; 0 for none.', () => {
    return solvency.summary?.snapshot.seq ?? 0
  })
  add('outcomex_snapshot_seconds', 'Duration of the newest snapshot.', () => {
    return snapshots.last.tookMs / MS_PER_SEC
  })
  metrics.totals(
    'outcomex_snapshot_failures_total',
    'Failed snapshots; each is retried after a growing pause.',
    [],
    () => [{ labels: {}, value: snapshots.failures }],
  )
  add(
    'outcomex_snapshot_failing_seconds',
    'How long snapshots have been failing; 0 while they succeed.',
    () => {
      return snapshots.failingMs / MS_PER_SEC
    },
  )
  add('outcomex_sequenced_seq', 'Newest decided command.', () => pipeline.clearing.lastSeq)
  add('outcomex_durable_seq', 'Newest durable command.', () => pipeline.durableSeq)
  add('outcomex_order_memory_bytes', 'Memory for the keys of orders, live and ended.', () => {
    return lookups.filterBytes
  })
  add(
    'outcomex_order_memory_oldest_seq',
    'No order from this seq on can be repeated; 1 if no order can.',
    () => lookups.oldest.firstSeq,
  )
  add('outcomex_order_memory_seconds', 'Age of the oldest remembered order.', () => {
    const { startMs } = lookups.oldest
    return startMs === 0 ? 0 : (pipeline.sequencer.nowMs() - startMs) / MS_PER_SEC
  })
  add('outcomex_open_orders', 'Orders open or in flight.', () => {
    return pipeline.clearing.orders.live.all
  })
  add('outcomex_market_threads', 'Market threads.', () => shards.all.length)
  add('outcomex_armed_heartbeats', 'Armed heartbeat deadlines.', () => {
    return pipeline.sequencer.heartbeats.armedCount
  })
  add(
    'outcomex_trading_mode',
    'The mode in force: 0 normal, 1 post_only, 2 cancel_only, 3 disabled.',
    () => {
      return TRADING_MODES.indexOf(pipeline.clearing.modes.modeAt(pipeline.sequencer.nowMs()))
    },
  )
}

function watchFollower(exchange: RunningExchange, metrics: Metrics): void {
  const { pipeline, follower } = exchange
  const add = metrics.gauge.bind(metrics)
  add('outcomex_follower_seq', 'Newest command in the read tables.', () => follower.applied)
  add(
    'outcomex_history_pruned_seq',
    'Ended orders, trades and moves of money up to this command may be gone from the read tables.',
    () => follower.figures.prunedSeq,
  )
  add('outcomex_follower_lag_commands', 'Durable commands not yet in the read tables.', () =>
    Math.max(0, pipeline.durableSeq - follower.applied),
  )
  add(
    'outcomex_follower_lag_seconds',
    'Age of the oldest durable command not yet in the read tables.',
    () => {
      return pipeline.times.behindMs(follower.applied, performance.now()) / MS_PER_SEC
    },
  )
  add(
    'outcomex_follower_backlog_rows',
    'Rows of large commands not yet in the read tables.',
    () => {
      return follower.figures.backlogRows
    },
  )
}

function watchQueues(exchange: RunningExchange, metrics: Metrics): void {
  const { pipeline, journal, query, shards } = exchange
  const { gauge } = metrics
  const add = gauge.bind(metrics)
  add('outcomex_replies_waiting', 'Replies in progress.', () => pipeline.underWay)
  add('outcomex_replies_waiting_for_disk', 'Replies that wait only for the journal.', () => {
    return pipeline.publisher.durableWaitingCount
  })
  add('outcomex_journal_waiting_bytes', 'Bytes of commands not yet taken by the journal.', () => {
    return journal.waitingBytes
  })
  const waiting = 'Bytes of commands not yet taken by a market thread.'
  metrics.gauges('outcomex_market_waiting_bytes', waiting, ['thread'], () =>
    shards.all.map((shard) => ({ labels: { thread: shard.name }, value: shard.queuedBytes() })),
  )
  add('outcomex_query_waiting', 'Queries waiting for the query thread.', () => query.waiting)
}

function watchCommits(
  { journal }: RunningExchange,
  { micros, checkpointMicros, shortMicros, records, bytes }: CommitFigures,
  metrics: Metrics,
): void {
  const committed =
    'One group commit in the journal thread, including its fsync under full durability.'
  metrics.seconds('outcomex_commit_seconds', committed, () => [{ labels: {}, values: micros }])
  const copied =
    'Copies of the write-ahead log into journal.db, by thread: those of the journal thread ' +
    'delay a commit, and are short.'
  metrics.seconds('outcomex_checkpoint_seconds', copied, () => [
    { labels: { thread: 'checkpoint' }, values: checkpointMicros },
    { labels: { thread: 'journal' }, values: shortMicros },
  ])
  metrics.sizes('outcomex_commit_records', 'Commands per group commit.', records)
  metrics.sizes('outcomex_commit_bytes', 'Bytes of commands per group commit.', bytes)
  metrics.totals('outcomex_journal_records_total', 'Commands committed.', [], () => [
    { labels: {}, value: journal.stats.records },
  ])
}

function watchMining({ mining, clearing }: Pipeline, metrics: Metrics): void {
  if (mining === null) return
  const { transactions } = clearing
  const total = (name: string, help: string, read: () => number) => {
    metrics.totals(name, help, [], () => [{ labels: {}, value: read() }])
  }
  metrics.gauge('outcomex_block_height', 'Height of the newest block of trades.', () => {
    return mining.shown.height
  })
  metrics.gauge('outcomex_trades_waiting', 'Trades not yet in a block.', () => {
    return mining.waitingCount
  })
  const sent = 'Transactions of an EVM chain that have not happened yet.'
  metrics.gauge('outcomex_chain_transactions_waiting', sent, () => transactions.count)
  const stopped = 'Whether trades do not settle on an EVM chain: 1 then, 0 otherwise.'
  metrics.gauge('outcomex_chain_trouble', stopped, () => (mining.port.trouble === null ? 0 : 1))
  const coins =
    "The EVM chain's coin of the account that pays for transactions; the least of several."
  metrics.gauge('outcomex_chain_coin', coins, () => mining.port.coin ?? 0)
  total('outcomex_settlement_retries_total', 'Trades scheduled for a retry.', () => {
    return mining.retries
  })
  total('outcomex_settlement_failures_total', 'Trades that failed and were reversed.', () => {
    return mining.failures
  })
  const { rewards } = mining
  metrics.gauge('outcomex_rewards_funded_units', 'Collateral available for rewards.', () => {
    return rewards.fundedRaw / UNIT_RAW
  })
  const owed = 'Earned order rewards not yet paid.'
  metrics.gauge('outcomex_rewards_owed_units', owed, () => rewards.owedRaw / UNIT_RAW)
}

/** Without limits the metrics have no values. */
function watchLimits(limits: Limits | null, limitedOrders: () => number, metrics: Metrics): void {
  const both =
    limits === null ? [] : Object.entries({ address: limits.addresses, profile: limits.profiles })
  const each = (read: (limiter: (typeof both)[number][1], rateClass: RateClass) => number) => () =>
    both.flatMap(([by, limiter]) =>
      RATE_CLASSES.map((rateClass) => ({
        labels: { by, lane: rateClass },
        value: read(limiter, rateClass),
      })),
    )
  const refused = 'Rate-limited calls, by exhausted bucket (address or profile) and rate class.'
  const refusedOf = each((limiter, rateClass) => {
    const isOfOrders = limiter === limits?.profiles && rateClass === 'trade'
    return limiter.refusedOf(rateClass) + (isOfOrders ? limitedOrders() : 0)
  })
  metrics.totals('outcomex_rate_limited_total', refused, ['by', 'lane'], refusedOf)
  const keys = 'Addresses and profiles whose buckets are not full.'
  const keysOf = each((limiter, rateClass) => limiter.keysOf(rateClass, performance.now()))
  metrics.gauges('outcomex_rate_limit_keys', keys, ['by', 'lane'], keysOf)
}

function watchTrace(trace: TraceFile, metrics: Metrics): void {
  metrics.totals('outcomex_trace_lines_total', 'Orders written to the trace file.', [], () => [
    { labels: {}, value: trace.writtenCount },
  ])
  const dropped = 'Orders missing from the trace file.'
  metrics.totals('outcomex_trace_dropped_total', dropped, [], () => [
    { labels: {}, value: trace.droppedCount },
  ])
}

function watchLog(output: Watched['log'], metrics: Metrics): void {
  const dropped = 'Log lines lost because standard error was full.'
  metrics.totals('outcomex_log_dropped_total', dropped, [], () => [
    { labels: {}, value: output.droppedCount },
  ])
}

function watchFaults(faults: EdgeFaults, metrics: Metrics): void {
  const broke = 'Faults that cost one call, frame or worker reply, by edge.'
  metrics.totals('outcomex_faults_total', broke, ['edge'], () =>
    EDGES.map((edge) => ({ labels: { edge }, value: faults.count(edge) })),
  )
}

function watchReadiness(readiness: ReadinessWatch, metrics: Metrics): void {
  const help = 'Whether each check of /ready passes (1) or not (0).'
  metrics.gauges('outcomex_check_passed', help, ['check'], () =>
    readiness.now().checks.map(({ name, ok }) => ({ labels: { check: name }, value: ok ? 1 : 0 })),
  )
  const free = "Free bytes of the data folder's disk; -1 while unknown."
  metrics.gauge('outcomex_disk_free_bytes', free, () => readiness.freeDiskBytes ?? -1)
  watchFolder(readiness, metrics)
}

function watchFolder(readiness: ReadinessWatch, metrics: Metrics): void {
  const { growth } = readiness
  const ofParts = (read: (part: FolderPart) => number) => () =>
    FOLDER_PARTS.map((part) => ({ labels: { part }, value: read(part) }))
  metrics.gauges(
    'outcomex_folder_bytes',
    'Bytes of each part of the data folder; 0 while unknown.',
    ['part'],
    ofParts((part) => growth.bytes(part)),
  )
  metrics.gauges(
    'outcomex_folder_growth_bytes_per_day',
    'How fast each part of the data folder grows, measured over the last day or since the start; ' +
      '0 in its first ten minutes.',
    ['part'],
    ofParts((part) => growth.perDay(part)),
  )
  metrics.gauge(
    'outcomex_disk_full_days',
    'Days until the disk is full at that rate; -1 if the folder does not grow.',
    () => growth.daysUntilFull(readiness.freeDiskBytes),
  )
  metrics.gauges(
    'outcomex_table_bytes_per_day',
    'Bytes a day that each table of read.db takes with its indexes, measured like the growth of ' +
      'the folder: rows written times their size. A row that changes counts again.',
    ['table'],
    () =>
      COUNTED_TABLES.map((table) => ({
        labels: { table },
        value: readiness.tablesGrowth.perDay(table),
      })),
  )
}

export function watchGateway(gateway: Gateway<Services>, metrics: Metrics): void {
  const { connections, replies, bulkheads, heads } = gateway
  metrics.gauge('outcomex_connections_open', 'Open connections, including sockets.', () => {
    return connections.count
  })
  const refused = 'Connections closed at once: too many in total, or too fast from an address.'
  metrics.totals('outcomex_connections_refused_total', refused, [], () => [
    { labels: {}, value: connections.refusedCount },
  ])
  const underWay = 'Requests in progress, by kind.'
  metrics.gauges('outcomex_requests_under_way', underWay, ['kind'], () =>
    BULKHEADS.map((kind) => ({ labels: { kind }, value: bulkheads.countOf(kind) })),
  )
  metrics.gauge(
    'outcomex_held_reply_bytes',
    'Bytes of replies that wait for their readers.',
    () => {
      return replies.bytes
    },
  )
  const { compressed } = heads
  metrics.gauge('outcomex_compressed_bytes', 'Bytes of cached compressed replies.', () => {
    return compressed.bytes
  })
  metrics.totals('outcomex_compressions_total', 'Versions of replies compressed.', [], () => [
    { labels: {}, value: compressed.madeCount },
  ])
}

export function watchSockets(sockets: SocketGateway, metrics: Metrics): SocketGateway {
  metrics.gauge('outcomex_sockets_open', 'Open sockets.', () => sockets.openCount)
  const totals = (name: string, help: string, read: () => number) =>
    metrics.totals(name, help, [], () => [{ labels: {}, value: read() }])
  totals('outcomex_socket_frames_total', 'Frames sent to sockets.', () => {
    return sockets.counts.framesSent
  })
  totals('outcomex_socket_frame_bytes_total', 'Bytes of the frames sent to sockets.', () => {
    return sockets.counts.bytesSent
  })
  const { connectionCounts } = sockets
  metrics.gauges('outcomex_socket_callers', 'Open sockets, signed or anonymous.', ['kind'], () => [
    { labels: { kind: 'signed' }, value: connectionCounts.signed },
    { labels: { kind: 'anonymous' }, value: connectionCounts.anonymous },
  ])
  const held = 'Bytes of frames waiting for slow readers, each frame counted once per account.'
  metrics.gauge('outcomex_socket_held_bytes', held, () => sockets.heldBytes)
  const unread = 'Bytes written to sockets but not yet taken by their readers.'
  metrics.gauge('outcomex_socket_unread_bytes', unread, () => sockets.unreadBytes)
  const refused = 'Sockets, subscriptions and messages refused, by the limit reached.'
  metrics.totals('outcomex_sockets_refused_total', refused, ['bound'], () =>
    SOCKET_REFUSALS.map((bound) => ({
      labels: { bound },
      value: connectionCounts.refusedFor(bound),
    })),
  )
  totals(
    'outcomex_sockets_slow_total',
    'Sockets closed because they were not read in time.',
    () => {
      return sockets.slowCount
    },
  )
  return sockets
}

function watchClock(clock: Watched['clock'], metrics: Metrics): void {
  metrics.gauge('outcomex_clock_ahead_seconds', "The server's time minus the wall clock.", () => {
    return clock.offsetMs / MS_PER_SEC
  })
  const near = 'Whether the wall clock is close enough to trade (1) or makes /ready fail (0).'
  metrics.gauge('outcomex_clock_near', near, () => (clock.trouble === null ? 1 : 0))
  const steps = 'How often the wall clock was found behind, or far ahead.'
  metrics.totals('outcomex_clock_steps_total', steps, ['direction'], () => [
    { labels: { direction: 'behind' }, value: clock.behindCount },
    { labels: { direction: 'ahead' }, value: clock.aheadCount },
  ])
}

function watchCluster(cluster: ClusterNode, { pipeline }: RunningExchange, metrics: Metrics): void {
  const add = metrics.gauge.bind(metrics)
  add('outcomex_cluster_leads', 'Whether this node leads (1) or follows (0).', () => {
    return cluster.isLeading ? 1 : 0
  })
  add('outcomex_cluster_led', 'Whether a node leads (1), as far as this node knows.', () => {
    return cluster.state.isLed ? 1 : 0
  })
  add('outcomex_cluster_epoch', 'Number of leaders so far.', () => cluster.state.epoch)
  add('outcomex_cluster_synchronous', 'Whether each commit is on two disks (1).', () => {
    return cluster.state.isSynchronous ? 1 : 0
  })
  const behind = 'Acknowledged commands that this node has not applied, as far as it knows.'
  add('outcomex_cluster_lag_commands', behind, () => {
    return Math.max(0, cluster.state.confirmedSeq - pipeline.clearing.lastSeq)
  })
  const lag = 'From the decision of a batch by the leader to its publication by this standby.'
  metrics.seconds('outcomex_cluster_lag_seconds', lag, () => [
    { labels: {}, values: cluster.lagMicros },
  ])
  const counts = [
    ['outcomex_cluster_forwarded_total', 'Calls given to the leader.', 'sent'],
    ['outcomex_cluster_lost_replies_total', 'Of these, the calls without a reply.', 'lost'],
  ] as const
  for (const [name, help, count] of counts) {
    metrics.totals(name, help, [], () => [{ labels: {}, value: cluster.leader.counts[count] }])
  }
}
