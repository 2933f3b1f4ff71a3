// Cancels that the exchange itself makes: for a market that closed, for orders that expired, for a
// heartbeat whose deadline passed, for a profile that was frozen. They are stamped behind the
// command that caused them, one per market and per thousand orders. A cancel that finds no room
// stays due, and its market takes nothing else before it. Main's thread owns it.
// Invariant: a profile is waited for while some orders of its heartbeat are not stamped.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Deadlines } from '../../../engine/core/markets/deadlines.ts'
import type { RareCommand } from '../../../engine/domain/command.ts'
import type { CancelReason } from '../../../engine/domain/event.ts'
import type {
  Book,
  Generation,
  MarketId,
  ProfileId,
  Seq,
  Slot,
} from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'

export interface OrderName {
  slot: Slot
  generation: Generation
}

export interface DueCancel {
  readonly marketId: MarketId
  readonly reason: CancelReason
  readonly orders: readonly OrderName[]
  /** The profiles whose heartbeats caused the cancel. */
  readonly profileIds: readonly ProfileId[]
}

interface Due extends DueCancel {
  sent: number
}

const NOBODY: readonly number[] = []
const NOWHERE: ReadonlySet<MarketId> = new Set()

export class DueCancels {
  #due: Due[] = []
  /** The markets of cancels that the last `emit` left; most leave none. */
  #leftIn: ReadonlySet<MarketId> = NOWHERE
  /** For each profile, how many of the due cancels its heartbeat caused. */
  readonly #waiting = new Map<number, number>()

  get isEmpty(): boolean {
    return this.#due.length === 0
  }

  /** Whether `emit` left cancels that the market must take first. */
  holds(marketId: MarketId): boolean {
    return this.#leftIn.has(marketId)
  }

  add(marketId: MarketId, reason: CancelReason, orders: readonly OrderName[], profileIds = NOBODY) {
    if (orders.length === 0) return
    this.#due.push({ marketId, reason, orders, profileIds, sent: 0 })
    for (const profileId of profileIds) {
      this.#waiting.set(profileId, (this.#waiting.get(profileId) ?? 0) + 1)
    }
  }

  /** Whether some orders of the profile's heartbeat are not stamped yet. */
  waitsFor(profileId: ProfileId): boolean {
    return this.#waiting.has(profileId)
  }

  /**
   * Stamps the cancels that have room. Calls `sent` for each profile with nothing left to stamp.
   */
  emit(
    hasRoom: (marketId: MarketId) => boolean,
    stamp: (due: DueCancel, orders: readonly OrderName[]) => void,
    sent: (profileId: ProfileId) => void,
  ): void {
    const left: Due[] = []
    for (const due of this.#due) {
      const { marketId, orders } = due
      while (due.sent < orders.length && hasRoom(marketId)) {
        const chunk = orders.slice(due.sent, due.sent + LIMITS.cancelItemsMax)
        stamp(due, chunk)
        due.sent += chunk.length
      }
      if (due.sent < orders.length) left.push(due)
      else this.#done(due, sent)
    }
    this.#due = left
    this.#leftIn = left.length === 0 ? NOWHERE : new Set(left.map(({ marketId }) => marketId))
  }

  #done({ profileIds }: Due, sent: (profileId: ProfileId) => void): void {
    for (const profileId of profileIds) {
      if (!countDown(this.#waiting, profileId)) continue
      this.#waiting.delete(profileId)
      sent(profileId)
    }
  }
}

/** Counts down by one; true when that was the last. */
function countDown(counts: Map<number, number>, key: number): boolean {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  return left <= 0
}

interface Closed {
  readonly marketId: MarketId
  readonly book: Book
  /** Why its orders are canceled. */
  readonly reason: CancelReason
}

/** The markets that take no orders after this command, with the books that they have before it. */
export function closedBy(command: RareCommand, { catalogue }: Clearing): readonly Closed[] {
  const closed = (marketId: MarketId, reason: CancelReason) => {
    return { marketId, book: catalogue.existing(marketId).book, reason }
  }
  if (command.kind === 'lockMarket') return [closed(command.marketId, 'MARKET_LOCKED')]
  if (command.kind !== 'resolveMarkets') return []
  return command.resolutions.map(({ marketId }) => closed(marketId, 'MARKET_RESOLVED'))
}

/** The live orders of a market. */
export function ordersOfMarket({ orders, catalogue }: Clearing, marketId: MarketId): OrderName[] {
  const names: OrderName[] = []
  const book = catalogue.byId(marketId)?.book ?? 0
  if (book === 0) return names
  const rows = orders.rowsOfBook
  for (let row = rows.firstOf(book); row !== 0; row = rows.nextOf(row)) {
    for (let slot = orders.firstOfRow(row); slot !== 0; slot = orders.nextOf(slot)) {
      names.push({ slot, generation: orders.generationOf(slot) })
    }
  }
  return names
}

/** Live orders by market, and the profiles that own them. */
export type OrdersByMarket = Map<number, { orders: OrderName[]; profileIds: ProfileId[] }>

/** Adds the live orders of a profile that came before `seq`; false when there are none. */
export function addOrdersBefore(
  { orders }: Clearing,
  profileId: ProfileId,
  seq: Seq,
  byMarket: OrdersByMarket,
): boolean {
  const rows = orders.rowsOfAccount
  let isAny = false
  for (let row = rows.firstOf(profileId); row !== 0; row = rows.nextOf(row)) {
    const names: OrderName[] = []
    const first = orders.firstOfRow(row)
    for (let slot = first; slot !== 0; slot = orders.nextOf(slot)) {
      if (orders.seqOf(slot) >= seq) continue
      names.push({ slot, generation: orders.generationOf(slot) })
    }
    if (names.length === 0) continue
    isAny = true
    const marketId = orders.marketOf(first)
    const known = byMarket.get(marketId)
    if (known === undefined) byMarket.set(marketId, { orders: names, profileIds: [profileId] })
    else {
      for (const name of names) known.orders.push(name)
      known.profileIds.push(profileId)
    }
  }
  return isAny
}

/** Takes the orders that have expired by now out of the deadlines, and gives them by market. */
export function takeExpired(
  expiries: Deadlines,
  { orders: table }: Pick<Clearing, 'orders'>,
  nowMs: TimeMs,
): ReadonlyMap<number, OrderName[]> {
  const byMarket = new Map<number, OrderName[]>()
  while (expiries.nextMs <= nowMs) {
    const slot = expiries.pop()
    const marketId = table.marketOf(slot)
    const order = { slot, generation: table.generationOf(slot) }
    const due = byMarket.get(marketId)
    if (due === undefined) byMarket.set(marketId, [order])
    else due.push(order)
  }
  return byMarket
}
