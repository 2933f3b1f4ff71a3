import type { OrderTable } from '../../../../engine/core/orders/order-table.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { Arrival, DecreaseOrder } from '../../../../engine/domain/command.ts'
import { RESULT } from '../../../../engine/domain/event.ts'
import type { AccountId, Seq, Slot } from '../../../../engine/domain/ids.ts'
import { buysBySpend, POLICY_OF_TYPE } from '../../../../engine/domain/order.ts'
import type { Connection, Statement } from '../../../database.ts'
import { eachPaced, type Pace } from '../pace.ts'
import type { Backlog, WriteLate } from './backlog.ts'
import { LATE, type LateCommand, type Row as LateRow, LateRun } from './late-rows.ts'

// Events sent to owners of orders (rules §5.3), so that a returning client receives what it missed.
// A row has the data of one event that is in no other table; its number is a counter. Rows are only
// appended, so a commit changes few pages, and each row has the distance to the previous row of the
// same owner. So no index is needed: a reader of an owner's events goes back from the newest and
// visits no rows of others (query/read/orders/missed-events.ts).
//
// The event of a trade in its block has no row, because it follows from the trade and the block. A
// trade skipped by its block gets a row for each owner's part once it is mined or fails.
//
// Events are numbered in journal order. Those of a large command are written later (backlog.ts),
// and so are later events of the same owners.
//
// Invariants: the seqs of an owner's rows never decrease; `#events` is in journal order.

/**
 * REST_PLACED follows a trade of the same arrival, as FILLED and PART_FILLED do. UPDATED follows a
 * fill, DECREASED an amend of the owner.
 */
export const ORDER_EVENT = {
  PLACED: 1,
  REST_PLACED: 2,
  UPDATED: 3,
  CANCELED: 4,
  FILLED: 5,
  PART_FILLED: 6,
  KILLED: 7,
  SETTLED: 8,
  DECREASED: 9,
} as const
const { PLACED, REST_PLACED, UPDATED, CANCELED, FILLED, PART_FILLED, KILLED, SETTLED, DECREASED } =
  ORDER_EVENT

/** The position of the taker among the parts of a trade; makers count from 0. */
export const TAKER_PLACE = -1

const NEWEST = 'SELECT number FROM order_events ORDER BY number DESC LIMIT 1'
const INSERT = `
INSERT INTO order_events (number, back, seq, age, kind, remaining_raw, place)
VALUES (?, ?, ?, ?, ?, ?, ?)`
const NEWEST_OF = 'SELECT number FROM newest_events WHERE owner = ?'
const PUT_NEWEST = `
INSERT INTO newest_events (owner, number) VALUES (?, ?)
ON CONFLICT DO UPDATE SET number = excluded.number`
const PLACED_MS = 'SELECT placed_ms AS placedMs FROM order_terms WHERE placed_seq = ?'
const PARTS = `
SELECT taker_owner AS owner, taker_placed_seq AS placedSeq, ${TAKER_PLACE} AS place
FROM trades WHERE seq = ?
UNION ALL SELECT maker_owner, maker_placed_seq, position FROM maker_fills WHERE trade_seq = ?`

interface Part {
  readonly owner: AccountId
  readonly placedSeq: Seq
  readonly place: number
}

interface Event extends Part {
  readonly seq: Seq
  readonly kind: number
  /** For SETTLED, the seq of the trade. */
  readonly remainingRaw: number
  /**
   * When a held order was released, or an order decreased; 0 for others. `place` is then the time
   * since its placement.
   */
  readonly laterMs: number
}

/** Represents the owner of a trade that ended late: each of its parts becomes an event. */
const ALL_OWNERS = 0

/**
 * An order ended by a large command; `kind` is of LATE. `place` is that of an event other than a
 * fill; absent = 0.
 */
type LateEnd = Pick<LateRow, 'kind' | 'sizeRaw' | 'leftRaw' | 'ticks'> & {
  readonly slot: Slot
  readonly place?: number
  readonly collateralRaw?: number
}

type What = Pick<Event, 'kind' | 'remainingRaw' | 'place' | 'laterMs'>
type Row = [number: number, back: number, seq: Seq, age: number, ...what: [number, number, number]]

