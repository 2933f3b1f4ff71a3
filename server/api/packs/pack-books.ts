// The orders that price packs of the house (rules §8.2): orders that do not belong to the buyer or
// its partner and have rested for a while, minus the sizes that priced earlier packs. So nobody can
// show a price briefly, or price two packs with one order. The books are owned by the main thread.
// They are not state of the exchange: after a start no order counts as rested, and the open packs
// then use up what rests.
// Invariants: a book holds orders that had rested when it was read, best first, and oldest first
// among equal prices. An order that has left since is skipped. The used size of an order only
// grows, and is dropped with the order.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import { type LegBook, NO_BOOK, windowOf } from '../../../engine/core/packs/pack-odds.ts'
import type { Pack } from '../../../engine/core/packs/packs.ts'
import type {
  Book,
  Generation,
  MarketId,
  ProfileId,
  Seq,
  Slot,
} from '../../../engine/domain/ids.ts'
import { isBid, ladderTicks, OUTCOME } from '../../../engine/domain/order.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { PRICE_ONE_TICKS, type SizeRaw, type TimeMs } from '../../../engine/domain/units.ts'
import type { Steps } from '../reads/sliced-work.ts'

interface KeptBook {
  readMs: TimeMs
  readonly asks: BestOrders
  readonly bids: BestOrders
}

interface Used {
  readonly generation: Generation
  usedRaw: SizeRaw
}

/** An outcome of a market for a buyer; null when the buyer is unknown. */
export interface LegFor {
  readonly marketId: MarketId
  readonly outcome: number
  readonly buyerId: ProfileId | null
}

/** Orders and positions processed between two checks of the time. */
const ORDERS_PER_STEP = 256
const USED_MIN = 1024
const { orderSizeMinRaw, priceMinTicks, priceMaxTicks, windowTicks } = PACK_LIMITS

interface PackBooksParts {
  readonly clearing: Clearing
  /** A seq that was stamped at that time or before. */
  readonly seqAt: (atMs: TimeMs) => Seq
  readonly restMs: number
}

export class PackBooks {
  readonly #clearing: Clearing
  readonly #seqAt: (atMs: TimeMs) => Seq
  readonly #restMs: number
  readonly #keptMs: number
  /** In order of reading, the most recently read book last. */
  readonly #kept = new Map<MarketId, KeptBook>()
  /** Discarded books, reused by later reads so that main does not collect them as garbage. */
  readonly #spare: KeptBook[] = []
  readonly #used = new Map<Slot, Used>()
  #usedMax = USED_MIN
  readonly #firstSeq: Seq
  /** Packs that were open at the start, by the markets from which they are not subtracted yet. */
  readonly #openAtStart = new Map<MarketId, Pack[]>()

  constructor({ clearing, seqAt, restMs }: PackBooksParts) {
    this.#clearing = clearing
    this.#seqAt = seqAt
    this.#restMs = restMs
    this.#firstSeq = clearing.lastSeq
    for (const pack of clearing.packs.all()) this.#wasOpen(pack)
    // A book that is read rarely stays for at most a tenth of the resting time.
    this.#keptMs = Math.min(PACK_LIMITS.bookKeptMs, restMs / 10)
  }

