// Cancels that the exchange itself makes: for a closed market, for a heartbeat whose deadline
// passed, for a frozen profile, for a closed order group. They follow the command that caused them,
// one command per market and per thousand orders. The orders are not listed beforehand: each call
// of `emit` walks the live orders, until the time slice is over or a ring is full. Main's thread
// owns it.
// A heartbeat or a group cannot cancel an order that its market binds (rules §4.3): the order is
// canceled right after its release, and until then its heartbeat is not complete.
// An arriving order of such a market may be bound once its market has answered, so its cause waits.
// Invariants: an order is named once (`#stamped`). A cause stays due until every order that
// precedes it is named, and until then its markets accept no new orders (`holds`).

import type { Clearing } from '../../../engine/core/clearing.ts'
import { isBound, mayBind } from '../../../engine/core/decide/release.ts'
import type { OrderGroup } from '../../../engine/core/orders/order-groups.ts'
import { STATE } from '../../../engine/core/orders/order-table.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import type { CancelReason } from '../../../engine/domain/event.ts'
import type {
  Book,
  Generation,
  MarketId,
  PositionRow,
  ProfileId,
  Seq,
  Slot,
} from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'

export interface OrderName {
  slot: Slot
  generation: Generation
}

/** The cause of cancels of all orders of a market, group or profiles that precede a command. */
export type CancelCause = { readonly reason: CancelReason; readonly beforeSeq: Seq } & (
  | { readonly marketId: MarketId }
  /** `keptSeq`: the order that stays live; 0 for none. */
  | { readonly group: OrderGroup; readonly keptSeq: Seq }
  | { readonly profileIds: readonly ProfileId[] }
)

interface Due {
  readonly cause: CancelCause
  /** Markets in which every order is named. */
  readonly done: Set<MarketId>
  /** Markets with arriving orders of which the last walk did not know whether they are bound. */
  readonly unanswered: Set<MarketId>
  /** The markets of a group; null if they follow from the position rows. */
  readonly markets: ReadonlySet<MarketId> | null
  /** Bound orders that wait for their release. */
  readonly bound: Set<Slot>
}

export interface CancelStamper {
  /** Whether the rings can take one more cancel of a market. */
  readonly hasCapacity: (marketId: MarketId) => boolean
  readonly stamp: (marketId: MarketId, reason: CancelReason, orders: readonly OrderName[]) => void
  readonly isOver: () => boolean
}

/** Why a walk ended; a ring that is full, or an order without an answer, is tried again. */
type End = 'complete' | 'ring full' | 'out of time'

const { cancelItemsMax } = LIMITS
/** Causes that an owner makes, so they cancel no order that the owner could not cancel. */
const OF_OWNERS: ReadonlySet<CancelReason> = new Set(['HEARTBEAT', 'ORDER_GROUP'])

export class DueCancels {
  readonly #clearing: Clearing
  #due: Due[] = []
  /** Causes with only bound orders left. They block no market. */
  #waiting: Due[] = []
  /** 1 for each live order named in a cancel of this class. */
  readonly #stamped: Uint8Array
  #stampedCount = 0

  constructor(clearing: Clearing) {
    this.#clearing = clearing
    this.#stamped = new Uint8Array(clearing.orders.capacity)
  }

  get isEmpty(): boolean {
    return this.#due.length === 0
  }

