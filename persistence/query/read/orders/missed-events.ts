import type { AccountId, Generation, Seq, Slot } from '../../../../engine/domain/ids.ts'
import type { Connection, Statement } from '../../../database.ts'
import { openFloor, type StoredFloor } from '../../../follower/pruning/history-floor.ts'
import { ORDER_EVENT, TAKER_PLACE } from '../../../follower/tables/orders/order-events.ts'
import { query } from '../query.ts'
import { ORDER_COLUMNS, OrderFinder, type OrderRow } from './user-orders.ts'

// The order events of an account after one that its client has (rules §5.3). The account's chain is
// followed back from its newest row, so the cost is proportional to what was missed. Two marks
// separate received from missed events, because ends of trades (MINED, FAILED) are published later
// than their commands: one mark for these, one for all other events.

const { REST_PLACED, UPDATED, FILLED, PART_FILLED, KILLED, SETTLED } = ORDER_EVENT
/** Kinds whose frame has a number. */
const isNumbered = (kind: number) => kind <= ORDER_EVENT.CANCELED || kind === ORDER_EVENT.DECREASED
const isTraded = (kind: number) =>
  kind === REST_PLACED || kind === UPDATED || kind === FILLED || kind === PART_FILLED
const isEnd = (kind: number) => kind === FILLED || kind === PART_FILLED || kind === KILLED

const APPLIED = 'SELECT seq FROM applied WHERE id = 1'
const NEWEST = 'SELECT number FROM newest_events WHERE owner = ?'
const EVENT = `
SELECT number, back, seq, seq - age AS placedSeq, kind, remaining_raw AS remainingRaw, place
FROM order_events WHERE number = ?`
/** A trade that is mined late has the time of the block that contains it. */
const EXCEPTION = `
SELECT s.changed_seq AS seq, s.height, coalesce(b.mined_ms, s.changed_ms) AS ms,
  b.tx_hash AS txHash
FROM settlements s LEFT JOIN blocks b ON b.height = s.height WHERE s.trade_seq = ?`
const COVERING = `
SELECT height, mined_seq AS seq, mined_ms AS ms, tx_hash AS txHash FROM blocks
WHERE through_seq >= ? ORDER BY through_seq, height LIMIT 1`
const NEWEST_BLOCK = 'SELECT height FROM blocks ORDER BY height DESC LIMIT 1'
const BLOCK = `
SELECT mined_seq AS seq, through_seq AS throughSeq, mined_ms AS ms FROM blocks WHERE height = ?`
const PLACE = `
SELECT ${TAKER_PLACE} AS place FROM trades WHERE seq = ? AND taker_placed_seq = ?
UNION ALL SELECT position FROM maker_fills WHERE trade_seq = ? AND maker_placed_seq = ? LIMIT 1`

interface OrderAt {
  readonly slot: Slot
  readonly generation: Generation
}

/** The client's last event other than the end of a trade. */
export type EventMark =
  | { readonly kind: 'number'; readonly seq: Seq; readonly index: number }
  | ({ readonly kind: 'matched'; readonly tradeSeq: Seq } & OrderAt)
  | ({ readonly kind: 'terminal' } & OrderAt)

/** The end of an order's part in a trade. */
export type EndMark = { readonly tradeSeq: Seq } & OrderAt

export interface MissedParams {
  readonly accountId: AccountId
  readonly after: EventMark
  /** null if the client gives no end of a trade. */
  readonly afterEnd: EndMark | null
  /** Without `afterEnd`, ends older than the given event by less than this count as missed. */
  readonly lateMs: number
  readonly eventsMax: number
  /** Maximum number of visited rows. */
  readonly rowsMax: number
}

/** A missed event; read/missed-frames.ts reads its remaining data. */
export interface MissedEvent {
  readonly what: 'ORDER' | 'MATCHED' | 'ENDED'
  /** The command that caused it. */
  readonly seq: Seq
  readonly placedSeq: Seq
  /** For ORDER: the kind, size and place of its row. */
  readonly kind: number
  readonly remainingRaw: number
  readonly place: number
  /** Counts the account's numbered events of this command. */
  readonly index: number
  /** For MATCHED and ENDED: the trade. */
  readonly tradeSeq: Seq
  /** For ENDED: the height of its block, 0 if the trade failed, and the time. */
  readonly height: number
  readonly ms: number
  /** For ENDED: the transaction of its block; null on the embedded chain, which derives it. */
  readonly txHash: string | null
}

export interface Missed {
  /** The tables are complete up to this seq. */
  readonly seq: Seq
  /**
   * Oldest first; 'many' if there are more than requested; 'unknown' and 'unknownEnd' if the
   * account does not have the given event.
   */
  readonly events: readonly MissedEvent[] | 'many' | 'unknown' | 'unknownEnd'
}