  #wasOpen(pack: Pack): void {
    if (pack.makerId !== null) return
    for (const { marketId } of pack.legs) {
      const packs = this.#openAtStart.get(marketId)
      if (packs === undefined) this.#openAtStart.set(marketId, [pack])
      else packs.push(pack)
    }
  }

  /** The number of orders that are known as used, in whole or in part. */
  get usedCount(): number {
    return this.#used.size
  }

  /** Reads the books of the markets that were not read recently, a few orders per step. */
  *read(marketIds: Iterable<MarketId>, nowMs: TimeMs): Generator<void, void, void> {
    for (const marketId of marketIds) {
      const kept = this.#kept.get(marketId)
      // A clock that was set back does not extend the life of a book.
      if (kept !== undefined && Math.abs(nowMs - kept.readMs) < this.#keptMs) continue
      const book = this.#clearing.catalogue.byId(marketId)?.book ?? 0
      this.#forget(marketId)
      if (book === 0) continue
      yield* this.#readOne(marketId, book, nowMs)
    }
  }

  *#readOne(marketId: MarketId, book: Book, nowMs: TimeMs): Generator<void, void, void> {
    const { orders } = this.#clearing
    const rested = this.#seqAt(nowMs - this.#restMs)
    const sides = this.#spare.pop() ?? newBook()
    sides.asks.clear()
    sides.bids.clear()
    const rows = this.#rowsOf(book)
    let seen = 0
    for (const row of rows) {
      let slot = orders.firstOfRow(row)
      // Between two steps a row may be reused by another market.
      while (slot !== 0 && orders.bookOf(slot) === book) {
        const generation = orders.generationOf(slot)
        this.#sort(slot, rested, sides)
        seen++
        if (seen % ORDERS_PER_STEP === 0) yield
        // If the order ended meanwhile, the older ones of its row cannot be reached from here.
        if (!orders.isLive(slot, generation)) break
        slot = orders.nextOf(slot)
      }
    }
    sides.readMs = nowMs
    sides.asks.sort()
    sides.bids.sort()
    this.#keep(marketId, sides)
    if (rested >= this.#firstSeq) this.#takeOffOpen(marketId)
  }

  #rowsOf(book: Book): number[] {
    const { rowsOfBook } = this.#clearing.orders
    const rows: number[] = []
    for (let row = rowsOfBook.firstOf(book); row !== 0; row = rowsOfBook.nextOf(row)) {
      rows.push(row)
      if (rows.length === PACK_LIMITS.positionsReadMax) break
    }
    return rows
  }

  /** Adds an order that may price a leg to the side on which it rests. */
  #sort(slot: Slot, rested: Seq, sides: KeptBook): void {
    const { orders } = this.#clearing
    const seq = orders.seqOf(slot)
    if (seq > rested || orders.stateOf(slot) !== STATE.OPEN) return
    const generation = orders.generationOf(slot)
    if (this.#leftRaw(slot, generation) === 0) return
    const outcome = orders.outcomeOf(slot)
    const ticks = ladderTicks(outcome, orders.priceTicksOf(slot))
    if (isBid(orders.sideOf(slot), outcome)) {
      if (ticks <= priceMaxTicks) sides.bids.add(slot, generation, { ticks, seq })
    } else if (ticks >= priceMinTicks) sides.asks.add(slot, generation, { ticks, seq })
  }

  #keep(marketId: MarketId, book: KeptBook): void {
    // Another read of the book may have ended first.
    this.#forget(marketId)
    this.#kept.set(marketId, book)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= PACK_LIMITS.booksKeptMax) break
      this.#forget(oldest)
    }
  }

  #forget(marketId: MarketId): void {
    const book = this.#kept.get(marketId)
    if (book === undefined) return
    this.#kept.delete(marketId)
    if (this.#spare.length < PACK_LIMITS.booksKeptMax) this.#spare.push(book)
  }

  /** The packs that were open at the start, and still are, use up what rests now. */
  #takeOffOpen(marketId: MarketId): void {
    for (const { packId, legs, ownerId, payoutRaw } of this.#openAtStart.get(marketId) ?? []) {
      if (this.#clearing.packs.byId(packId) === undefined) continue
      const leg = legs.find((each) => each.marketId === marketId)
      // Each share pays one raw unit of collateral.
      const sizeRaw: number = payoutRaw
      if (leg !== undefined) this.use({ ...leg, buyerId: ownerId }, sizeRaw)
    }
    this.#openAtStart.delete(marketId)
  }

  /** What an order may still price: its open size, minus what priced packs. */
  #leftRaw(slot: Slot, generation: Generation): SizeRaw {
    const { orders } = this.#clearing
    if (!orders.isLive(slot, generation)) return 0
    const leftRaw = orders.leftRawOf(slot)
    if (leftRaw < orderSizeMinRaw) return 0
    const used = this.#used.get(slot)
    const usedRaw = used?.generation === generation ? used.usedRaw : 0
    return Math.max(0, leftRaw - usedRaw)
  }

  /**
   * Both sides of a token as they may price a leg now; empty before the book is read. At most one
   * level is included that is too far from the best ask to price anything.
   */
  bookFor(leg: LegFor): LegBook {
    if (!this.#kept.has(leg.marketId)) return NO_BOOK
    const asks = levelsOf(this.#asksFor(leg), (ticks, best) => ticks <= best + windowTicks)
    const bestAsk = asks.at(0)?.ticks ?? 0
    const bids = levelsOf(this.#bidsFor(leg), (ticks) => ticks >= bestAsk - windowTicks)
    return { asks, bids }
  }

  #asksFor({ marketId, outcome, buyerId }: LegFor) {
    const kept = this.#kept.get(marketId)
    const side = outcome === OUTCOME.YES ? kept?.asks : kept?.bids
    return this.#ordersFor(side, outcome, buyerId)
  }

  #bidsFor({ marketId, outcome, buyerId }: LegFor) {
    const kept = this.#kept.get(marketId)
    const side = outcome === OUTCOME.YES ? kept?.bids : kept?.asks
    return this.#ordersFor(side, outcome, buyerId)
  }

  /** The orders of a side that count for the buyer, with their prices of the token. */
  *#ordersFor(side: BestOrders | undefined, outcome: number, buyerId: ProfileId | null) {
    const { orders, accounts } = this.#clearing
    const { shareOwnerOf } = accounts.partners
    const owner = buyerId === null ? null : shareOwnerOf(buyerId)
    const count = side?.count ?? 0
    for (let at = 0; side !== undefined && at < count; at++) {
      const [slot, generation] = [side.slotAt(at), side.generationAt(at)]
      const sizeRaw = this.#leftRaw(slot, generation)
      if (sizeRaw === 0 || shareOwnerOf(orders.accountOf(slot)) === owner) continue
      const ticks = outcome === OUTCOME.YES ? side.ticksAt(at) : PRICE_ONE_TICKS - side.ticksAt(at)
      yield { slot, generation, ticks, sizeRaw }
    }
  }

  /** Marks this many shares of the asks as used: they price no other pack. */
  use(leg: LegFor, sizeRaw: SizeRaw): void {
    const asks = [...this.#asksFor(leg)]
    const window = windowOf(levelsOf(asks))
    const [first, last] = [window.at(0)?.ticks ?? 0, window.at(-1)?.ticks ?? 0]
    let wantedRaw = sizeRaw
    for (const { slot, generation, ticks, sizeRaw: leftRaw } of asks) {
      if (wantedRaw === 0) break
      if (ticks < first || ticks > last) continue
      const takenRaw = Math.min(wantedRaw, leftRaw)
      wantedRaw -= takenRaw
      const used = this.#used.get(slot)
      if (used?.generation === generation) used.usedRaw += takenRaw
      else this.#used.set(slot, { generation, usedRaw: takenRaw })
    }
    if (this.#used.size > this.#usedMax) this.#forgetEnded()
  }

  /** Drops ended orders each time the number of known orders may have doubled. */
  #forgetEnded(): void {
    for (const [slot, { generation }] of this.#used) {
      if (!this.#clearing.orders.isLive(slot, generation)) this.#used.delete(slot)
    }
    this.#usedMax = Math.max(USED_MIN, 2 * this.#used.size)
  }
}

function newBook(): KeptBook {
  return { readMs: 0, asks: new BestOrders('lowestFirst'), bids: new BestOrders('highestFirst') }
}

/** The levels of orders that are best first, up to the first level that is not near. */
function levelsOf(
  orders: Iterable<{ readonly ticks: number; readonly sizeRaw: SizeRaw }>,
  isNear: (ticks: number, best: number) => boolean = () => true,
) {
  const levels: { ticks: number; sizeRaw: SizeRaw }[] = []
  for (const { ticks, sizeRaw } of orders) {
    const last = levels.at(-1)
    if (last?.ticks === ticks) last.sizeRaw += sizeRaw
    else if (last !== undefined && !isNear(ticks, levels[0].ticks)) break
    else levels.push({ ticks, sizeRaw })
  }
  return levels
}

/** Runs all the steps at once. */
export function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

// The best orders of one side of a book, as many as price packs: best first, and oldest first among
// equal prices. They are stored in columns, which a later read reuses. An object per order of a
// deep book lived long enough to become garbage that only a full collection frees.

const { ordersOfSideMax } = PACK_LIMITS
/** The number of orders added before the worst are dropped. */
const ROWS = 2 * ordersOfSideMax

/** Used while one side is sorted: the indexes of its orders, and a column in its new order. */
const places = new Uint32Array(ROWS)
const moved = new Float64Array(ROWS)

class BestOrders {
  /** 1 when the lowest price is the best, else -1. */
  readonly #direction: number
  readonly #slots = new Float64Array(ROWS)
  readonly #generations = new Float64Array(ROWS)
  readonly #seqs = new Float64Array(ROWS)
  readonly #ticks = new Float64Array(ROWS)
  #count = 0

  constructor(order: 'lowestFirst' | 'highestFirst') {
    this.#direction = order === 'lowestFirst' ? 1 : -1
  }

  get count(): number {
    return this.#count
  }

  slotAt(place: number): Slot {
    return this.#slots[place]
  }

  generationAt(place: number): Generation {
    return this.#generations[place]
  }

  /** On the YES ladder. */
  ticksAt(place: number): number {
    return this.#ticks[place]
  }

  clear(): void {
    this.#count = 0
  }

  add(slot: Slot, generation: Generation, { ticks, seq }: { ticks: number; seq: Seq }): void {
    const place = this.#count++
    this.#slots[place] = slot
    this.#generations[place] = generation
    this.#ticks[place] = ticks
    this.#seqs[place] = seq
    if (this.#count === ROWS) this.sort()
  }

  /** Sorts the best first, and drops orders beyond those that price packs. */
  sort(): void {
    const count = this.#count
    const sorted = places.subarray(0, count)
    for (let place = 0; place < count; place++) sorted[place] = place
    const [direction, ticks, seqs] = [this.#direction, this.#ticks, this.#seqs]
    sorted.sort((a, b) => direction * (ticks[a] - ticks[b]) || seqs[a] - seqs[b])
    this.#count = Math.min(count, ordersOfSideMax)
    for (const column of [this.#slots, this.#generations, this.#seqs, this.#ticks]) {
      for (let place = 0; place < this.#count; place++) moved[place] = column[sorted[place]]
      column.set(moved.subarray(0, this.#count))
    }
  }
}