  /** The reason of the cancel that follows the release of the order in this slot, or null. */
  reasonAfterRelease(slot: Slot): CancelReason | null {
    if (this.#due.length + this.#waiting.length === 0) return null
    const due = [...this.#due, ...this.#waiting].find(({ bound }) => bound.has(slot))
    return due?.cause.reason ?? null
  }

  /** The order in this slot was released, and its cancel is stamped. */
  namedAfterRelease(slot: Slot): void {
    this.#stamped[slot] = 1
    this.#stampedCount++
  }

  add(cause: CancelCause): void {
    const { orders } = this.#clearing
    const slots = 'group' in cause ? [...cause.group.orders] : null
    const markets = slots && new Set(slots.map((slot) => orders.marketOf(slot)))
    this.#due.push({ cause, done: new Set(), unanswered: new Set(), markets, bound: new Set() })
  }

  /** Forgets an ended order, because its slot may hold another order next. */
  ended(slot: Slot): void {
    for (const { bound } of this.#due) bound.delete(slot)
    if (this.#waiting.length > 0) this.#boundEnded(slot)
    if (this.#stampedCount === 0 || this.#stamped[slot] === 0) return
    this.#stamped[slot] = 0
    this.#stampedCount--
  }

  /** A cause whose last bound order ended is complete with the next walk. */
  #boundEnded(slot: Slot): void {
    for (const due of this.#waiting) due.bound.delete(slot)
    const over = this.#waiting.filter(({ bound }) => bound.size === 0)
    if (over.length === 0) return
    this.#waiting = this.#waiting.filter(({ bound }) => bound.size > 0)
    this.#due.push(...over)
  }

  /** Whether orders of the market are due to be canceled but not named yet. */
  holds(marketId: MarketId): boolean {
    return this.#due.some(({ cause, done, markets }) => {
      if (done.has(marketId)) return false
      if ('marketId' in cause) return cause.marketId === marketId
      if ('group' in cause) return markets?.has(marketId) === true
      const { ledger, orders } = this.#clearing
      return cause.profileIds.some((profileId) => {
        const row = ledger.rows.find(profileId, marketId)
        return row !== 0 && orders.firstOfRow(row) !== 0
      })
    })
  }

  /**
   * Stamps the cancels for which the rings have space, until the time slice is over. Calls
   * `completed` for each cause with nothing left to stamp. False when it ran out of time.
   */
  emit(stamper: CancelStamper, completed: (cause: CancelCause) => void): boolean {
    const left: Due[] = []
    let isOver = false
    for (const due of this.#due) {
      const end = isOver ? 'out of time' : this.#walk(due, stamper)
      // A walk that stamps nothing takes time too.
      if (end === 'out of time' || (end === 'ring full' && stamper.isOver())) isOver = true
      if (end !== 'complete') left.push(due)
      else if (due.bound.size > 0) this.#waiting.push(due)
      else completed(due.cause)
    }
    this.#due = left
    return !isOver
  }

  #walk(due: Due, stamper: CancelStamper): End {
    due.unanswered.clear()
    const end = this.#walkOrders(due, stamper)
    return end === 'complete' && due.unanswered.size > 0 ? 'ring full' : end
  }

  #walkOrders(due: Due, stamper: CancelStamper): End {
    const { cause } = due
    if ('marketId' in cause) return this.#walkMarket(due, cause.marketId, stamper)
    if ('group' in cause) return this.#walkGroup(due, cause.group, stamper)
    const [profileId] = cause.profileIds
    return cause.profileIds.length === 1
      ? this.#walkProfile(due, profileId, stamper)
      : this.#walkProfiles(due, cause.profileIds, stamper)
  }

  /** Orders of all owners share a command. */
  #walkMarket(due: Due, marketId: MarketId, stamper: CancelStamper): End {
    const { catalogue, orders } = this.#clearing
    const book = catalogue.byId(marketId)?.book ?? 0
    if (book === 0) return 'complete'
    const names: OrderName[] = []
    const rows = orders.rowsOfBook
    for (let row = rows.firstOf(book); row !== 0; row = rows.nextOf(row)) {
      const end = this.#walkRow(due, row, names, stamper)
      if (end !== 'complete') return end
    }
    return this.#flush(due, marketId, names, stamper)
  }

