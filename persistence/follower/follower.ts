import type { Exchange } from '../../engine/core/exchange.ts'
import { type OrderMemory, orderMemory } from '../../engine/core/orders/seen-filters.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { Command, PlaceOrder } from '../../engine/domain/command.ts'
import { type CommandOf, concernsBook, isOf } from '../../engine/domain/command-kinds.ts'
import type { AccountId, Seq } from '../../engine/domain/ids.ts'
import { minuteOf } from '../../engine/domain/rewards/reward-time.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { decodeCommand, eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace, decodePlaceInto } from '../../engine/wire/place-codec.ts'
import { beginsOrder, HEAD } from '../../engine/wire/record-layout.ts'
import type { Connection, Statement } from '../database.ts'
import { speaking } from '../folder-error.ts'
import type { Batch, JournalTail } from '../journal/journal-port.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { startingState } from '../snapshot/snapshot.ts'
import { AccountTables } from './account-tables.ts'
import { Projector } from './boards/projector.ts'
import { BookTables } from './book-tables.ts'
import { DueSnapshot } from './due-snapshot.ts'
import type { SavedSnapshot, SnapshotOrder } from './follower-thread.ts'
import { Pruner } from './pruning/pruner.ts'
import { openMatchingReadTables, readPath } from './read-database.ts'
import { RememberedOrders } from './remembered-orders.ts'
import { RewardScorer, type ScoredMinute } from './rewards/reward-scorer.ts'
import { AuditTable, type AuditWorld } from './tables/accounts/audit.ts'
import { PositionCosts } from './tables/accounts/average-cost.ts'
import { CandlesTable } from './tables/candles.ts'
import { MarketTables } from './tables/markets/market-tables.ts'
import { MinedTradesTable } from './tables/mined-trades.ts'
import type { Rests } from './tables/orders/backlog.ts'
import { type Pace, UNPACED } from './tables/pace.ts'
import { SettlementsTable } from './tables/settlements.ts'
import type { WrittenRows } from './tables/written-rows.ts'

// Applies the journal to a one-thread core, and writes the read tables. One chunk is one
// transaction, which also stores the chunk's last seq. So the tables always show the state at one
// seq, except for the backlog: a large command's changes to many orders are written later, one page
// per transaction (tables/orders/backlog.ts). Invariants: `stateSeq` ≥ `readSeq` once the state has
// caught up with the tables found at the start; both are at the end of a batch.

const APPLY =
  'INSERT INTO applied (id, seq, checksum) VALUES (1, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET seq = excluded.seq, checksum = excluded.checksum'
/** Commands per chunk: enough to amortise its commit, few enough for quick answers. */
const CHUNK_COMMANDS = 8192
/** Order ends whose rows a chunk writes directly: as many as it has commands. */
const DIRECT_ENDS_MAX = CHUNK_COMMANDS
/** A chunk ends after this many order ends; most of their rows are pages of its backlog. */
const CHUNK_ENDS = 65_536

export interface FollowerOptions {
  readonly pace?: Pace
  /** For the keys of orders; absent for the default. */
  readonly memory?: OrderMemory | undefined
  /** How long the history stays in the tables; 0 or absent for ever. */
  readonly historyMs?: number | undefined
  /** Counts the rows that are written. */
  readonly written?: WrittenRows
  /** Order ends that a chunk writes directly; tests use fewer. */
  readonly directEndsMax?: number
}

export class Follower {
  readonly exchange: Exchange
  readonly remembered: RememberedOrders
  readonly #folder: KeyedFolder
  readonly #pace: Pace
  readonly #reader: SqliteJournalReader
  readonly #connection: Connection
  readonly #apply: Statement<[number, Uint8Array]>
  readonly #books: BookTables
  readonly #positions: PositionCosts
  readonly #candles: CandlesTable
  readonly #settlements: SettlementsTable
  readonly #mined: MinedTradesTable
  readonly #accounts: AccountTables
  readonly #audit: AuditTable
  readonly #markets: MarketTables
  readonly #place: PlaceOrder = blankPlace()
  #command: Command = this.#place
  /** The current command's record if it is an order. */
  #record: Uint8Array = new Uint8Array(0)
  #batches: Iterator<Batch> | null = null
  /** A batch that was read ahead of the target and is not applied yet. */
  #waiting: Batch | null = null
  #readSeq: Seq
  /** The state's position in the journal. */
  #tail: JournalTail
  /** Whether the last batch was the first one of a minute. */
  #isMinute = false
  readonly #pruner: Pruner
  readonly #due: DueSnapshot
  readonly #scorer: RewardScorer
  /** In the order of writing. */
  readonly #tables: readonly { flush(pace: Pace): void }[]
  /** Computes main's projections outside the journal. */
  readonly projector: Projector

