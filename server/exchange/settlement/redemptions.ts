// Redemptions by the exchange itself, so that a paid market does not occupy memory forever (design
// §10). Right after a payout, it redeems shares of the exchange's own accounts, negative shares,
// and positions that pay nothing. Once the redemption time of the market is reached, it redeems
// everything left. The shares of a pool go to its providers first. Main's thread owns it.
//
// Position rows are swept in slices, in repeated rounds, while any market waits. A market is done
// when the round after the one in which it was added passes the row at which it was added: no row
// of a paid market is created later, but rows of other markets may be.

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
  /** Whether every position is redeemed, or only those that pay nothing. */
  readonly isAll: boolean
  /** The round and the row at which it began. The next round ends it there. */
  readonly round: number
  readonly fromRow: number
}

export class Redemptions {
  readonly #clearing: Clearing
  readonly #sequencer: Pick<Sequencer, 'nowMs' | 'change'>
  readonly #sweeps = new Map<MarketId, Sweep>()
  /** Paid markets whose pool still has providers. They are swept once it has none. */
  readonly #pooled = new Set<Market>()
  /** Paid markets with positions that the exchange redeems later. */
  readonly #later = new Set<Market>()
  #laterMs: TimeMs = Number.POSITIVE_INFINITY
  /** The start of the next slice, and the number of rounds begun before it. */
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

  /** Call it when the payout of a market is posted. */
  paidOut(market: Market): void {
    if (market.rowCount === 0) return
    if (this.#hasProviders(market)) this.#pooled.add(market)
    else this.#sweep(market, false)
    if (market.redeemAtMs > 0) this.#later.add(market)
    this.#laterMs = Math.min(this.#laterMs, market.redeemAtMs || Number.POSITIVE_INFINITY)
  }

  /** The time of the next check; Infinity for never. */
  get nextDueMs(): TimeMs {
    const isBusy = this.#sweeps.size > 0 || this.#pooled.size > 0
    return isBusy ? this.#lookedMs + MOVE_LIMITS.sweepEveryMs : this.#laterMs
  }

  /** Sweeps one slice of the rows. */
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

  /** Withdraws every provider from the pool. A full ring only delays the remaining ones. */
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

  /** Sweeps all positions of markets whose redemption time is reached. */
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
