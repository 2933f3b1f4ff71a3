import type { AccountId, MarketId } from '../../../engine/domain/ids.ts'
import { REWARD_LIMITS } from '../../../engine/domain/rewards/reward-limits.ts'

// Share parts of the fees of one sample, summed up before they are credited.

/** The account and shares of a part; `referred` is 0 for a maker. */
export interface ShareKey {
  readonly marketId: MarketId
  readonly accountId: AccountId
  readonly outcome: number
  readonly referred: AccountId
}

interface ShareSum extends ShareKey {
  sharesRaw: number
}

export class ShareSums {
  readonly #sums = new Map<string, ShareSum>()

  add(key: ShareKey, sharesRaw: number): void {
    if (sharesRaw === 0) return
    const { marketId, accountId, outcome, referred } = key
    const name = `${marketId} ${accountId} ${outcome} ${referred}`
    const known = this.#sums.get(name)
    if (known === undefined) this.#sums.set(name, { ...key, sharesRaw })
    else known.sharesRaw = Math.min(known.sharesRaw + sharesRaw, Number.MAX_SAFE_INTEGER)
  }

  /**
   * Account, market, outcome, shares and referred profile of each row, flattened; by market, then
   * account, outcome and referred profile. Small rows stay with the exchange.
   */
  rows(): Float64Array {
    const { shareRowRawMin } = REWARD_LIMITS
    const large = [...this.#sums.values()].filter(({ sharesRaw }) => sharesRaw >= shareRowRawMin)
    large.sort((a, b) => {
      const ofAccount = a.marketId - b.marketId || a.accountId - b.accountId
      return ofAccount || a.outcome - b.outcome || a.referred - b.referred
    })
    const rows = large.flatMap(({ marketId, accountId, outcome, referred, sharesRaw }) => {
      return [accountId, marketId, outcome, sharesRaw, referred]
    })
    return Float64Array.from(rows)
  }
}