  /** Walks one market after the other; a market whose ring is full is skipped. */
  #walkProfile(due: Due, profileId: ProfileId, stamper: CancelStamper): End {
    const { orders } = this.#clearing
    const rows = orders.rowsOfAccount
    let isComplete = true
    for (let row = rows.firstOf(profileId); row !== 0; row = rows.nextOf(row)) {
      const marketId = orders.marketOf(orders.firstOfRow(row))
      if (due.done.has(marketId)) continue
      const names: OrderName[] = []
      const walked = this.#walkRow(due, row, names, stamper)
      if (walked === 'out of time') return walked
      const end = walked === 'complete' ? this.#flush(due, marketId, names, stamper) : walked
      if (end === 'ring full') isComplete = false
      else this.#named(due, marketId)
      if (end === 'out of time') return end
    }
    return isComplete ? 'complete' : 'ring full'
  }

  /**
   * One command of a market names orders of many profiles. Together they have few orders
   * (LIMITS.heartbeatOrdersAtOnceMax), so the walk itself is short.
   */
  #walkProfiles(due: Due, profileIds: readonly ProfileId[], stamper: CancelStamper): End {
    const { orders } = this.#clearing
    const rows = orders.rowsOfAccount
    const byMarket = new Map<MarketId, OrderName[]>()
    const full = new Set<MarketId>()
    for (const profileId of profileIds) {
      for (let row = rows.firstOf(profileId); row !== 0; row = rows.nextOf(row)) {
        const marketId = orders.marketOf(orders.firstOfRow(row))
        const names = byMarket.get(marketId) ?? []
        byMarket.set(marketId, names)
        const end = this.#walkRow(due, row, names, stamper)
        if (end === 'out of time') return end
        if (end === 'ring full') full.add(marketId)
      }
    }
    return this.#flushEach(due, byMarket, full, stamper)
  }

  /** A group has few orders (ORDER_GROUP_LIMITS.ordersMax), so the walk itself is short. */
  #walkGroup(due: Due, group: OrderGroup, stamper: CancelStamper): End {
    const { orders } = this.#clearing
    const byMarket = new Map<MarketId, OrderName[]>()
    const full = new Set<MarketId>()
    for (const slot of group.orders) {
      const marketId = orders.marketOf(slot)
      if (full.has(marketId) || !this.#isDue(due, slot)) continue
      const names = byMarket.get(marketId) ?? []
      byMarket.set(marketId, names)
      const end = this.#name(due, slot, names, stamper)
      if (end === 'out of time') return end
      if (end === 'ring full') full.add(marketId)
    }
    return this.#flushEach(due, byMarket, full, stamper)
  }

  /** Stamps a command for each market. Those in `full` have orders that were not collected. */
  #flushEach(
    due: Due,
    byMarket: ReadonlyMap<MarketId, OrderName[]>,
    full: Set<MarketId>,
    stamper: CancelStamper,
  ): End {
    for (const [marketId, names] of byMarket) {
      const end = this.#flush(due, marketId, names, stamper)
      if (end === 'ring full') full.add(marketId)
      else if (!full.has(marketId)) this.#named(due, marketId)
      if (end === 'out of time') return end
    }
    return full.size === 0 ? 'complete' : 'ring full'
  }

  /** Collects the due orders of a row, and stamps each full command. */
  #walkRow(due: Due, row: PositionRow, names: OrderName[], stamper: CancelStamper): End {
    const { orders } = this.#clearing
    for (let slot = orders.firstOfRow(row); slot !== 0; slot = orders.nextOf(slot)) {
      if (!this.#isDue(due, slot)) continue
      const end = this.#name(due, slot, names, stamper)
      if (end !== 'complete') return end
    }
    return 'complete'
  }

  /** Adds a due order to the names of its market, and stamps a full command. */
  #name({ cause }: Due, slot: Slot, names: OrderName[], stamper: CancelStamper): End {
    const { orders } = this.#clearing
    names.push({ slot, generation: orders.generationOf(slot) })
    if (names.length < cancelItemsMax) return 'complete'
    const end = this.#stamp(cause, orders.marketOf(slot), names, stamper)
    names.length = 0
    return end
  }

  /** Every order of the market is named, but for those whose market has not answered. */
  #named({ done, unanswered }: Due, marketId: MarketId): void {
    if (!unanswered.has(marketId)) done.add(marketId)
  }

  /** Whether the order is to be named now. A bound one is named after its release. */
  #isDue({ cause, bound, unanswered }: Due, slot: Slot): boolean {
    const { orders } = this.#clearing
    const seq = orders.seqOf(slot)
    if (this.#stamped[slot] !== 0 || seq >= cause.beforeSeq) return false
    if ('group' in cause && cause.keptSeq === seq) return false
    if (!OF_OWNERS.has(cause.reason) || !mayBind(this.#clearing, slot)) return true
    if (isBound(this.#clearing, slot)) bound.add(slot)
    else if (orders.stateOf(slot) === STATE.IN_FLIGHT) unanswered.add(orders.marketOf(slot))
    else return true
    return false
  }

  #flush({ cause }: Due, marketId: MarketId, names: OrderName[], stamper: CancelStamper): End {
    return names.length === 0 ? 'complete' : this.#stamp(cause, marketId, names, stamper)
  }

  /** The time is checked after the stamp, so each slice stamps something. */
  #stamp(
    { reason }: CancelCause,
    marketId: MarketId,
    names: readonly OrderName[],
    { hasCapacity, stamp, isOver }: CancelStamper,
  ): End {
    if (!hasCapacity(marketId)) return 'ring full'
    stamp(marketId, reason, names)
    for (const { slot } of names) this.#stamped[slot] = 1
    this.#stampedCount += names.length
    return isOver() ? 'out of time' : 'complete'
  }
}

interface Closed {
  readonly marketId: MarketId
  readonly book: Book
  /** Why its orders are canceled. */
  readonly reason: CancelReason
}

/** The markets that accept no orders after this command, with their books from before it. */
export function closedBy(command: ControlCommand, { catalogue }: Clearing): readonly Closed[] {
  const closed = (marketId: MarketId, reason: CancelReason) => {
    return { marketId, book: catalogue.existing(marketId).book, reason }
  }
  if (command.kind === 'lockMarket') return [closed(command.marketId, 'MARKET_LOCKED')]
  if (command.kind !== 'resolveMarkets') return []
  return command.resolutions.map(({ marketId }) => closed(marketId, 'MARKET_RESOLVED'))
}
