// Parts of fees in shares that wait for their market's payout, which gives them a value (rules
// §3.2). The shares stay with the fee account, whose own redemption pays at least as much. Only
// commands change it; one thread writes.
// Invariants: a row has shares of at least one outcome; the payout of a market removes its rows.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { AccountId, MarketId } from '../../domain/ids.ts'
import { OUTCOME } from '../../domain/order.ts'
import type { SizeRaw } from '../../domain/units.ts'

/** One account's part of one market's fees, in shares. */
export interface ShareRow {
  readonly accountId: AccountId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
}

export type CapturedShareParts = readonly (readonly [
  marketId: MarketId,
  accountId: AccountId,
  yesRaw: SizeRaw,
  noRaw: SizeRaw,
])[]

export class ShareParts {
  readonly #byMarket = new Map<MarketId, Map<AccountId, ShareRow>>()
  /** Rows by account, derived from the table. Not part of the state. */
  readonly owners: OwnerCounts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** Rows of all markets. */
  get size(): number {
    return this.owners.all
  }

  /** Whether parts of the market wait for its payout. */
  has(marketId: MarketId): boolean {
    return this.#byMarket.has(marketId)
  }

  of(marketId: MarketId, accountId: AccountId): ShareRow | undefined {
    return this.#byMarket.get(marketId)?.get(accountId)
  }

  /** Sums are capped at the largest safe integer: a market never has more shares. */
  add(marketId: MarketId, accountId: AccountId, outcome: number, sharesRaw: SizeRaw): void {
    assert(sharesRaw > 0, 'a part has shares')
    const rows = this.#byMarket.get(marketId) ?? new Map<AccountId, ShareRow>()
    this.#byMarket.set(marketId, rows)
    const before = rows.get(accountId)
    if (before === undefined) this.owners.add(accountId, 1)
    const { yesRaw, noRaw } = before ?? { yesRaw: 0, noRaw: 0 }
    const isYes = outcome === OUTCOME.YES
    const sum = (raw: SizeRaw) => Math.min(raw + sharesRaw, Number.MAX_SAFE_INTEGER)
    rows.set(accountId, {
      accountId,
      yesRaw: isYes ? sum(yesRaw) : yesRaw,
      noRaw: isYes ? noRaw : sum(noRaw),
    })
  }

  /** Removes and returns the rows of a market with a posted payout, by ascending account. */
  take(marketId: MarketId): ShareRow[] {
    const rows = this.#sorted(marketId)
    for (const { accountId } of rows) this.owners.add(accountId, -1)
    this.#byMarket.delete(marketId)
    return rows
  }

  #sorted(marketId: MarketId): ShareRow[] {
    const rows = [...(this.#byMarket.get(marketId)?.values() ?? [])]
    return rows.sort((a, b) => a.accountId - b.accountId)
  }

  /** By ascending market, then by ascending account. */
  capture(): CapturedShareParts {
    const markets = [...this.#byMarket.keys()].sort((a, b) => a - b)
    return markets.flatMap((marketId) => {
      return this.#sorted(marketId).map(({ accountId, yesRaw, noRaw }) => {
        return [marketId, accountId, yesRaw, noRaw] as const
      })
    })
  }

  restore(captured: CapturedShareParts): void {
    for (const [marketId, accountId, yesRaw, noRaw] of captured) {
      if (yesRaw > 0) this.add(marketId, accountId, OUTCOME.YES, yesRaw)
      if (noRaw > 0) this.add(marketId, accountId, OUTCOME.NO, noRaw)
    }
  }
}
