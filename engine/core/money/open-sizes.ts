// Hot path. bench/core.bench.ts
// Sums of open order size by market, by account and market, and by market for each partner's
// sub-accounts. They are derived from the orders and are not state: replays and snapshots compute
// them again.
// Invariants: `ofRow` of a position row is the sum of `leftRaw` of its live orders, so it is 0 when
// the row is released; a partner has an entry while its sub-accounts have open size.

import type { AccountId, MarketId, PositionRow, Slot } from '../../domain/ids.ts'
import { wideDoubles } from '../cells/columns.ts'
import { type ShareMove, ShareOwners } from '../cells/shared-counts.ts'
import type { OrderTable } from '../orders/order-table.ts'
import { PositionRows } from './position-rows.ts'

type Sum = { openSizeRaw: number }

/** The fields of a fill that are needed here. */
interface Legs {
  readonly taker: Slot
  readonly maker: Slot
  readonly sharesRaw: number
}

export class OpenSizes {
  /** Those of the accounts. */
  owners = new ShareOwners()
  #ofRow = new Float64Array(1024)
  readonly #partnerRows = new PositionRows()
  #ofPartnerRow = new Float64Array(64)

  ofRow(row: PositionRow): number {
    return row < this.#ofRow.length ? this.#ofRow[row] : 0
  }

  /** Open size of all sub-accounts of the partner, without the partner's own. */
  ofSubAccounts(partnerId: AccountId, marketId: MarketId): number {
    const row = this.#partnerRows.find(partnerId, marketId)
    return row === 0 ? 0 : this.#ofPartnerRow[row]
  }

  /** Adds the open remainder of the order in the slot. A market buy has no size. */
  opened(orders: OrderTable, slot: Slot, market: Sum): void {
    const sharesRaw = orders.leftRawOf(slot)
    const row = orders.rowOf(slot)
    market.openSizeRaw += sharesRaw
    if (row >= this.#ofRow.length) this.#ofRow = wideDoubles(this.#ofRow, row)
    this.#ofRow[row] += sharesRaw
    const account = orders.accountOf(slot)
    const owner = this.owners.of(account)
    if (owner === account || sharesRaw === 0) return
    this.#addShared(owner, orders.marketOf(slot), sharesRaw)
  }

  /** `rows` are all position rows. */
  moved({ members, from, to }: ShareMove, rows: PositionRows): void {
    const isMember = new Set(members)
    for (let row = 1; row < rows.end; row++) {
      const sharesRaw = this.ofRow(row)
      if (sharesRaw === 0 || !rows.isLive(row)) continue
      const account = rows.accountOf(row)
      if (!isMember.has(account)) continue
      this.#takeShared(from, rows.marketOf(row), sharesRaw)
      if (account !== to) this.#addShared(to, rows.marketOf(row), sharesRaw)
    }
  }

  #addShared(owner: AccountId, marketId: MarketId, sharesRaw: number): void {
    const known = this.#partnerRows.find(owner, marketId)
    const shared = known === 0 ? this.#partnerRows.add(owner, marketId) : known
    if (shared >= this.#ofPartnerRow.length) {
      this.#ofPartnerRow = wideDoubles(this.#ofPartnerRow, shared)
    }
    this.#ofPartnerRow[shared] += sharesRaw
  }

  #takeShared(owner: AccountId, marketId: MarketId, sharesRaw: number): void {
    const row = this.#partnerRows.find(owner, marketId)
    this.#ofPartnerRow[row] -= sharesRaw
    if (this.#ofPartnerRow[row] === 0) this.#partnerRows.remove(row)
  }

  /** Subtracts the remainder of the order in the slot. */
  ended(orders: OrderTable, slot: Slot, market: Sum): void {
    this.#closed(orders, slot, market, orders.leftRawOf(slot))
  }

  /** Subtracts both sides of a fill, except a market buy, which has no size. */
  filled(orders: OrderTable, market: Sum, { taker, maker, sharesRaw }: Legs): void {
    this.#closed(orders, maker, market, sharesRaw)
    if (!orders.buysBySpend(taker)) this.#closed(orders, taker, market, sharesRaw)
  }

  /** Subtracts shares that are taken off the order in the slot. */
  cut(orders: OrderTable, slot: Slot, market: Sum, byRaw: number): void {
    this.#closed(orders, slot, market, byRaw)
  }

  #closed(orders: OrderTable, slot: Slot, market: Sum, sharesRaw: number): void {
    market.openSizeRaw -= sharesRaw
    this.#ofRow[orders.rowOf(slot)] -= sharesRaw
    const account = orders.accountOf(slot)
    const owner = this.owners.of(account)
    if (owner === account || sharesRaw === 0) return
    this.#takeShared(owner, orders.marketOf(slot), sharesRaw)
  }
}