  constructor(
    folder: KeyedFolder,
    {
      pace = UNPACED,
      memory = orderMemory(),
      historyMs = 0,
      written,
      directEndsMax = DIRECT_ENDS_MAX,
    }: FollowerOptions = {},
  ) {
    this.#folder = folder
    this.#pace = pace
    this.#reader = new SqliteJournalReader(folder)
    const requireAll = () => this.#reader.requireSegments()
    const found = openMatchingReadTables(folder.dataDir, this.#checksumAt, requireAll)
    if (found.applied.seq === 0) requireAll()
    this.#connection = written?.counting(found.connection) ?? found.connection
    this.#readSeq = found.applied.seq
    // A start from a snapshot newer than the tables would leave a gap in them.
    const wants = { seqMax: this.#readSeq, names: true }
    const start = startingState(folder, this.#checksumAt, wants)
    this.exchange = start.exchange
    const { seen, orders } = this.exchange.clearing
    assert(start.tail.seq === 0 || seen.filters !== null, 'a snapshot contains the filters')
    this.remembered = new RememberedOrders(this.exchange.clearing, this.#connection, memory)
    this.#tail = start.tail
    this.#apply = this.#connection.prepare(APPLY)
    this.#positions = new PositionCosts(this.#connection)
    this.#candles = new CandlesTable(this.#connection)
    const ofTrades = { positions: this.#positions, candles: this.#candles }
    this.#accounts = new AccountTables(this.#connection, this.exchange.clearing, ofTrades)
    const { listeners } = this.#accounts
    const connection = this.#connection
    this.#books = new BookTables({ connection, orders, listeners, directEndsMax })
    const { orders: ofOrders, trades, events } = this.#books
    this.#settlements = new SettlementsTable(connection, ofOrders.names)
    this.#mined = new MinedTradesTable(this.#connection)
    this.#audit = new AuditTable(this.#connection)
    this.#markets = new MarketTables(this.#connection, this.exchange.clearing)
    this.#scorer = new RewardScorer(this.#connection, this.exchange.clearing)
    this.#tables = [
      // Orders before events, which may drain the backlog: a late end follows all changes of its
      // order.
      ofOrders,
      trades,
      events,
      this.#positions,
      this.#candles,
      this.#settlements,
      // Before the mined trades, which are also numbered by group.
      this.#markets,
      ofOrders.names,
      this.#mined,
      this.#audit,
      this.#accounts,
    ]
    this.projector = new Projector(this.#connection, this.exchange.clearing, listeners, pace)
    this.#pruner = new Pruner(connection, this.exchange.clearing, {
      windowMs: historyMs,
      names: ofOrders.names,
      rememberedSeq: () => this.remembered.oldestSeq,
    })
    this.#due = new DueSnapshot(folder, this, this.#checksumAt)
  }

  readonly #checksumAt = (seq: Seq) => this.#reader.checksumAt(seq)

  /** The seq of the read tables. */
  get readSeq(): Seq {
    return this.#readSeq
  }

  /** The seq of the state in memory. */
  get stateSeq(): Seq {
    return this.exchange.clearing.lastSeq
  }

  /** Rows that are not in the tables yet. */
  get backlogRows(): number {
    return this.#books.backlog.rowCount
  }

  /** Whether the tables contain everything that a read needs. */
  isWhole(rests: Rests): boolean {
    return this.#books.backlog.isWhole(rests)
  }

  /** The positions of tables and state, and the filters' additions since the last call. */
  takeUpdates() {
    const { readSeq, stateSeq, backlogRows } = this
    const prunedSeq = this.#pruner.seq
    return { readSeq, stateSeq, backlogRows, prunedSeq, filters: this.remembered.takeUpdates() }
  }

  /** Applies one chunk, at most up to `targetSeq`. Returns true if there may be more. */
  step(targetSeq: Seq): boolean {
    const stopSeq = this.#due.stopSeq(targetSeq)
    const endSeq = this.stateSeq + CHUNK_COMMANDS
    let last: Batch | null = null
    while (this.stateSeq < endSeq && this.#books.backlog.endedCount < CHUNK_ENDS) {
      const batch = this.#next(stopSeq)
      if (batch === null) break
      const minute = minuteOf(this.exchange.clearing.lastNowMs)
      this.#applyBatch(batch)
      last = batch
      this.#isMinute = minuteOf(this.exchange.clearing.lastNowMs) > minute
      if (this.#isMinute) break
    }
    if (last !== null) this.#tail = { seq: last.lastSeq, checksum: last.checksum }
    if (last !== null && last.lastSeq > this.#readSeq) this.#write(last)
    this.remembered.advance()
    const isMore = last !== null && this.stateSeq < targetSeq
    if (isMore) faultPoint('mid-rebuild')
    return isMore
  }

  /**
   * Writes one page of the backlog: first of an owner with requested rows, otherwise the oldest.
   * Returns true if there is more.
   */
  writePage(wanted: readonly AccountId[] = []): boolean {
    if (this.#books.backlog.isEmpty) return false
    this.#inTransaction(() => {
      this.#books.writePage(wanted, this.#pace)
    })
    faultPoint('mid-backlog')
    return !this.#books.backlog.isEmpty
  }

  /** Whether a sample waits for its scores and the tables are complete enough to score it. */
  get isScoring(): boolean {
    return this.#books.backlog.isEmpty && this.#scorer.isReady(this.#readSeq)
  }

  /** Whether old history waits to be deleted, and the tables are complete enough for it. */
  get isPruning(): boolean {
    return this.#books.backlog.isEmpty && this.#readSeq === this.stateSeq && this.#pruner.isDue
  }

  /** Deletes old history until `isOver`. */
  prune(isOver: () => boolean): void {
    if (!this.isPruning) return
    speaking(readPath(this.#folder.dataDir), () => this.#pruner.work(isOver))
  }

  /**
   * The state at the end of the first batch of a minute, once; null at any other seq. All copies of
   * the journal give the same states.
   */
  takeMinute(): { seq: Seq; hash: string } | null {
    const isMinute = this.#isMinute
    this.#isMinute = false
    return isMinute ? this.state() : null
  }

  /** The hash of the state, and its seq. */
  state(): { seq: Seq; hash: string } {
    return { seq: this.stateSeq, hash: this.exchange.stateHash(nativeSha256) }
  }

  /** Orders a snapshot at a seq that the state has not passed. */
  order(due: SnapshotOrder): void {
    this.#due.order(due)
  }

  /** Takes the ordered snapshot if the state is at its seq, otherwise returns null. */
  takeDue(): Promise<SavedSnapshot> | null {
    return this.#due.take(this.#tail)
  }

  /** Works on rewards until `isOver`. Returns the scores of a sample once they are complete. */
  score(isOver: () => boolean): ScoredMinute | null {
    return this.#scorer.work(this.#readSeq, isOver)
  }

  #next(targetSeq: Seq): Batch | null {
    if (this.stateSeq >= targetSeq) return null
    if (this.#waiting === null) {
      this.#batches ??= this.#reader.batches(this.stateSeq + 1)
      const next = this.#batches.next()
      this.#pace.look()
      if (next.done) {
        this.#batches = null
        return null
      }
      this.#waiting = next.value
    }
    if (this.#waiting.lastSeq > targetSeq) return null
    const batch = this.#waiting
    this.#waiting = null
    return batch
  }

  #applyBatch(batch: Batch): void {
    // Rows up to `readSeq` are in the tables, so only the state must catch up.
    const writes = batch.firstSeq > this.#readSeq
    assert(writes || batch.lastSeq <= this.#readSeq, 'the tables are at the end of a batch')
    this.exchange.onEvents = (words, f64s, count) => {
      if (writes) this.#books.happened(this.#command, this.#record, { words, f64s, count })
      this.#pace.look()
    }
    eachRecord(batch.records, (record) => {
      this.#command = this.#decode(record)
      if (writes) this.#applying(this.#command)
      this.exchange.apply(this.#command)
      if (writes) this.#applied(this.#command)
      if (!concernsBook(this.#command)) {
        this.#scorer.applied(this.#command, this.exchange.clearing, () => this.#pace.look())
      }
      this.#pace.look()
    })
  }

  /** Records the objects that the command ends, while they can still be identified. */
  #applying(command: Command): void {
    this.#positions.begin(command.nowMs)
    this.#audit.applying(command, this.#world)
    this.#markets.applying(command)
  }

  #applied(command: Command): void {
    if (concernsBook(command)) return
    this.#accounts.applied(command)
    if (isOf('settlement', command)) this.#settled(command)
    else this.#markets.applied(command)
  }

  readonly #world: AuditWorld = {
    slugOf: (marketId) => this.exchange.clearing.catalogue.existing(marketId).slug,
    ownerOf: (tokenId) => this.exchange.clearing.accounts.tokenById(tokenId)?.profileId,
    accountOf: (profileId) => this.exchange.clearing.accounts.accountOf(profileId),
  }

  #settled(command: CommandOf<'settlement'>): void {
    this.#settlements.applied(command)
    this.#mined.applied(command)
    if (command.kind !== 'settleTrade' && command.kind !== 'failSettlement') return
    if (command.kind === 'failSettlement') {
      this.#positions.reversed(command.tradeSeq, command.legs)
      // A partly reversed trade has not ended.
      if (command.fillsLeft !== undefined) return
    }
    this.#books.events.ended(command.tradeSeq, command.seq)
  }

  #decode(record: Uint8Array): Command {
    if (!beginsOrder(record[HEAD.kind])) return decodeCommand(record)
    decodePlaceInto(record, this.#place)
    this.#record = record
    return this.#place
  }

  #write(last: Batch): void {
    this.#inTransaction(() => {
      for (const table of this.#tables) table.flush(this.#pace)
      this.#apply.run(last.lastSeq, last.checksum)
    })
    this.#readSeq = last.lastSeq
  }

  #inTransaction(work: () => void): void {
    speaking(readPath(this.#folder.dataDir), () => {
      this.#connection.exec('BEGIN IMMEDIATE')
      work()
      this.#pace.commit(() => this.#connection.exec('COMMIT'))
    })
  }

  close(): void {
    this.#reader.close()
    this.#connection.close()
  }
}
