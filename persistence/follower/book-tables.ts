import type { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Arrival, CancelOrders, Command, DecreaseOrder } from '../../engine/domain/command.ts'
import {
  CANCEL_REASONS,
  EVENT,
  eventAt,
  eventCode,
  eventKind,
  eventLeftRaw,
  eventSizeRaw,
  eventSlot,
  eventTicks,
  MAKER,
} from '../../engine/domain/event.ts'
import type { AccountId, Slot } from '../../engine/domain/ids.ts'
import { decodePlaceTail } from '../../engine/wire/place-codec.ts'
import type { Connection } from '../database.ts'
import { Backlog, type WriteLate } from './tables/orders/backlog.ts'
import { LATE, type LateCommand, PART } from './tables/orders/late-rows.ts'
import { OrderEventsTable } from './tables/orders/order-events.ts'
import { OrdersTable } from './tables/orders/orders.ts'
import type { Pace } from './tables/pace.ts'
import { type FillListeners, TradesTable } from './tables/trades.ts'

// The tables derived from events of books: orders, trades and the owners' order events. It also
// decides which rows of a command are late (tables/orders/backlog.ts).

const BY_USER = CANCEL_REASONS.indexOf('USER')
const REPLACED = CANCEL_REASONS.indexOf('REPLACED')

interface MakerFill {
  readonly sizeRaw: number
  readonly leftRaw: number
  readonly isClosed: boolean
  readonly yesTicks: number
}

/** Events of one command, as emitted by the books. */
interface Events {
  readonly words: Int32Array
  readonly f64s: Float64Array
  readonly count: number
}

interface BookTablesParts {
  readonly connection: Connection
  readonly orders: OrderTable
  readonly listeners: FillListeners
  /** Order ends that a chunk writes directly. */
  readonly directEndsMax: number
}

export class BookTables {
  readonly backlog: Backlog
  readonly orders: OrdersTable
  readonly trades: TradesTable
  readonly events: OrderEventsTable
  readonly #world: OrderTable
  /** Common fields of the current command's late rows; null before the first. */
  #late: LateCommand | null = null

