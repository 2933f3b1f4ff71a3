// Parts of fees in shares, until the payout of their market says what they are worth (rules §3.2).
// The shares themselves stay with the fee account, whose own redemption pays at least as much.
// Only commands change it; one thread writes.
// Invariants: a row holds shares of one outcome at least; the rows of a market go with its payout.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { AccountId, MarketId } from '../../domain/ids.ts'
import { OUTCOME } from '../../domain/order.ts'
import type { SizeRaw } from '../../domain/units.ts'

/** What one account gets of the fees of one market, in shares. */
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
  /** Rows by account: they follow from the table and are no state. */
  readonly owners: OwnerCounts

  constructor(shareOwnerOf?: ShareOwnerOf) {
    this.owners = new OwnerCounts(shareOwnerOf)
  }

  /** Rows of all markets. */
  get size(): number {
    return this.owners.all
  }

  /** Whether something of the market waits for its payout. */
  has(marketId: MarketId): boolean {
    return this.#byMarket.has(marketId)
  }

  of(marketId: MarketId, accountId: AccountId): ShareRow | undefined {
    return this.#byMarket.get(marketId)?.get(accountId)
  }

  /** Sums stop at the largest exact number: there are no more shares of a market. */
  add(marketId: MarketId, accountId: AccountId, outcome: number, sharesRaw: SizeRaw): void {
    assert(sharesRaw > 0, 'a part holds shares')
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

  /** The rows of a market whose payout is posted, by rising account; they are gone then. */
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

  /** By rising market, then by rising account. */
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
