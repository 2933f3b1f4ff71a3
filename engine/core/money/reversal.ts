// Reverses the fills of a trade whose settlement failed (design §5). Only free balances move, by
// the amounts that the command carries, so a reversal commutes with results that markets still owe
// (law 2). Nothing else may make a free balance negative. The totals that reversals took from each
// balance are kept; no free balance falls below minus its total.

import { assert } from '../../domain/assert.ts'
import type { ReversedLeg } from '../../domain/command.ts'
import type { AccountId, MarketId, ProfileId } from '../../domain/ids.ts'
import { isBid, SIDE } from '../../domain/order.ts'
import { makerLegRaw, takerLegRaw } from './fill-money.ts'
import { FEE_ACCOUNT, type Ledger } from './ledger.ts'

/** What reversals took: `collateral` by account, `shares` by account, market and outcome. */
export interface CapturedReversals {
  readonly collateral: readonly (readonly [accountId: AccountId, takenRaw: number])[]
  readonly shares: readonly (readonly [key: string, takenRaw: number])[]
}

/** One trade as it was settled. Sizes are raw shares; prices are ticks of the YES ladder. */
export interface SettledTrade {
  readonly marketId: MarketId
  readonly takerId: ProfileId
  readonly side: number
  readonly outcome: number
  /** In shares for a buy, in collateral for a sell. */
  readonly feeRaw: number
  readonly fills: readonly {
    readonly makerId: ProfileId
    readonly makerOutcome: number
    readonly makerSide: number
    readonly sharesRaw: number
    readonly yesTicks: number
  }[]
}

export interface Reversal {
  readonly marketId: MarketId
  readonly legs: readonly ReversedLeg[]
  /**
   * Collateral that goes back behind pairs (positive), or comes out as pairs are unmade (negative).
   */
  readonly conditionRaw: number
}

class Legs {
  readonly #legs = new Map<string, { -readonly [K in keyof ReversedLeg]: ReversedLeg[K] }>()

  add(accountId: AccountId, outcome: number, collateralRaw: number, sharesRaw: number): void {
    const key = `${accountId}:${outcome}`
    const leg = this.#legs.get(key)
    if (leg === undefined) this.#legs.set(key, { accountId, outcome, collateralRaw, sharesRaw })
    else {
      leg.collateralRaw += collateralRaw
      leg.sharesRaw += sharesRaw
    }
  }

  all(): ReversedLeg[] {
    return [...this.#legs.values()]
  }
}

/**
 * The opposite of every move that `settleFill` and `settleProceeds` made for the trade (rules
 * §2.4).
 */
export function reversalOf(trade: SettledTrade): Reversal {
  const legs = new Legs()
  const { takerId, outcome, feeRaw } = trade
  const buys = trade.side === SIDE.BUY
  let conditionRaw = 0
  for (const { makerId, makerOutcome, makerSide, sharesRaw, yesTicks } of trade.fills) {
    assert(
      isBid(trade.side, outcome) !== isBid(makerSide, makerOutcome),
      'a fill joins a bid and an ask',
    )
    const valueRaw = takerLegRaw(buys, outcome, yesTicks, sharesRaw)
    const sameOutcome = outcome === makerOutcome
    const makerRaw = makerLegRaw(valueRaw, sharesRaw, sameOutcome)
    if (buys) legs.add(takerId, outcome, valueRaw, -sharesRaw)
    else legs.add(takerId, outcome, -valueRaw, sharesRaw)
    if (makerSide === SIDE.BUY) legs.add(makerId, makerOutcome, makerRaw, -sharesRaw)
    else legs.add(makerId, makerOutcome, -makerRaw, sharesRaw)
    if (!sameOutcome) conditionRaw += buys ? -sharesRaw : sharesRaw
  }
  if (feeRaw > 0) {
    legs.add(takerId, outcome, buys ? 0 : feeRaw, buys ? feeRaw : 0)
    legs.add(FEE_ACCOUNT, outcome, buys ? 0 : -feeRaw, buys ? -feeRaw : 0)
  }
  return { marketId: trade.marketId, legs: legs.all(), conditionRaw }
}

/** Every unit that leaves one balance arrives at another (law 5). */
function assertBalanced({ legs, conditionRaw }: Reversal): void {
  let collateralRaw = conditionRaw
  const sharesRaw: [number, number] = [0, 0]
  for (const leg of legs) {
    collateralRaw += leg.collateralRaw
    sharesRaw[leg.outcome] += leg.sharesRaw
  }
  assert(collateralRaw === 0, 'a reversal moves collateral and makes none')
  assert(sharesRaw[0] === conditionRaw, 'YES shares come and go with their collateral')
  assert(sharesRaw[1] === conditionRaw, 'NO shares come and go with their collateral')
}

export class Reversals {
  readonly #collateralRaw = new Map<number, number>()
  readonly #sharesRaw = new Map<string, number>()

  /**
   * What reversals took of the account's collateral: its free balance may be this far below zero.
   */
  collateralTakenRaw(accountId: AccountId): number {
    return this.#collateralRaw.get(accountId) ?? 0
  }

  /** What reversals took of the account's shares of one outcome. */
  sharesTakenRaw(accountId: AccountId, marketId: MarketId, outcome: number): number {
    return this.#sharesRaw.get(`${accountId}:${marketId}:${outcome}`) ?? 0
  }

  apply(ledger: Ledger, reversal: Reversal): void {
    assertBalanced(reversal)
    const { marketId, legs, conditionRaw } = reversal
    // Comes before the collateral leaves the condition: it may back shares that were sold on.
    let shortRaw = 0
    for (const { accountId, outcome, collateralRaw, sharesRaw } of legs) {
      const row = ledger.rowFor(accountId, marketId)
      ledger.moveBack(accountId, row * 2 + outcome, collateralRaw, sharesRaw)
      if (collateralRaw < 0) {
        this.#collateralRaw.set(accountId, this.collateralTakenRaw(accountId) - collateralRaw)
      }
      if (sharesRaw >= 0) continue
      const takenRaw = this.sharesTakenRaw(accountId, marketId, outcome) - sharesRaw
      this.#sharesRaw.set(`${accountId}:${marketId}:${outcome}`, takenRaw)
      shortRaw -= sharesRaw
    }
    ledger.shortRaw[marketId] += shortRaw
    ledger.moveCondition(marketId, conditionRaw)
  }

  /** For the state hash: no fact before the first reversal. */
  *facts(): Iterable<unknown> {
    const { collateral, shares } = this.capture()
    if (collateral.length + shares.length > 0) yield ['reversed', collateral, shares]
  }

  capture(): CapturedReversals {
    return {
      collateral: [...this.#collateralRaw].sort(([a], [b]) => a - b),
      shares: [...this.#sharesRaw].sort(([a], [b]) => (a < b ? -1 : 1)),
    }
  }

  restore(captured: CapturedReversals): void {
    for (const [accountId, takenRaw] of captured.collateral) {
      this.#collateralRaw.set(accountId, takenRaw)
    }
    for (const [key, takenRaw] of captured.shares) this.#sharesRaw.set(key, takenRaw)
  }
}