  constructor({ connection, orders, listeners, directEndsMax }: BookTablesParts) {
    this.#world = orders
    this.backlog = new Backlog(connection, directEndsMax)
    this.orders = new OrdersTable(connection, orders, this.backlog)
    this.trades = new TradesTable(connection, orders, listeners)
    const late = { backlog: this.backlog, writeLate: this.#writeLate }
    this.events = new OrderEventsTable(connection, orders, late)
  }

  /** `record` is the command's record if the command is an order. */
  happened(command: Command, record: Uint8Array, events: Events): void {
    if (command.kind === 'placeOrder' || command.kind === 'releaseOrder') {
      this.#ofArrival(command, record, events)
    } else if (command.kind === 'cancelOrders') this.#ofCancel(command, events)
    else if (command.kind === 'decreaseOrder') this.#ofDecrease(command, events)
  }

  /** Writes one page of the backlog inside a transaction; pages of these owners come first. */
  writePage(wanted: readonly AccountId[], pace: Pace): void {
    this.backlog.writePage(wanted, pace, this.#writeLate)
    this.events.flushNewest(pace)
    this.orders.names.flush(pace)
  }

  #ofArrival(order: Arrival, record: Uint8Array, events: Events): void {
    const { words, f64s } = events
    for (let index = 0; index < events.count; index++) {
      const event = eventAt(0, index)
      const code = eventCode(words, event)
      const slot = eventSlot(words, event)
      const sizeRaw = eventSizeRaw(f64s, event)
      const leftRaw = eventLeftRaw(f64s, event)
      const kind = eventKind(words, event)
      switch (kind) {
        case EVENT.FILL: {
          const isClosed = code === MAKER.CLOSED
          const yesTicks = eventTicks(words, event)
          this.#makerFilled(order, slot, { sizeRaw, leftRaw, isClosed, yesTicks })
          break
        }
        case EVENT.STP_CANCEL:
          if (this.backlog.isLate()) {
            const kind = LATE.SELF_TRADED
            const end = { kind, slot, sizeRaw: 0, leftRaw, ticks: 0, place: index }
            this.events.endedLate(end, this.#lateOf(order))
            break
          }
          this.orders.selfTraded(order, slot, leftRaw, index)
          this.events.canceled(slot, leftRaw, order.seq)
          break
        case EVENT.DONE: {
          const moved = this.trades.done(order)
          if (slot === 0) break
          this.#arrived(order, record, { result: code, filledRaw: sizeRaw, leftRaw, ...moved })
          break
        }
        case EVENT.CANCELED:
          this.orders.canceled(slot, leftRaw, REPLACED, order)
          this.events.canceled(slot, leftRaw, order.seq)
          break
        case EVENT.DECREASED:
        case EVENT.NOT_OPEN:
          break
        default:
          kind satisfies never
      }
    }
  }

  #makerFilled(order: Arrival, slot: Slot, fill: MakerFill): void {
    const { sizeRaw, leftRaw, yesTicks } = fill
    const isLate = fill.isClosed && this.backlog.isLate()
    const collateralRaw = this.trades.filled(order, { maker: slot, sizeRaw, yesTicks, isLate })
    if (isLate) {
      const end = { kind: LATE.FILLED, slot, sizeRaw, collateralRaw, leftRaw, ticks: yesTicks }
      this.events.endedLate(end, this.#lateOf(order))
      return
    }
    const { isClosed } = fill
    this.orders.makerFilled(slot, { sizeRaw, leftRaw, isClosed, collateralRaw }, order)
    this.events.makerFilled(slot, fill, order)
  }

  #lateOf(command: Arrival | CancelOrders): LateCommand {
    const { seq, nowMs, marketId, kind } = command
    if (this.#late?.seq === seq) return this.#late
    if (kind === 'cancelOrders') {
      const { reason } = command
      this.#late = { seq, nowMs, marketId, reason, taker: null, takerPlacedSeq: null }
    } else {
      const { accountId: taker, slot } = command
      const takerPlacedSeq = kind === 'placeOrder' ? seq : this.#world.seqOf(slot)
      this.#late = { seq, nowMs, marketId, reason: null, taker, takerPlacedSeq }
    }
    return this.#late
  }

  readonly #writeLate: WriteLate = (row, page) => {
    if (page.part === PART.ORDERS) {
      this.orders.writeLate(row, page)
      return
    }
    this.orders.writeLateOwnMaker(row, page)
    this.trades.writeLate(row, page.seq)
    this.events.writeLate(row, page.seq)
  }

  #arrived(order: Arrival, record: Uint8Array, done: Parameters<OrdersTable['arrived']>[1]): void {
    this.events.arrived(order, done)
    if (order.kind === 'releaseOrder') this.orders.released(order, done)
    else this.orders.arrived(order, done, decodePlaceTail(record))
  }

  #ofDecrease(decrease: DecreaseOrder, { words, f64s, count }: Events): void {
    for (let index = 0; index < count; index++) {
      const event = eventAt(0, index)
      const kind = eventKind(words, event)
      const leftRaw = eventLeftRaw(f64s, event)
      const slot = eventSlot(words, event)
      if (kind === EVENT.DECREASED) {
        this.orders.decreased(slot, leftRaw)
        this.events.decreased(slot, leftRaw, decrease)
      } else if (kind === EVENT.CANCELED) {
        this.orders.canceled(slot, leftRaw, BY_USER, decrease)
        this.events.canceled(slot, leftRaw, decrease.seq)
      }
    }
  }

  #ofCancel(cancel: CancelOrders, events: Events): void {
    const { words, f64s } = events
    for (let index = 0; index < events.count; index++) {
      const event = eventAt(0, index)
      if (eventKind(words, event) !== EVENT.CANCELED) continue
      const leftRaw = eventLeftRaw(f64s, event)
      const slot = eventSlot(words, event)
      if (this.backlog.isLate()) {
        const left = this.#world.buysBySpend(slot) ? 0 : leftRaw
        const end = { kind: LATE.CANCELED, slot, sizeRaw: 0, leftRaw: left, ticks: 0 }
        this.events.endedLate(end, this.#lateOf(cancel))
        continue
      }
      this.orders.canceled(slot, leftRaw, cancel.reason, cancel)
      this.events.canceled(slot, leftRaw, cancel.seq)
    }
  }
}
