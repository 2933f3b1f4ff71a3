// What the exchange redeems by itself, so that a paid market needs no room for ever (design §10).
// Right behind a payout: shares of the exchange's own accounts, shares below zero, and positions
// that pay nothing. Once the market's time has come: all that is left. The shares of a pool go to
// its providers first. Main's thread owns it.
//
// Position rows are looked at a slice at a time, round and round, while any market waits. A market
// has been swept when the round that comes after it has passed the row at which it came: no row of
// a paid market is made later, but rows of other markets may come meanwhile.

import type { Clearing } from '../../../engine/core/clearing.ts'
import { redeemedOf } from '../../../engine/core/decide/money/moves.ts'
import { decideDrain } from '../../../engine/core/decide/money/pools.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { isSystemAccount, type MarketId } from '../../../engine/domain/ids.ts'
import type { RedeemedPosition } from '../../../engine/domain/moves/move-command.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'

/** A market that is being swept. */
interface Sweep {
  readonly market: Market
  /** Every position is redeemed, not only what pays nothing. */
  readonly isAll: boolean
  /** Where it began: the round, and the row. The next round ends it there. */
  readonly round: number
  readonly fromRow: number
}

export class Redemptions {
  readonly #clearing: Clearing
  readonly #sequencer: Pick<Sequencer, 'nowMs' | 'change'>
  readonly #sweeps = new Map<MarketId, Sweep>()
  /** Paid markets whose pool still has providers. They are swept behind that. */
  readonly #pooled = new Set<Market>()
  /** Paid markets with positions that the exchange redeems later. */
  readonly #later = new Set<Market>()
  #laterMs: TimeMs = Number.POSITIVE_INFINITY
  /** Where the next slice begins, and how many rounds have begun before it. */
  #row = 1
  #round = 0
  #lookedMs: TimeMs = 0

  constructor(parts: { clearing: Clearing; sequencer: Pick<Sequencer, 'nowMs' | 'change'> }) {
    this.#clearing = parts.clearing
    this.#sequencer = parts.sequencer
    for (const market of parts.clearing.catalogue.all()) {
      if (market.isPaidOut && market.rowCount > 0) this.paidOut(market)
    }
  }

  /** The payout of a market is posted. */
  paidOut(market: Market): void {
    if (market.rowCount === 0) return
    if (this.#hasProviders(market)) this.#pooled.add(market)
    else this.#sweep(market, false)
    if (market.redeemAtMs > 0) this.#later.add(market)
    this.#laterMs = Math.min(this.#laterMs, market.redeemAtMs || Number.POSITIVE_INFINITY)
  }

  /** When to look next; Infinity for never. */
  get nextDueMs(): TimeMs {
    const isBusy = this.#sweeps.size > 0 || this.#pooled.size > 0
    return isBusy ? this.#lookedMs + MOVE_LIMITS.sweepEveryMs : this.#laterMs
  }

  /** Looks at one slice of the rows. */
  tick(): void {
    const nowMs = this.#sequencer.nowMs()
    if (nowMs < this.nextDueMs) return
    this.#lookedMs = nowMs
    for (const market of this.#pooled) this.#drain(market, nowMs)
    if (nowMs >= this.#laterMs) this.#redeemLeft(nowMs)
    if (this.#sweeps.size === 0) return
    const { rows } = this.#clearing.ledger
    const end = Math.min(rows.end, this.#row + MOVE_LIMITS.sweptRowsMax)
    // A full ring only delays the slice: rows that were redeemed are free by then.
    if (!this.#redeem(this.#positions(this.#row, end))) return
    const isRound = end === rows.end
    this.#row = isRound ? 1 : end
    if (isRound) this.#round++
    for (const [marketId, { round, fromRow }] of this.#sweeps) {
      if (this.#round > round && this.#row >= fromRow) this.#sweeps.delete(marketId)
    }
  }

  #hasProviders({ marketId }: Market): boolean {
    return (this.#clearing.pools.of(marketId)?.liquidityRaw ?? 0) > 0
  }

  /** Every provider leaves the pool. A full ring only delays those that are left. */
  #drain(market: Market, nowMs: TimeMs): void {
    const pool = this.#clearing.pools.of(market.marketId)
    for (const profileId of [...(pool?.providers.keys() ?? [])]) {
      faultPoint('mid-redemptions')
      const { reject } = this.#sequencer.change(() =>
        decideDrain(this.#clearing, market, profileId),
      )
      if (reject !== null) return
    }
    this.#pooled.delete(market)
    this.#sweep(market, market.redeemAtMs > 0 && nowMs >= market.redeemAtMs)
  }

  #sweep(market: Market, isAll: boolean): void {
    const { marketId } = market
    this.#sweeps.set(marketId, { market, isAll, round: this.#round, fromRow: this.#row })
  }

  /** Markets whose time has come are swept whole. */
  #redeemLeft(nowMs: TimeMs): void {
    this.#laterMs = Number.POSITIVE_INFINITY
    for (const market of this.#later) {
      const { redeemAtMs, rowCount } = market
      if (redeemAtMs > nowMs && rowCount > 0) this.#laterMs = Math.min(this.#laterMs, redeemAtMs)
      else this.#later.delete(market)
      if (redeemAtMs <= nowMs && rowCount > 0 && !this.#pooled.has(market))
        this.#sweep(market, true)
    }
  }

  #positions(from: number, end: number): Map<Market, RedeemedPosition[]> {
    const { rows } = this.#clearing.ledger
    const found = new Map<Market, RedeemedPosition[]>()
    for (let row = from; row < end; row++) {
      const sweep = this.#sweeps.get(rows.marketOf(row))
      if (sweep === undefined) continue
      const position = redeemedOf(this.#clearing, sweep.market, row)
      if (position === null || !(sweep.isAll || isRedeemedAtOnce(position))) continue
      const positions = found.get(sweep.market) ?? []
      positions.push(position)
      found.set(sweep.market, positions)
    }
    return found
  }

  /** False when a ring is full. */
  #redeem(found: ReadonlyMap<Market, readonly RedeemedPosition[]>): boolean {
    for (const [{ marketId }, positions] of found) {
      for (let at = 0; at < positions.length; at += MOVE_LIMITS.redeemedPositionsMax) {
        faultPoint('mid-redemptions')
        const part = positions.slice(at, at + MOVE_LIMITS.redeemedPositionsMax)
        const { reject } = this.#sequencer.change(() => {
          return { kind: 'redeemPositions', marketId, positions: part }
        })
        if (reject !== null) return false
      }
    }
    return true
  }
}

function isRedeemedAtOnce({ accountId, yesRaw, noRaw, paidRaw }: RedeemedPosition): boolean {
  return isSystemAccount(accountId) || yesRaw < 0 || noRaw < 0 || paidRaw === 0
}
