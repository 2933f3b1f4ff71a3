import { type OrderTable, STATE } from '../../../../engine/core/orders/order-table.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { Arrival, PlaceOrder, ReleaseOrder } from '../../../../engine/domain/command.ts'
import { RESULT } from '../../../../engine/domain/event.ts'
import type { AccountId, MarketId, OrderGroupId, Seq, Slot } from '../../../../engine/domain/ids.ts'
import { buysBySpend, ORDER_STATUSES, type OrderStatus } from '../../../../engine/domain/order.ts'
import { flagBits } from '../../../../engine/domain/order-flags.ts'
import type { PlaceTail } from '../../../../engine/wire/place-codec.ts'
import type { Connection, Statement } from '../../../database.ts'
import { clientIdName, hashName, listName, slotName } from '../accounts/names.ts'
import { eachPaced, type Pace } from '../pace.ts'
import type { Backlog } from './backlog.ts'
import { LATE, type LateCommand, type Row as LateRow } from './late-rows.ts'
import { OrderNames } from './order-names.ts'

// One immutable row of terms per stored order, and a row of state once it traded or ended. An
// untouched resting order has no state row: the view `orders` derives it from its terms. State rows
// are small and adjacent, so the many orders that end in a chunk change few pages. A chunk writes a
// row once, however often the order changed.
//
// The terms are written when the order arrives, not when it ends: so one table answers for every
// order at every seq, and fills find their makers. The cost was never the row but the pages: keys
// in random order (order-names.ts), and terms rewritten with each state.
//
// Invariants: an order has at most one unwritten change; `#bySlot` has the changes of orders that
// still have their slot, and is empty between chunks.

function numberOf(status: OrderStatus): number {
  return ORDER_STATUSES.indexOf(status)
}

const LIVE = numberOf('LIVE')
const MATCHED = numberOf('MATCHED')
const CANCELED = numberOf('CANCELED')
const UNMATCHED = numberOf('UNMATCHED')

const INSERT = `
INSERT INTO order_terms (placed_seq, slot, generation, owner, market_id, side, outcome, order_type,
  market_form, flags, price_ticks, size_raw, spend_raw, placed_ms, client_order_id,
  hash_high, hash_low, signature_type, expiration_sec, signed_fee_bps, fee_bps, order_group,
  held_until_ms, placed_raw)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
/** An order with a reversed fill ends as canceled, however it ends (rules §5.2). */
const PUT_STATE = `
INSERT INTO order_states (placed_seq, status, filled_raw, collateral_raw, fee_raw, remaining_raw,
  last_trade_seq, ended_ms, cancel_reason, is_held)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  status = iif(undone_raw > 0 AND excluded.status <> ${LIVE}, ${CANCELED}, excluded.status),
  filled_raw = filled_raw + excluded.filled_raw,
  collateral_raw = collateral_raw + excluded.collateral_raw,
  fee_raw = fee_raw + excluded.fee_raw, remaining_raw = excluded.remaining_raw,
  last_trade_seq = coalesce(excluded.last_trade_seq, last_trade_seq),
  ended_ms = excluded.ended_ms, cancel_reason = excluded.cancel_reason, is_held = excluded.is_held