export class OrderEventsTable {
  readonly #orders: OrderTable
  readonly #backlog: Backlog
  /** Writes a row of the backlog to all tables. */
  readonly #writeLate: WriteLate
  readonly #insert: Statement<Row>
  readonly #newestOf: Statement<[AccountId], { number: number }>
  readonly #putNewest: Statement<[AccountId, number]>
  readonly #placedMs: Statement<[Seq], { placedMs: number }>
  readonly #parts: Statement<[Seq, Seq], Part>
  /** The newest row of each owner with events in this chunk. */
  readonly #newest = new Map<AccountId, number>()
  #events: (Event | LateRun)[] = []
  #number: number
  /** Fills of the current arrival. */
  #fills = 0

  constructor(
    connection: Connection,
    orders: OrderTable,
    { backlog, writeLate }: { backlog: Backlog; writeLate: WriteLate },
  ) {
    this.#orders = orders
    this.#backlog = backlog
    this.#writeLate = writeLate
    this.#insert = connection.prepare(INSERT)
    this.#newestOf = connection.prepare(NEWEST_OF)
    this.#putNewest = connection.prepare(PUT_NEWEST)
    this.#placedMs = connection.prepare(PLACED_MS)
    this.#parts = connection.prepare(PARTS)
    const written = connection.prepare<[], { number: number }>(NEWEST).get()?.number ?? 0
    this.#number = Math.max(written, backlog.numberMax)
  }

  /** A closed maker has nothing left in the book. */
  makerFilled(slot: Slot, left: { leftRaw: number; isClosed: boolean }, by: Arrival): void {
    const remainingRaw = left.isClosed ? 0 : left.leftRaw
    this.#add(slot, by.seq, { kind: UPDATED, remainingRaw, place: this.#fills++, laterMs: 0 })
  }

  /** An order ended, and all its rows are late. */
  endedLate(end: LateEnd, command: LateCommand): void {
    const last = this.#events.at(-1)
    const isNext = last instanceof LateRun && last.command.seq === command.seq
    const run = isNext ? last : new LateRun(command)
    if (!isNext) this.#events.push(run)
    const { kind, slot, sizeRaw, collateralRaw = 0, leftRaw, ticks, place: given = 0 } = end
    const place = kind === LATE.FILLED ? this.#fills++ : given
    const owner = this.#orders.accountOf(slot)
    const placedSeq = this.#orders.seqOf(slot)
    const number = 0
    run.add({
      kind,
      owner,
      placedSeq,
      number,
      sizeRaw,
      collateralRaw,
      leftRaw,
      place,
      ticks,
      seq: 0,
    })
  }

  decreased(slot: Slot, remainingRaw: number, { seq, nowMs }: DecreaseOrder): void {
    this.#add(slot, seq, { kind: DECREASED, remainingRaw, place: 0, laterMs: nowMs })
  }

  canceled(slot: Slot, leftRaw: number, seq: Seq): void {
    const remainingRaw = this.#orders.buysBySpend(slot) ? 0 : leftRaw
    this.#add(slot, seq, { kind: CANCELED, remainingRaw, place: 0, laterMs: 0 })
  }

  /** The DONE event of an arrival that its market stored. */
  arrived(
    order: Arrival,
    { result, filledRaw, leftRaw }: { result: number; filledRaw: number; leftRaw: number },
  ): void {
    this.#fills = 0
    const kind = kindOf(order, result, filledRaw)
    if (kind === null) return
    const rests = kind === PLACED || kind === REST_PLACED
    const hasShares = kind !== FILLED && !buysBySpend(order.marketForm, order.side)
    const remainingRaw = rests || hasShares ? leftRaw : 0
    const laterMs = order.kind === 'releaseOrder' ? order.nowMs : 0
    this.#add(order.slot, order.seq, { kind, remainingRaw, place: 0, laterMs })
  }

  /** A trade skipped by its block was mined or failed. */
  ended(tradeSeq: Seq, seq: Seq): void {
    const of = { owner: ALL_OWNERS, placedSeq: 0, place: 0, laterMs: 0 }
    this.#events.push({ seq, kind: SETTLED, remainingRaw: tradeSeq, ...of })
  }

