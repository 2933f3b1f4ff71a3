import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'

// Up to which command the history may go. Times are those of commands, so a replay of an old
// journal loses nothing on its way.
//
// What the exchange still works with stays: trades that are neither in a block nor reversed, trades
// whose settlement changed recently, the blocks and trades of an open reward sample, and the orders
// that are remembered (engine/core/orders/seen-filters.ts).

const FLOOR = 'SELECT seq, events_seq AS eventsSeq FROM pruned WHERE id = 1'
const PUT_FLOOR =
  'INSERT INTO pruned (id, seq, events_seq) VALUES (1, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET seq = excluded.seq, events_seq = excluded.events_seq'
const PLACED_FROM = `
SELECT placed_seq AS placedSeq, placed_ms AS placedMs FROM order_terms
WHERE placed_seq >= ? ORDER BY placed_seq LIMIT 1`
const PLACED_UNTIL = `
SELECT placed_seq AS placedSeq, placed_ms AS placedMs FROM order_terms
WHERE placed_seq <= ? ORDER BY placed_seq DESC LIMIT 1`
const NEWEST_TRADE = 'SELECT seq FROM trades ORDER BY seq DESC LIMIT 1'
const THROUGH = 'SELECT through_seq AS throughSeq FROM blocks WHERE height = ?'
const CHANGED_LATE = `
SELECT trade_seq AS tradeSeq FROM settlements
WHERE trade_seq > ? AND trade_seq <= ? AND changed_seq > ? ORDER BY trade_seq LIMIT 1`

interface Placed {
  readonly placedSeq: Seq
  readonly placedMs: TimeMs
}

/** As stored in read.db; 0 while everything is kept. */
export interface StoredFloor {
  /** Rows of commands up to this seq may be gone. */
  readonly seq: Seq
  /** Rows that the events up to this seq refer to may be gone soon. */
  readonly eventsSeq: Seq
}

const KEPT_ALL: StoredFloor = { seq: 0, eventsSeq: 0 }

export function openFloor(connection: Connection): () => StoredFloor {
  const floor = connection.prepare<[], StoredFloor>(FLOOR)
  return () => floor.get() ?? KEPT_ALL
}

export interface HistoryFloor extends StoredFloor {
  /** Orders that ended before may go: their last command is not after `seq`. */
  readonly endedBeforeMs: TimeMs
}

/** Events are read for this part of the history: what they refer to must not go meanwhile. */
const EVENTS_PART = 0.5

export class HistoryFloors {
  readonly #clearing: Clearing
  readonly #stored: () => StoredFloor
  readonly #put: Statement<[seq: Seq, eventsSeq: Seq]>
  readonly #placedFrom: Statement<[Seq], Placed>
  readonly #placedUntil: Statement<[Seq], Placed>
  readonly #newestTrade: Statement<[], { seq: Seq }>
  readonly #through: Statement<[height: number], { throughSeq: Seq }>
  readonly #changedLate: Statement<[from: Seq, to: Seq, changed: Seq], { tradeSeq: Seq }>

  constructor(connection: Connection, clearing: Clearing) {
    this.#clearing = clearing
    this.#stored = openFloor(connection)
    this.#put = connection.prepare(PUT_FLOOR)
    this.#placedFrom = connection.prepare(PLACED_FROM)
    this.#placedUntil = connection.prepare(PLACED_UNTIL)
    this.#newestTrade = connection.prepare(NEWEST_TRADE)
    this.#through = connection.prepare(THROUGH)
    this.#changedLate = connection.prepare(CHANGED_LATE)
  }

  get stored(): StoredFloor {
    return this.#stored()
  }

  /** The floor for a history of `windowMs`, which is stored; null if nothing may go. */
  advance(windowMs: number, rememberedSeq: Seq): HistoryFloor | null {
    const { lastNowMs, lastSeq } = this.#clearing
    const before = this.#stored()
    const beforeMs = lastNowMs - windowMs
    const wanted = Math.min(this.#seqBefore(beforeMs, before.seq, lastSeq), rememberedSeq - 1)
    const seq = this.#settled(Math.max(before.seq, wanted), before.seq)
    const newest = this.#placedUntil.get(seq)
    if (newest === undefined) return null
    const eventsMs = lastNowMs - windowMs * EVENTS_PART
    const eventsSeq = Math.max(before.eventsSeq, this.#seqBefore(eventsMs, seq, lastSeq))
    this.#put.run(seq, eventsSeq)
    return { seq, eventsSeq, endedBeforeMs: newest.placedMs }
  }

  /** The newest order that was placed before `ms`; `from` if there is none after it. */
  #seqBefore(ms: TimeMs, from: Seq, to: Seq): Seq {
    let low = from
    let high = to
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const next = this.#placedFrom.get(middle)
      if (next !== undefined && next.placedMs < ms) low = next.placedSeq
      else high = middle - 1
    }
    return low
  }

  /** Not above what the exchange still works with, and not below `from`. */
  #settled(wanted: Seq, from: Seq): Seq {
    const { blocks, rewards } = this.#clearing
    // Without such a trade there may be no block for years.
    const isWaiting =
      blocks.asideCount > 0 || (this.#newestTrade.get()?.seq ?? 0) > blocks.throughSeq
    let seq = isWaiting ? Math.min(wanted, blocks.countableSeq) : wanted
    for (const tradeSeq of blocks.reversing()) seq = Math.min(seq, tradeSeq - 1)
    if (rewards.open !== null) {
      seq = Math.min(seq, this.#through.get(rewards.open.afterHeight)?.throughSeq ?? 0)
    }
    const late = this.#changedLate.get(from, seq, seq)
    if (late !== undefined) seq = late.tradeSeq - 1
    return Math.max(seq, from)
  }
}