interface Row {
  readonly number: number
  readonly back: number
  readonly seq: Seq
  readonly placedSeq: Seq
  readonly kind: number
  readonly remainingRaw: number
  readonly place: number
}

interface End {
  readonly seq: Seq
  readonly height: number | null
  readonly ms: number
  readonly txHash: string | null
}

interface Block {
  readonly seq: Seq
  readonly throughSeq: Seq
  readonly ms: number
}

/** A position in the order in which ends of trades are published. */
interface EndPlace {
  readonly seq: Seq
  readonly tradeSeq: Seq
  readonly place: number
}

/** An event with its position among those of its command; the ends of a command come last. */
type Found = MissedEvent & { readonly at: number }

const NOTHING = { index: 0, tradeSeq: 0, height: 0, ms: 0, txHash: null }
const BEFORE_BLOCKS: Block = { seq: 0, throughSeq: 0, ms: 0 }

class MissedEvents {
  readonly #floor: () => StoredFloor
  readonly #applied: Statement<[], { seq: Seq }>
  readonly #newest: Statement<[AccountId], { number: number }>
  readonly #event: Statement<[number], Row>
  readonly #exception: Statement<[Seq], End>
  readonly #covering: Statement<[Seq], End>
  readonly #newestBlock: Statement<[], { height: number }>
  readonly #block: Statement<[number], Block>
  readonly #place: Statement<[Seq, Seq, Seq, Seq], { place: number }>
  readonly #orders: OrderFinder<OrderRow>
  readonly ofOneState: (params: MissedParams) => Missed

  constructor(connection: Connection) {
    this.#applied = connection.prepare(APPLIED)
    this.#floor = openFloor(connection)
    this.#newest = connection.prepare(NEWEST)
    this.#event = connection.prepare(EVENT)
    this.#exception = connection.prepare(EXCEPTION)
    this.#covering = connection.prepare(COVERING)
    this.#newestBlock = connection.prepare(NEWEST_BLOCK)
    this.#block = connection.prepare(BLOCK)
    this.#place = connection.prepare(PLACE)
    this.#orders = new OrderFinder(connection, ORDER_COLUMNS)
    this.ofOneState = connection.transaction((params: MissedParams) => {
      const seq = this.#applied.get()?.seq ?? 0
      return { seq, events: this.#events(params, seq) }
    })
  }

  #events(params: MissedParams, seq: Seq): Missed['events'] {
    const { accountId, after } = params
    const placedSeq = after.kind === 'number' ? 0 : this.#placedSeqOf(accountId, after)
    const fromSeq = seqOf(after, placedSeq ?? 0)
    if (placedSeq === null || fromSeq > seq) return 'unknown'
    const ends = params.afterEnd === null ? this.#late(fromSeq, params.lateMs) : this.#since(params)
    if (ends === null) return 'unknownEnd'
    // A trade of the old history ended long ago.
    const tradesFrom = Math.max(ends.tradesFrom, this.#floor().eventsSeq + 1)
    const rows = this.#rows(params, Math.min(fromSeq, tradesFrom))
    if (rows === 'many') return 'many'
    const reported = isAfter(after, placedSeq, ownEvents(rows))
    if (reported === null) return 'unknown'
    const ended = this.#ended(rows, ends.place)
    const all = [...reported, ...ended].sort((a, b) => a.seq - b.seq || a.at - b.at)
    return all.length > params.eventsMax ? 'many' : all.map(({ at: _at, ...event }) => event)
  }

  /** null if the account has no such order. */
  #placedSeqOf(accountId: AccountId, { slot, generation }: OrderAt): Seq | null {
    const order = this.#orders.bySlot(slot, generation)
    return order?.accountId === accountId ? order.placedSeq : null
  }