  /** Runs inside the chunk's transaction, after its orders and trades. */
  flush(pace: Pace): void {
    eachPaced(this.#events, pace, (event) => {
      if (event instanceof LateRun) this.#putRun(event, pace)
      else if (event.owner === ALL_OWNERS) this.#writeParts(event, pace)
      else this.#write(event)
    })
    this.#backlog.endChunk()
    this.#events = []
    this.flushNewest(pace)
  }

  /** Writes the event of a late row. */
  writeLate(
    { kind, owner, placedSeq, number, sizeRaw, leftRaw, place, seq }: LateRow,
    of: Seq,
  ): void {
    if (kind === LATE.EVENT) {
      this.#insertEvent(
        { owner, placedSeq, seq, kind: sizeRaw, remainingRaw: leftRaw, place },
        number,
      )
      return
    }
    const isFill = kind === LATE.FILLED
    const event = isFill
      ? { kind: UPDATED, remainingRaw: 0, place }
      : { kind: CANCELED, remainingRaw: leftRaw, place: 0 }
    this.#insertEvent({ owner, placedSeq, seq: of, ...event }, number)
  }

  /** Ends a run of late rows, inside their transaction. */
  flushNewest(pace: Pace): void {
    eachPaced(this.#newest, pace, ([owner, number]) => this.#putNewest.run(owner, number))
    this.#newest.clear()
  }

  #putRun(run: LateRun, pace: Pace): void {
    run.numberFrom(this.#number + 1)
    this.#number += run.count
    this.#backlog.put(run, pace)
  }

  #add(slot: Slot, seq: Seq, { kind, remainingRaw, place, laterMs }: What): void {
    const owner = this.#orders.accountOf(slot)
    const placedSeq = this.#orders.seqOf(slot)
    this.#events.push({ owner, placedSeq, place, seq, kind, remainingRaw, laterMs })
  }

  /** The parts of a trade may be late. Trades rarely end outside their block. */
  #writeParts(event: Event, pace: Pace): void {
    this.#backlog.drain(pace, this.#writeLate)
    const tradeSeq = event.remainingRaw
    for (const part of this.#parts.all(tradeSeq, tradeSeq)) this.#write({ ...event, ...part })
  }

  #write(event: Event): void {
    const { owner, placedSeq, seq, kind, remainingRaw } = event
    const number = ++this.#number
    const place = this.#placeOf(event)
    if (!this.#backlog.has(owner)) {
      this.#insertEvent({ owner, placedSeq, seq, kind, remainingRaw, place }, number)
      return
    }
    const none = { ticks: 0, collateralRaw: 0 }
    const row = { kind: LATE.EVENT, owner, placedSeq, number, seq, place, ...none }
    this.#backlog.putEvent({ ...row, sizeRaw: kind, leftRaw: remainingRaw })
  }

  #insertEvent(event: Omit<Event, 'laterMs'>, number: number): void {
    const { owner, placedSeq, seq, kind, remainingRaw, place } = event
    const before = this.#newest.get(owner) ?? this.#newestOf.get(owner)?.number ?? 0
    const age = seq - placedSeq
    assert(age >= 0, 'an event is not older than its order')
    assert(number > before, 'events of an owner are written in numeric order')
    this.#insert.run(number, number - before, seq, age, kind, remainingRaw, place)
    this.#newest.set(owner, number)
  }

  #placeOf({ place, placedSeq, laterMs }: Event): number {
    if (laterMs === 0) return place
    const placed = this.#placedMs.get(placedSeq)
    assert(placed !== undefined, 'a stored order was placed')
    return laterMs - placed.placedMs
  }
}

/** null for an arrival without an event to its owner (rules §5.4). */
function kindOf(order: Arrival, result: number, filledRaw: number): number | null {
  const isStored = result !== RESULT.WOULD_CROSS && result !== RESULT.NOT_PLACED
  if (!isStored || result === RESULT.HELD) return null
  if (result === RESULT.RESTED) return filledRaw > 0 ? REST_PLACED : PLACED
  if (result === RESULT.FILLED) return FILLED
  if (POLICY_OF_TYPE[order.orderType].whole) return null
  return filledRaw > 0 ? PART_FILLED : KILLED
}
