// The one workload of all benches and of the tests that need load. It is seeded, so every contender
// and every run sees the same orders: 55% adds, 35% cancels, 10% marketable, around a steady number
// of live orders. A cancel always names a live order, self-trades happen, and prices walk. A
// seventh of the cancels are expiries of their targets.

import { OUTCOME, SIDE, STP } from '../../engine/domain/order.ts'
import { Random } from '../../test/support/random.ts'
import { PlainBook, type PlainEvent } from './plain-book.ts'

export interface WorkloadOptions {
  readonly seed: number
  /** Live orders over all books, approximately. */
  readonly live: number
  readonly books: number
  readonly accounts: number
  /** Operations after the books are filled. */
  readonly ops: number
}

export const OP = { PLACE: 0, CANCEL: 1 } as const
export const GTC = 0
const FAK = 1
const ADDS = 0.55
const CANCELS = 0.35
/** Self-trade policies as they occur: most orders take the default. */
const POLICIES = [...Array(8).fill(STP.CANCEL_MAKER), STP.CANCEL_TAKER, STP.CANCEL_BOTH]
/**
 * The order whose expiry is row r expires r seconds after this. No clock reaches this time by
 * itself.
 */
const EXPIRIES_SEC = 1_990_000_000
/** Later than the expiries of every run. */
const FAR_SEC = 2_010_000_000
const CANCELS_PER_EXPIRY = 7
/** The range of the mid price. */
const MID = { low: 300, high: 700 } as const

/** Operations as columns, all blank. */
function blankWorkload(options: WorkloadOptions) {
  const rows = options.live + options.ops
  const survivors: number[] = []
  return {
    options,
    count: rows,
    /** The first row after the books are filled. */
    filled: 0,
    /** Rows of the orders that live at the end. */
    survivors,
    /** Fills that every correct book makes after the books are filled. */
    fills: 0,
    filledRaw: 0,
    slotsMax: 0,
    op: new Uint8Array(rows),
    /** Books count from 1, as markets do. */
    book: new Uint16Array(rows),
    owner: new Uint16Array(rows),
    side: new Uint8Array(rows),
    outcome: new Uint8Array(rows),
    orderType: new Uint8Array(rows),
    postOnly: new Uint8Array(rows),
    stp: new Uint8Array(rows),
    /** Ladder price. */
    ticks: new Uint16Array(rows),
    sizeRaw: new Float64Array(rows),
    expirationSec: new Float64Array(rows),
    /** Row of the order that a CANCEL names. */
    target: new Int32Array(rows),
    /**
     * 1 where a CANCEL is its target's expiry. No other order that lives then expires earlier. A
     * contender without a clock treats it as any other cancel.
     */
    isExpiry: new Uint8Array(rows),
    /**
     * Slots of a table that reuses the last freed slot first. A CANCEL has its target's slot.
     */
    slot: new Int32Array(rows),
    generation: new Int32Array(rows),
  }
}

export type Workload = ReturnType<typeof blankWorkload>

export function workloadOf(options: WorkloadOptions): Workload {
  const work = blankWorkload(options)
  new Generator(work).run()
  return work
}

export function isBid({ side, outcome }: Workload, row: number): boolean {
  return side[row] === outcome[row]
}
/** Rows of live orders. Picking a random one and removing one take constant time. */
class LiveRows {
  readonly rows: number[] = []
  readonly #at = new Map<number, number>()

  add(row: number): void {
    this.#at.set(row, this.rows.length)
    this.rows.push(row)
  }

  remove(row: number): void {
    const at = this.#at.get(row)
    if (at === undefined) return
    this.#at.delete(row)
    const last = this.rows.pop()
    if (last === undefined || last === row) return
    this.rows[at] = last
    this.#at.set(last, at)
  }
}

class Generator {
  readonly #work: Workload
  readonly #random: Random
  readonly #books: PlainBook[] = []
  readonly #live: LiveRows[] = []
  readonly #mid: number[] = []
  readonly #freeSlots: number[] = []
  readonly #generations: number[] = []
  #row = 0
  #liveCount = 0

  constructor(work: Workload) {
    this.#work = work
    this.#random = new Random(work.options.seed)
    for (let book = 0; book <= work.options.books; book++) {
      this.#books.push(new PlainBook())
      this.#live.push(new LiveRows())
      this.#mid.push((MID.low + MID.high) / 2)
    }
  }

