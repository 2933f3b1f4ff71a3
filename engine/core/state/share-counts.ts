import type { AccountId } from '../../domain/ids.ts'
import type { SharedCounts } from '../cells/shared-counts.ts'
import type { Clearing } from '../clearing.ts'
import { STATE } from '../orders/order-table.ts'

// Recomputes, from the rows, the counts that gates use to share tables among accounts, and compares
// them.

type Sums = Map<number, number>

function addTo(sums: Sums, key: number, raw: number): void {
  sums.set(key, (sums.get(key) ?? 0) + raw)
}

function brokenOf(clearing: Clearing, counts: SharedCounts, owners: AccountId[]): string | null {
  const { partners, count } = clearing.accounts
  const own: Sums = new Map()
  const shared: Sums = new Map()
  for (const owner of owners) {
    addTo(own, owner, 1)
    addTo(shared, partners.shareOwnerOf(owner), 1)
  }
  for (let account = 1; account <= count; account++) {
    const ofPartner = shared.get(partners.shareOwnerOf(account)) ?? 0
    const isRight = counts.of(account) === (own.get(account) ?? 0)
    if (isRight && counts.ofPartner(account) === ofPartner) continue
    return `account ${account} has a wrong row count of ${counts.of(account)} in a table`
  }
  return counts.all === owners.length ? null : `a table has a wrong row count of ${counts.all}`
}

function brokenOpenSizes({ orders, openSizes, ledger, accounts, catalogue }: Clearing) {
  const ofRow: Sums = new Map()
  const ofMarket: Sums = new Map()
  const ofPartner = new Map<string, number>()
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    const [account, marketId] = [orders.accountOf(slot), orders.marketOf(slot)]
    const leftRaw = orders.leftRawOf(slot)
    addTo(ofRow, orders.rowOf(slot), leftRaw)
    addTo(ofMarket, marketId, leftRaw)
    const partner = accounts.partners.shareOwnerOf(account)
    if (partner === account) continue
    const key = `${partner}:${marketId}`
    ofPartner.set(key, (ofPartner.get(key) ?? 0) + leftRaw)
  }
  for (let row = 1; row < ledger.rows.end; row++) {
    if (openSizes.ofRow(row) !== (ofRow.get(row) ?? 0)) return `row ${row} has a wrong open size`
  }
  for (const [key, raw] of ofPartner) {
    const [partner, marketId] = key.split(':').map(Number)
    if (openSizes.ofSubAccounts(partner, marketId) !== raw)
      return `partner ${key} has a wrong open size`
  }
  for (const { marketId, openSizeRaw } of catalogue.all()) {
    if (openSizeRaw !== (ofMarket.get(marketId) ?? 0))
      return `market ${marketId} has a wrong open size`
  }
  return null
}

/** null if the counts of orders, positions and open size match for all accounts. */
export function brokenShareCounts(clearing: Clearing): string | null {
  const { orders, ledger } = clearing
  const ofOrders: AccountId[] = []
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) !== STATE.FREE) ofOrders.push(orders.accountOf(slot))
  }
  const ofRows: AccountId[] = []
  for (let row = 1; row < ledger.rows.end; row++) {
    if (ledger.rows.isLive(row)) ofRows.push(ledger.rows.accountOf(row))
  }
  return (
    brokenOf(clearing, orders.live, ofOrders) ??
    brokenOf(clearing, ledger.rows.live, ofRows) ??
    brokenOpenSizes(clearing)
  )
}