RETURNING status`
const INSERT_LIVE = 'INSERT INTO live_orders (owner, market_id, placed_seq) VALUES (?, ?, ?)'
const DELETE_LIVE = 'DELETE FROM live_orders WHERE owner = ? AND market_id = ? AND placed_seq = ?'

/** Makers that self-trade prevention canceled for an arrival of their owner, in that order. */
const INSERT_OWN_MAKER =
  'INSERT INTO own_makers (taker_placed_seq, position, maker_placed_seq) VALUES (?, ?, ?)'

/** `cancel_reason` of orders ended by self-trade prevention. Other values index CANCEL_REASONS. */
export const SELF_TRADE_REASON = { MAKER: 100, TAKER: 101 } as const

interface Change {
  readonly placedSeq: Seq
  readonly owner: AccountId
  readonly marketId: MarketId
  status: number
  /** Totals of the trades since the last flush; the fee is a taker's. */
  filledRaw: number
  collateralRaw: number
  feeRaw: number
  remainingRaw: number
  /** The seq of the newest trade since the last flush; null if none. */
  tradeSeq: Seq | null
  endedMs: number | null
  /** The command that ended the order; null while it is live. */
  endedSeq: Seq | null
  cancelReason: number | null
  /** When an order that was held on arrival may enter its market; null if it was not held. */
  readonly heldUntilMs: number | null
  /** Shares of a replacement that were placed; null for other orders. */
  readonly placedRaw: number | null
  /** Whether its state does not follow from its terms, although it may not have traded. */
  isChanged: boolean
  /** Whether the taker delay holds it. */
  isHeld: boolean
  /** Further columns of a new row; null if the table already has the row. */
  placed: NewOrder | null
}

type Sizes = [filledRaw: number, collateralRaw: number, feeRaw: number, remainingRaw: number]

interface NewOrder extends OrderKeys {
  readonly columns: Placed
}

/** The fields from which an order's names are derived. */
type OrderKeys = Pick<
  PlaceOrder,
  'slot' | 'generation' | 'accountId' | 'hashHigh' | 'hashLow' | 'clientOrderId'
>

/** Values fixed at placement, in the column order of INSERT after `placed_seq`. */
type Placed = readonly [
  ...fixed: readonly [number, number, number, number, number, number, number, number, number],
  ...terms: readonly [number, number, number, number],
  clientOrderId: string | null,
  hashHigh: number,
  hashLow: number,
  signatureType: number,
  expirationSec: number,
  signedFeeBps: number,
  feeBps: number,
  orderGroup: OrderGroupId | null,
]

function placedOf(order: PlaceOrder, tail: PlaceTail): NewOrder {
  const { slot, generation, accountId, hashHigh, hashLow, clientOrderId } = order
  const columns = columnsOf(order, tail)
  return { slot, generation, accountId, hashHigh, hashLow, clientOrderId, columns }
}

function columnsOf(order: PlaceOrder, tail: PlaceTail): Placed {
  return [
    order.slot,
    order.generation,
    order.accountId,
    order.marketId,
    order.side,
    order.outcome,
    order.orderType,
    order.marketForm ? 1 : 0,
    flagBits(order),
    order.priceTicks,
    order.sizeRaw,
    order.spendRaw,
    order.nowMs,
    order.clientOrderId === '' ? null : order.clientOrderId,
    signedHalf(order.hashHigh),
    signedHalf(order.hashLow),
    tail.signatureType,
    order.expirationSec,
    tail.signedFeeBps,
    order.feeBps,
    order.orderGroup === 0 ? null : order.orderGroup,
  ]
}

/** The DONE event of an arrival: its code, the remaining size, and its trade's totals. */
interface Done {
  readonly result: number
  readonly filledRaw: number
  readonly collateralRaw: number
  readonly feeRaw: number
  readonly leftRaw: number
}

/** Half of a hash as stored in the table: SQLite stores signed 32 bits in four bytes. */
export function signedHalf(half: number): number {
  return half | 0
}

export class OrdersTable {
  readonly #insert: Statement<unknown[]>
  readonly #putState: Statement<
    [Seq, number, ...Sizes, Seq | null, number | null, number | null, number],
    { status: number }
  >
  readonly #insertLive: Statement<[AccountId, MarketId, Seq]>
  readonly #deleteLive: Statement<[AccountId, MarketId, Seq]>
  readonly #insertOwnMaker: Statement<[number, number, number]>
  readonly #orders: OrderTable
  /** Written after all tables that add names. */
  readonly names: OrderNames
  readonly #bySlot = new Map<number, Change>()
  #changes: Change[] = []
  #ownMakers: [takerPlacedSeq: Seq, position: number, makerPlacedSeq: Seq][] = []

  constructor(connection: Connection, orders: OrderTable, backlog: Backlog) {
    this.#insert = connection.prepare(INSERT)
    this.#putState = connection.prepare(PUT_STATE)
    this.#insertOwnMaker = connection.prepare(INSERT_OWN_MAKER)
    this.#insertLive = connection.prepare(INSERT_LIVE)
    this.#deleteLive = connection.prepare(DELETE_LIVE)
    this.#orders = orders
    this.names = new OrderNames(connection, backlog)
  }

  /**
   * Adds an order that its market stored, with the code of its DONE event and its record's tail.
   */
  arrived(order: PlaceOrder, done: Done, tail: PlaceTail): void {
    const { result, filledRaw, collateralRaw, feeRaw, leftRaw } = done
    if (result === RESULT.WOULD_CROSS || result === RESULT.NOT_PLACED) return
    const status = statusOf(result, filledRaw)
    const change: Change = {
      placedSeq: order.seq,
      owner: order.accountId,
      marketId: order.marketId,
      status,
      filledRaw,
      collateralRaw,
      feeRaw,
      remainingRaw: remainingOf(order, leftRaw),
      tradeSeq: filledRaw > 0 ? order.seq : null,
      endedMs: status === LIVE ? null : order.nowMs,
      endedSeq: status === LIVE ? null : order.seq,
      cancelReason: status === CANCELED ? SELF_TRADE_REASON.TAKER : null,
      heldUntilMs: result === RESULT.HELD ? order.nowMs + order.takerDelayMs : null,
      placedRaw: order.replacedSlot === 0 ? null : filledRaw + leftRaw,
      isChanged: order.replacedSlot !== 0,
      isHeld: result === RESULT.HELD,
      placed: placedOf(order, tail),
    }
    this.#changes.push(change)
    if (status === LIVE) this.#bySlot.set(order.slot, change)
  }

  /** A held order was released. Its market answers as for a new order (rules §4.3). */
  released(order: ReleaseOrder, done: Done): void {
    const { result, filledRaw, collateralRaw, feeRaw, leftRaw } = done
    const status = statusOf(result, filledRaw)
    const change = this.#changeOf(order.slot)
    change.filledRaw += filledRaw
    change.collateralRaw += collateralRaw
    change.feeRaw += feeRaw
    change.remainingRaw = remainingOf(order, leftRaw)
    if (filledRaw > 0) change.tradeSeq = order.seq
    if (status === CANCELED) change.cancelReason = SELF_TRADE_REASON.TAKER
    change.isChanged = true
    change.isHeld = false
    if (status !== LIVE) this.#ended(order.slot, change, status, order)
  }

  makerFilled(
    slot: Slot,
    fill: { sizeRaw: number; collateralRaw: number; leftRaw: number; isClosed: boolean },
    by: Arrival,
  ): void {
    const change = this.#changeOf(slot)
    change.filledRaw += fill.sizeRaw
    change.collateralRaw += fill.collateralRaw
    change.tradeSeq = by.seq
    change.remainingRaw = fill.leftRaw
    if (fill.isClosed) this.#ended(slot, change, MATCHED, by)
  }

  /** Its owner took shares off the order (rules §4.10). */
  decreased(slot: Slot, leftRaw: number): void {
    const change = this.#changeOf(slot)
    change.remainingRaw = leftRaw
    change.isChanged = true
    change.isHeld = this.#orders.stateOf(slot) === STATE.HELD
  }

  canceled(slot: Slot, leftRaw: number, reason: number, by: Ending): void {
    const change = this.#changeOf(slot)
    const bySpend = this.#orders.buysBySpend(slot)
    change.remainingRaw = bySpend ? 0 : leftRaw
    change.cancelReason = reason
    this.#ended(slot, change, CANCELED, by)
  }

  /**
   * Self-trade prevention canceled a maker of the same owner for the arrival `taker`; `position` is
   * its index among the events of the arrival.
   */
  selfTraded(taker: Arrival, maker: Slot, leftRaw: number, position: number): void {
    const takerSeq = taker.kind === 'placeOrder' ? taker.seq : this.#orders.seqOf(taker.slot)
    this.#ownMakers.push([takerSeq, position, this.#orders.seqOf(maker)])
    this.canceled(maker, leftRaw, SELF_TRADE_REASON.MAKER, taker)
  }

  /** Writes the late end of an order. */
  writeLate(row: LateRow, { seq, nowMs, marketId, reason }: LateCommand): void {
    const { kind, owner, placedSeq, sizeRaw, collateralRaw, leftRaw } = row
    const isFill = kind === LATE.FILLED
    const isOwn = kind === LATE.SELF_TRADED
    this.#write({
      placedSeq,
      owner,
      marketId,
      status: isFill ? MATCHED : CANCELED,
      filledRaw: sizeRaw,
      collateralRaw,
      feeRaw: 0,
      remainingRaw: leftRaw,
      tradeSeq: isFill ? seq : null,
      endedMs: nowMs,
      endedSeq: seq,
      cancelReason: isOwn ? SELF_TRADE_REASON.MAKER : reason,
      heldUntilMs: null,
      placedRaw: null,
      isChanged: false,
      isHeld: false,
      placed: null,
    })
  }

  writeLateOwnMaker({ kind, placedSeq, place }: LateRow, { takerPlacedSeq }: LateCommand): void {
    if (kind !== LATE.SELF_TRADED) return
    assert(takerPlacedSeq !== null, 'self-trade prevention acts for an arrival')
    this.#insertOwnMaker.run(takerPlacedSeq, place, placedSeq)
  }

  /** Writes the changes since the last flush. Runs inside the chunk's transaction. */
  flush(pace: Pace): void {
    eachPaced(this.#changes, pace, (change) => this.#write(change))
    eachPaced(this.#ownMakers, pace, (pair) => this.#insertOwnMaker.run(...pair))
    this.#changes = []
    this.#ownMakers = []
    this.#bySlot.clear()
  }

  #ended(slot: Slot, change: Change, status: number, by: Ending): void {
    change.status = status
    change.isHeld = false
    change.endedMs = by.nowMs
    change.endedSeq = by.seq
    // The next order in this slot has a different row.
    this.#bySlot.delete(slot)
  }

  #changeOf(slot: Slot): Change {
    const known = this.#bySlot.get(slot)
    if (known !== undefined) return known
    const change: Change = {
      placedSeq: this.#orders.seqOf(slot),
      owner: this.#orders.accountOf(slot),
      marketId: this.#orders.marketOf(slot),
      status: LIVE,
      filledRaw: 0,
      collateralRaw: 0,
      feeRaw: 0,
      remainingRaw: 0,
      tradeSeq: null,
      endedMs: null,
      endedSeq: null,
      cancelReason: null,
      heldUntilMs: null,
      placedRaw: null,
      isChanged: false,
      isHeld: false,
      placed: null,
    }
    this.#changes.push(change)
    this.#bySlot.set(slot, change)
    return change
  }

  #write(change: Change): void {
    const { placedSeq, owner, marketId, status, tradeSeq, endedSeq, placed } = change
    if (placed !== null) {
      this.#insert.run(placedSeq, ...placed.columns, change.heldUntilMs, change.placedRaw)
      this.#name(placedSeq, placed)
      if (status === LIVE) this.#insertLive.run(owner, marketId, placedSeq)
      if (status === LIVE && tradeSeq === null && !change.isChanged) return
    } else if (status !== LIVE) this.#deleteLive.run(owner, marketId, placedSeq)
    const { filledRaw, collateralRaw, feeRaw, remainingRaw, endedMs, cancelReason } = change
    const sizes: Sizes = [filledRaw, collateralRaw, feeRaw, remainingRaw]
    const row = this.#putState.get(
      placedSeq,
      status,
      ...sizes,
      tradeSeq,
      endedMs,
      cancelReason,
      change.isHeld ? 1 : 0,
    )
    if (endedSeq === null) return
    assert(row !== undefined, 'an order that ended has a state')
    this.names.add(listName(owner, marketId, row.status), placedSeq, endedSeq)
  }

  #name(placedSeq: Seq, keys: OrderKeys): void {
    const { slot, generation, accountId, hashHigh, hashLow, clientOrderId } = keys
    this.names.add(slotName(slot, generation), placedSeq, placedSeq)
    this.names.add(hashName(hashHigh, hashLow), placedSeq, placedSeq)
    if (clientOrderId === '') return
    this.names.add(clientIdName(accountId, clientOrderId), placedSeq, placedSeq)
  }
}

/** The command that ended an order. */
type Ending = Pick<Arrival, 'seq' | 'nowMs'>

/** The remainder of a market buy is collateral, so no shares remain. */
function remainingOf(order: Pick<PlaceOrder, 'marketForm' | 'side'>, leftRaw: number): number {
  return buysBySpend(order.marketForm, order.side) ? 0 : leftRaw
}

/** Rules §5.1: a killed order that traded counts as matched. */
function statusOf(result: number, filledRaw: number): number {
  if (result === RESULT.RESTED || result === RESULT.HELD) return LIVE
  if (result === RESULT.STP_STOPPED) return CANCELED
  if (result === RESULT.KILLED && filledRaw === 0) return UNMATCHED
  return MATCHED
}