  run(): void {
    const work = this.#work
    const { live, books } = work.options
    while (this.#row < live) this.#add(1 + this.#random.below(books))
    work.filled = live
    work.fills = 0
    work.filledRaw = 0
    while (this.#row < work.count) this.#step(1 + this.#random.below(books))
    work.survivors = this.#live.flatMap((each) => each.rows)
  }

  #step(book: number): void {
    const dice = this.#random.next()
    this.#walk(book)
    if (dice < ADDS) this.#add(book)
    else if (dice >= ADDS + CANCELS) this.#take(book)
    else if (this.#live[book].rows.length > 0) this.#cancel(book)
    else this.#add(book)
  }

  #walk(book: number): void {
    if (!this.#random.chance(0.02)) return
    const mid = this.#mid[book] + (this.#random.chance(0.5) ? 1 : -1)
    this.#mid[book] = Math.max(MID.low, Math.min(MID.high, mid))
  }

  /** Adds an order that rests: its price stays away from the other side. */
  #add(book: number): void {
    const isBid = this.#random.chance(0.5)
    const distance = 1 + Math.min(60, Math.floor(-Math.log(1 - this.#random.next()) * 8))
    const { bestBid, bestAsk } = this.#books[book]
    const wanted = this.#mid[book] + (isBid ? -distance : distance)
    const ticks = isBid ? Math.min(wanted, bestAsk - 1) : Math.max(wanted, bestBid + 1)
    this.#work.postOnly[this.#row] = this.#random.chance(0.2) ? 1 : 0
    this.#work.expirationSec[this.#row] = this.#random.chance(0.1) ? FAR_SEC : 0
    this.#place(book, { isBid, ticks, sizeRaw: this.#size(), orderType: GTC })
  }

  /**
   * Adds an order that takes about two makers: more when too many orders live, fewer when too few.
   */
  #take(book: number): void {
    const isBid = this.#random.chance(0.5)
    const makers = 1 + this.#random.below(this.#liveCount > this.#work.options.live ? 6 : 2)
    let sizeRaw = 0
    for (let maker = 0; maker < makers; maker++) sizeRaw += this.#size()
    // The price stays near the mid: when the other side is empty, an order must not rest far away.
    const { bestBid, bestAsk } = this.#books[book]
    const mid = this.#mid[book]
    const ticks = isBid ? Math.min(bestAsk, mid + 60) + 20 : Math.max(bestBid, mid - 60) - 20
    const orderType = this.#random.chance(0.7) ? FAK : GTC
    this.#place(book, { isBid, ticks, sizeRaw, orderType })
  }

  #size(): number {
    return this.#random.between(1000, 100_000) * 1000
  }

  #place(
    book: number,
    order: { isBid: boolean; ticks: number; sizeRaw: number; orderType: number },
  ): void {
    const row = this.#row++
    const work = this.#work
    const { isBid, ticks, sizeRaw, orderType } = order
    work.op[row] = OP.PLACE
    work.book[row] = book
    work.owner[row] = 1 + this.#random.below(work.options.accounts)
    work.side[row] = this.#random.chance(0.6) ? SIDE.BUY : SIDE.SELL
    work.outcome[row] = isBid ? work.side[row] : OUTCOME.NO - work.side[row]
    work.orderType[row] = orderType
    work.stp[row] = this.#random.pick(POLICIES)
    work.ticks[row] = ticks
    work.sizeRaw[row] = sizeRaw
    const slot = this.#freeSlots.pop() ?? ++work.slotsMax
    work.slot[row] = slot
    this.#generations[slot] = (this.#generations[slot] ?? 0) + 1
    work.generation[row] = this.#generations[slot]
    const rests = orderType === GTC
    const [owner, stp] = [work.owner[row], work.stp[row]]
    this.#track(
      book,
      this.#books[book].place({ id: row, owner, isBid, ticks, sizeRaw, rests, stp }),
    )
  }

  #cancel(book: number): void {
    const row = this.#row++
    const target = this.#random.pick(this.#live[book].rows)
    this.#work.op[row] = OP.CANCEL
    this.#work.book[row] = book
    this.#work.owner[row] = this.#work.owner[target]
    this.#work.target[row] = target
    if (row % CANCELS_PER_EXPIRY === 0) {
      this.#work.isExpiry[row] = 1
      this.#work.expirationSec[target] = EXPIRIES_SEC + row
    }
    this.#work.slot[row] = this.#work.slot[target]
    this.#work.generation[row] = this.#work.generation[target]
    this.#track(book, this.#books[book].cancel(target))
  }

  #track(book: number, events: readonly PlainEvent[]): void {
    for (const { kind, id, sizeRaw, leftRaw } of events) {
      if (kind === 'fill') {
        this.#work.fills++
        this.#work.filledRaw += sizeRaw
      }
      if (kind === 'rested') {
        this.#live[book].add(id)
        this.#liveCount++
      } else if (kind === 'done') this.#freeSlots.push(this.#work.slot[id])
      else if (kind !== 'fill' || leftRaw === 0) this.#ended(book, id)
    }
  }

  #ended(book: number, id: number): void {
    this.#live[book].remove(id)
    this.#liveCount--
    this.#freeSlots.push(this.#work.slot[id])
  }
}
