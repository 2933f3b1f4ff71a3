import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { epochOf } from '../tables/epochs.ts'
import type { OrderNames } from '../tables/orders/order-names.ts'
import { type HistoryFloor, HistoryFloors } from './history-floor.ts'
import { OldEpochs } from './old-epochs.ts'
import { OldPoints } from './old-points.ts'
import { ROWS, removeRows } from './remove-rows.ts'

// Deletes the history that is older than --history-days, in steps of a few hundred rows: ended
// orders with their events and names, trades, moves of money, blocks, points of charts, ended
// packs. Sums stay: positions, PnL, volume, boards. Rows go from the oldest on, so whole pages
// become free and are used again.
//
// The newest trade of each market stays, with its orders and its block: it is the price in the
// charts.
//
// A pass first stores how far it goes, and reads end there. Rows go before those that they refer
// to, so a pass that is interrupted leaves nothing that a read would misunderstand, and the next
// one continues. The follower decides nothing by these rows.

const ORDERS = `
SELECT t.placed_seq AS placedSeq, s.ended_ms AS endedMs
FROM order_terms t LEFT JOIN order_states s ON s.placed_seq = t.placed_seq
WHERE t.placed_seq > ? AND t.placed_seq <= ? ORDER BY t.placed_seq LIMIT ${ROWS}`
const DELETE_OWN_MAKERS = 'DELETE FROM own_makers WHERE taker_placed_seq = ?'
const DELETE_STATE = 'DELETE FROM order_states WHERE placed_seq = ?'
const DELETE_TERMS = 'DELETE FROM order_terms WHERE placed_seq = ?'

const FIRST_EVENT = 'SELECT number FROM order_events ORDER BY number LIMIT 1'
const LAST_EVENT = 'SELECT number FROM order_events ORDER BY number DESC LIMIT 1'
const DELETE_EVENTS = 'DELETE FROM order_events WHERE number < ? AND seq <= ?'

const TRADES = `SELECT seq FROM trades WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${ROWS}`
const DELETE_FILLS = 'DELETE FROM maker_fills WHERE trade_seq = ? AND position < ?'
const DELETE_COSTS = 'DELETE FROM sold_costs WHERE trade_seq = ?'
const DELETE_SETTLEMENT = 'DELETE FROM settlements WHERE trade_seq = ?'
const DELETE_TRADE = 'DELETE FROM trades WHERE seq = ?'
const FILLS_END = `
SELECT position FROM maker_fills WHERE trade_seq = ? ORDER BY position DESC LIMIT 1`

const TAKER_OF = 'SELECT taker_placed_seq AS placedSeq FROM trades WHERE seq = ?'
const MAKERS_OF = `
SELECT maker_placed_seq AS placedSeq FROM maker_fills
WHERE trade_seq = ? AND position >= ? AND position < ?`

const MOVES = `SELECT seq, leg FROM moves WHERE seq <= ? ORDER BY seq, leg LIMIT ${ROWS}`
const DELETE_MOVE = 'DELETE FROM moves WHERE seq = ? AND leg = ?'
const TRANSACTIONS = `SELECT seq FROM move_transactions WHERE seq <= ? ORDER BY seq LIMIT ${ROWS}`
const DELETE_TRANSACTION = 'DELETE FROM move_transactions WHERE seq = ?'

const NEWEST_BLOCK = 'SELECT height FROM blocks ORDER BY height DESC LIMIT 1'
const BLOCKS = `
SELECT height, through_seq AS throughSeq FROM blocks
WHERE height > ? AND height < ? ORDER BY height LIMIT ${ROWS}`
const DELETE_BLOCK = 'DELETE FROM blocks WHERE height = ?'

/** Of the history, from one pass to the next. */
const PASS_PART = 1 / 32

interface Placed {
  readonly placedSeq: Seq
}

interface OrderRow {
  readonly placedSeq: Seq
  readonly endedMs: TimeMs | null
}

export class Pruner {
  readonly #connection: Connection
  readonly #clearing: Clearing
  readonly #windowMs: number
  readonly #floors: HistoryFloors
  readonly #epochs: OldEpochs
  readonly #points: OldPoints
  readonly #names: OrderNames
  readonly #rememberedSeq: () => Seq
  readonly #orders: Statement<[after: Seq, to: Seq], OrderRow>
  readonly #orderDeletes: readonly Statement<[Seq]>[]
  #pass: Generator<undefined, void> | null = null
  #seq: Seq
  /** In the time of commands. */
  #nextPassMs: TimeMs = Number.NEGATIVE_INFINITY