  /** The account's rows from a seq on, oldest first. */
  #rows({ accountId, rowsMax }: MissedParams, fromSeq: Seq): Row[] | 'many' {
    const rows: Row[] = []
    const floor = this.#floor()
    let number = this.#newest.get(accountId)?.number ?? 0
    while (number > 0) {
      const row = this.#event.get(number)
      if (row !== undefined && row.seq < fromSeq) break
      if (row === undefined && fromSeq > floor.seq) break
      // Old history is gone, or goes before the caller reads what the event refers to.
      if (row === undefined || row.seq <= floor.eventsSeq) return 'many'
      if (rows.length === rowsMax) return 'many'
      rows.push(row)
      number -= row.back
    }
    return rows.reverse()
  }

  /** Ends after the given one. null if the account has no such end. */
  #since({ accountId, afterEnd }: MissedParams): { place: EndPlace; tradesFrom: Seq } | null {
    if (afterEnd === null) return null
    const { tradeSeq } = afterEnd
    const placedSeq = this.#placedSeqOf(accountId, afterEnd)
    if (placedSeq === null) return null
    const part = this.#place.get(tradeSeq, placedSeq, tradeSeq, placedSeq)
    const end = this.#exception.get(tradeSeq) ?? this.#covering.get(tradeSeq)
    if (part === undefined || end === undefined) return null
    const before = this.#blockBefore(({ seq }) => seq < end.seq)
    const place = { seq: end.seq, tradeSeq, place: part.place }
    return { place, tradesFrom: before.throughSeq + 1 }
  }

  /** Ends that may have been published after the event of this seq. */
  #late(seq: Seq, lateMs: number): { place: EndPlace; tradesFrom: Seq } {
    const newest = this.#blockBefore((block) => block.seq <= seq)
    const before = this.#blockBefore(({ ms }) => ms < newest.ms - lateMs)
    const place = { seq: before.seq, tradeSeq: Number.MAX_SAFE_INTEGER, place: 0 }
    return { place, tradesFrom: before.throughSeq + 1 }
  }

  /** The newest block that passes the test; all earlier blocks pass it too. */
  #blockBefore(holds: (block: Block) => boolean): Block {
    let found = BEFORE_BLOCKS
    let low = 1
    let high = this.#newestBlock.get()?.height ?? 0
    while (low <= high) {
      const middle = Math.floor((low + high) / 2)
      const block = this.#block.get(middle) ?? BEFORE_BLOCKS
      if (holds(block)) {
        found = block
        low = middle + 1
      } else high = middle - 1
    }
    return found
  }

  #ended(rows: readonly Row[], after: EndPlace): Found[] {
    return rows.flatMap((row) => {
      const found = this.#endOf(row)
      if (found === null) return []
      const isLater =
        found.seq - after.seq || found.tradeSeq - after.tradeSeq || found.place - after.place
      return isLater > 0 ? [found] : []
    })
  }

  /** null for an event without an end, and for a trade still waiting for its end. */
  #endOf(row: Row): Found | null {
    const { kind, placedSeq } = row
    const isLate = kind === SETTLED
    if (!isLate && !isTraded(kind)) return null
    const tradeSeq = isLate ? row.remainingRaw : row.seq
    const exception = this.#exception.get(tradeSeq)
    if (!isLate && exception !== undefined) return null
    const end = exception ?? this.#covering.get(tradeSeq)
    if (end === undefined) return null
    const place = isLate || kind === UPDATED ? row.place : TAKER_PLACE
    const { seq, height, ms, txHash } = end
    const of = { seq, placedSeq, kind: SETTLED, remainingRaw: 0, place, index: 0, tradeSeq, ms }
    // In the order of trades and of their parts, however many there are.
    return { ...of, what: 'ENDED', height: height ?? 0, txHash, at: tradeSeq }
  }
}

/** An EXECUTION is in the command that placed its order, or in a later one. */
function seqOf(after: EventMark, placedSeq: Seq): Seq {
  if (after.kind === 'number') return after.seq
  return after.kind === 'matched' ? after.tradeSeq : placedSeq
}

/** The immediate events of rows; a fill has two. */
function ownEvents(rows: readonly Row[]): Found[] {
  let seq = 0
  let index = 0
  return rows.flatMap((row): Found[] => {
    if (row.kind === SETTLED) return []
    if (row.seq !== seq) index = 0
    seq = row.seq
    const isLast = !isNumbered(row.kind)
    const own = { ...NOTHING, seq, placedSeq: row.placedSeq, remainingRaw: row.remainingRaw }
    const at = isLast ? Number.MAX_SAFE_INTEGER : index
    const { kind, place } = row
    const event: Found = { ...own, what: 'ORDER', kind, place, index, at }
    if (!isLast) index++
    if (!isTraded(kind)) return [event]
    const of = { ...own, kind, tradeSeq: seq, what: 'MATCHED' as const }
    // A maker first receives its remainder, a taker first its trade.
    if (kind === UPDATED) return [event, { ...of, place, at: at + 0.5 }]
    return [{ ...of, place: TAKER_PLACE, at: isLast ? at : at - 0.5 }, event]
  })
}

/** The events after the given one; null if it is missing. */
function isAfter(after: EventMark, placedSeq: Seq, events: readonly Found[]): Found[] | null {
  if (after.kind === 'number') {
    return events.filter(({ seq, at }) => (seq - after.seq || at - after.index) > 0)
  }
  const place = events.findIndex(({ what, kind, seq, placedSeq: of }) => {
    if (of !== placedSeq) return false
    if (after.kind === 'matched') return what === 'MATCHED' && seq === after.tradeSeq
    return what === 'ORDER' && isEnd(kind)
  })
  return place < 0 ? null : events.slice(place + 1)
}

/** The events of an account that its client missed. */
export const missedEvents = query({
  name: 'missedEvents',
  prepare: (db) => new MissedEvents(db),
  run: (missed, params: MissedParams): Missed => missed.ofOneState(params),
  rests: ({ accountId }) => ({ owner: accountId }),
})