  /** `windowMs` 0 keeps everything. */
  constructor(
    connection: Connection,
    clearing: Clearing,
    {
      windowMs,
      names,
      rememberedSeq,
    }: {
      readonly windowMs: number
      readonly names: OrderNames
      readonly rememberedSeq: () => Seq
    },
  ) {
    this.#connection = connection
    this.#clearing = clearing
    this.#windowMs = windowMs
    this.#epochs = new OldEpochs(connection)
    this.#points = new OldPoints(connection)
    this.#names = names
    this.#rememberedSeq = rememberedSeq
    this.#floors = new HistoryFloors(connection, clearing)
    this.#seq = this.#floors.stored.seq
    this.#orders = connection.prepare(ORDERS)
    this.#orderDeletes = [DELETE_OWN_MAKERS, DELETE_STATE, DELETE_TERMS].map((sql) => {
      return connection.prepare<[Seq]>(sql)
    })
  }

  /** Rows of commands up to this seq may be gone. */
  get seq(): Seq {
    return this.#seq
  }

  /** Whether a pass is under way, or should begin. The tables must be complete. */
  get isDue(): boolean {
    if (this.#windowMs === 0) return false
    return this.#pass !== null || this.#clearing.lastNowMs >= this.#nextPassMs
  }

  /** Works until `isOver`. */
  work(isOver: () => boolean): void {
    if (!this.isDue) return
    this.#connection.exec('BEGIN IMMEDIATE')
    this.#pass ??= this.#begin()
    while (this.#pass !== null && !isOver()) if (this.#pass.next().done === true) this.#pass = null
    this.#connection.exec('COMMIT')
  }

  #begin(): Generator<undefined, void> | null {
    this.#nextPassMs = this.#clearing.lastNowMs + this.#windowMs * PASS_PART
    const floor = this.#floors.advance(this.#windowMs, this.#rememberedSeq())
    if (floor === null) return null
    this.#seq = floor.seq
    return this.#passTo(floor)
  }

  *#passTo(floor: HistoryFloor): Generator<undefined, void> {
    const kept = this.#newestTrades()
    yield* this.#events(floor)
    yield* this.#trades(floor, kept)
    yield* this.#epochs.forget(epochOf(floor.seq))
    yield* this.#moves(floor)
    yield* this.#blocks(floor, kept)
    yield* this.#points.forget(floor, this.#clearing.lastNowMs)
    const orders = yield* this.#ordersOf(kept, floor.seq)
    yield* this.#endedOrders(floor, orders)
    yield* this.#names.forget(floor.seq)
  }

  /** The newest trade of each market, by ascending seq. */
  #newestTrades(): readonly Seq[] {
    const seqs: Seq[] = []
    for (const { lastTradeSeq } of this.#clearing.catalogue.all()) {
      if (lastTradeSeq > 0) seqs.push(lastTradeSeq)
    }
    return seqs.sort((a, b) => a - b)
  }

  /** The takers and makers of those trades that are not after `seq`. */
  *#ordersOf(trades: readonly Seq[], seq: Seq): Generator<undefined, ReadonlySet<Seq>> {
    const takerOf = this.#connection.prepare<[Seq], Placed>(TAKER_OF)
    const makersOf = this.#connection.prepare<[Seq, from: number, end: number], Placed>(MAKERS_OF)
    const found = new Set<Seq>()
    for (const tradeSeq of trades) {
      if (tradeSeq > seq) break
      for (const { placedSeq } of takerOf.all(tradeSeq)) found.add(placedSeq)
      for (let from = 0; ; from += ROWS) {
        const makers = makersOf.all(tradeSeq, from, from + ROWS)
        for (const { placedSeq } of makers) found.add(placedSeq)
        yield
        if (makers.length < ROWS) break
      }
    }
    return found
  }

  /** Orders that live, or ended later, are met again by the next pass. */
  *#endedOrders(
    { seq, endedBeforeMs }: HistoryFloor,
    kept: ReadonlySet<Seq>,
  ): Generator<undefined, void> {
    let after = 0
    for (;;) {
      const rows = this.#orders.all(after, seq)
      for (const { placedSeq, endedMs } of rows) {
        after = placedSeq
        if (endedMs === null || endedMs >= endedBeforeMs || kept.has(placedSeq)) continue
        for (const remove of this.#orderDeletes) remove.run(placedSeq)
      }
      if (rows.length < ROWS) return
      yield
    }
  }

  /** The newest one stays: the next number follows it. */
  *#events({ seq }: HistoryFloor): Generator<undefined, void> {
    const last = this.#one<{ number: number }>(LAST_EVENT)?.number ?? 0
    const remove = this.#connection.prepare<[end: number, Seq]>(DELETE_EVENTS)
    const firstOf = this.#connection.prepare<[], { number: number }>(FIRST_EVENT)
    for (;;) {
      const first = firstOf.get()?.number ?? last
      if (remove.run(Math.min(first + ROWS, last), seq).changes === 0) return
      yield
    }
  }

  *#trades({ seq }: HistoryFloor, kept: readonly Seq[]): Generator<undefined, void> {
    const keeps = new Set(kept)
    const trades = this.#connection.prepare<[after: Seq, to: Seq], { seq: Seq }>(TRADES)
    const fillsEnd = this.#connection.prepare<[Seq], { position: number }>(FILLS_END)
    const removeFills = this.#connection.prepare<[Seq, end: number]>(DELETE_FILLS)
    const removes = [DELETE_COSTS, DELETE_SETTLEMENT, DELETE_TRADE].map((sql) => {
      return this.#connection.prepare<[Seq]>(sql)
    })
    let after = 0
    for (;;) {
      const rows = trades.all(after, seq)
      for (const { seq: tradeSeq } of rows) {
        after = tradeSeq
        if (keeps.has(tradeSeq)) continue
        const end = (fillsEnd.get(tradeSeq)?.position ?? -1) + 1
        // A trade may have two million fills.
        for (let at = ROWS; at < end; at += ROWS) {
          removeFills.run(tradeSeq, at)
          yield
        }
        removeFills.run(tradeSeq, end)
        for (const remove of removes) remove.run(tradeSeq)
      }
      if (rows.length < ROWS) return
      yield
    }
  }

  *#moves({ seq }: HistoryFloor): Generator<undefined, void> {
    const moves = this.#connection.prepare<[Seq], { seq: Seq; leg: number }>(MOVES)
    const remove = this.#connection.prepare<[Seq, leg: number]>(DELETE_MOVE)
    yield* removeRows(
      () => moves.all(seq),
      ({ seq: moveSeq, leg }) => remove.run(moveSeq, leg),
    )
    const transactions = this.#connection.prepare<[Seq], { seq: Seq }>(TRANSACTIONS)
    const forget = this.#connection.prepare<[Seq]>(DELETE_TRANSACTION)
    yield* removeRows(
      () => transactions.all(seq),
      ({ seq: moveSeq }) => forget.run(moveSeq),
    )
  }

  /**
   * The newest one stays: the next block covers the trades behind it. So do those between which a
   * reward sample counts trades.
   */
  *#blocks({ seq }: HistoryFloor, kept: readonly Seq[]): Generator<undefined, void> {
    const newest = this.#one<{ height: number }>(NEWEST_BLOCK)?.height ?? 0
    const { rewards } = this.#clearing
    const counted = new Set([rewards.height, rewards.open?.afterHeight, rewards.open?.height])
    const blocks = this.#connection.prepare<
      [after: number, end: number],
      { height: number; throughSeq: Seq }
    >(BLOCKS)
    const remove = this.#connection.prepare<[height: number]>(DELETE_BLOCK)
    let after = 0
    let next = 0
    for (;;) {
      const rows = blocks.all(after, newest)
      for (const { height, throughSeq } of rows) {
        if (throughSeq > seq) return
        after = height
        const isKept = kept[next] <= throughSeq || counted.has(height)
        while (kept[next] <= throughSeq) next++
        if (!isKept) remove.run(height)
      }
      if (rows.length < ROWS) return
      yield
    }
  }

  #one<Row>(sql: string): Row | undefined {
    return this.#connection.prepare<[], Row>(sql).get()
  }
}
