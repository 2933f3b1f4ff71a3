// Reverses the fills of a trade whose settlement failed (design §5). Only free balances move, by
// the amounts in the command, so reversals commute with results that markets still owe (invariant 2
// of design §1). Only a reversal may make a free balance negative. The totals that reversals took
// from each balance are recorded; no free balance falls below minus its total.

import { assert } from '../../domain/assert.ts'
import type { ReversedCondition, ReversedLeg } from '../../domain/command.ts'
import { type AccountId, FEE_ACCOUNT, type MarketId, type ProfileId } from '../../domain/ids.ts'
import { isBid, SIDE } from '../../domain/order.ts'
import type { MarketFunds } from '../markets/catalogue.ts'
import { makerLegRaw, takerLegRaw } from './fill-money.ts'
import type { Ledger } from './ledger.ts'

/** What reversals took from each account's collateral and shares. */
export interface CapturedReversals {
  readonly collateral: readonly (readonly [accountId: AccountId, takenRaw: number])[]
  readonly shares: readonly CapturedShares[]
}
type CapturedShares = readonly [
  marketId: MarketId,
  accountId: AccountId,
  outcome: number,
  takenRaw: number,
]

/** A settled trade. Sizes are raw shares; prices are ticks of the YES ladder. */
export interface SettledTrade {
  readonly marketId: MarketId
  readonly takerId: ProfileId
  readonly side: number
  readonly outcome: number
  /** Shares for a buy, collateral for a sell. */
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
  readonly legs: readonly ReversedLeg[]
  readonly conditions: readonly ReversedCondition[]
}

class Legs {
  readonly #marketId: MarketId
  readonly #legs = new Map<string, { -readonly [K in keyof ReversedLeg]: ReversedLeg[K] }>()

  constructor(marketId: MarketId) {
    this.#marketId = marketId
  }

  add(accountId: AccountId, outcome: number, collateralRaw: number, sharesRaw: number): void {
    const key = `${accountId}:${outcome}`
    const marketId = this.#marketId
    const leg = this.#legs.get(key)
    if (leg === undefined) {
      this.#legs.set(key, { accountId, marketId, outcome, collateralRaw, sharesRaw })
    } else {
      leg.collateralRaw += collateralRaw
      leg.sharesRaw += sharesRaw
    }
  }

  all(): ReversedLeg[] {
    return [...this.#legs.values()]
  }
}

/**
 * The inverse of all moves that `settleFill` and `settleProceeds` made for the trade (rules §2.4).
 */
export function reversalOf(trade: SettledTrade): Reversal {
  const { marketId, takerId, outcome, feeRaw } = trade
  const legs = new Legs(marketId)
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
  const conditions = conditionRaw === 0 ? [] : [{ marketId, collateralRaw: conditionRaw }]
  return { legs: legs.all(), conditions }
}

/** The part of a trade that one command reverses; `fillsLeft` as in the command. */
export interface ReversalPart extends Reversal {
  readonly fillsLeft?: number
}

/**
 * The reversal of a trade as commands of at most `legsMax` legs, without the fills that earlier
 * commands reversed. Each part reverses whole fills, so it balances by itself. The first part also
 * reverses the fee.
 */
export function reversalParts(
  trade: SettledTrade,
  legsMax: number,
  takenFills: number,
): ReversalPart[] {
  if (takenFills === 0) {
    const whole = reversalOf(trade)
    if (whole.legs.length <= legsMax) return [whole]
  }
  const parts: ReversalPart[] = []
  // A fill adds its maker's leg. The legs of the taker and of the fees are in each part.
  const fillsMax = legsMax - 2
  const { fills } = trade
  for (let from = takenFills; from < fills.length; from += fillsMax) {
    const feeRaw = from === 0 ? trade.feeRaw : 0
    const part = reversalOf({ ...trade, feeRaw, fills: fills.slice(from, from + fillsMax) })
    const fillsLeft = fills.length - from - fillsMax
    parts.push(fillsLeft > 0 ? { ...part, fillsLeft } : part)
  }
  return parts
}

/** Every unit that leaves one balance arrives at another (invariant 5 of design §1). */
function assertBalanced({ legs, conditions }: Reversal): void {
  let collateralRaw = 0
  /** Shares by market and outcome, less the collateral that goes behind their pairs. */
  const unpairedRaw = new Map<string, number>()
  const addShares = (marketId: MarketId, outcome: number, raw: number) => {
    const key = `${marketId}:${outcome}`
    unpairedRaw.set(key, (unpairedRaw.get(key) ?? 0) + raw)
  }
  for (const leg of legs) {
    collateralRaw += leg.collateralRaw
    addShares(leg.marketId, leg.outcome, leg.sharesRaw)
  }
  for (const condition of conditions) {
    collateralRaw += condition.collateralRaw
    for (const outcome of [0, 1]) addShares(condition.marketId, outcome, -condition.collateralRaw)
  }
  assert(collateralRaw === 0, 'a reversal moves collateral and creates none')
  for (const raw of unpairedRaw.values()) {
    assert(raw === 0, 'shares change with the collateral of their pairs')
  }
}

export class Reversals {
  readonly #collateralRaw = new Map<AccountId, number>()
  /** For each market, by account × 2 + outcome. */
  readonly #sharesRaw = new Map<MarketId, Map<number, number>>()

  /**
   * What reversals took from the account's collateral. Its free balance may be this far below zero.
   */
  collateralTakenRaw(accountId: AccountId): number {
    return this.#collateralRaw.get(accountId) ?? 0
  }

  /** What reversals took from the account's shares of one outcome. */
  sharesTakenRaw(accountId: AccountId, marketId: MarketId, outcome: number): number {
    return this.#sharesRaw.get(marketId)?.get(accountId * 2 + outcome) ?? 0
  }

  /** Markets in which reversals took shares from the account. */
  *marketsOf(accountId: AccountId): Iterable<MarketId> {
    for (const [marketId, taken] of this.#sharesRaw) {
      if (taken.has(accountId * 2) || taken.has(accountId * 2 + 1)) yield marketId
    }
  }

  /** Whether a reversal took anything from the account that is still counted. */
  tookOf(accountId: AccountId): boolean {
    const { done } = this.marketsOf(accountId)[Symbol.iterator]().next()
    return done !== true || this.#collateralRaw.has(accountId)
  }

  apply(ledger: Ledger, marketOf: (marketId: MarketId) => MarketFunds, reversal: Reversal): void {
    assertBalanced(reversal)
    for (const { accountId, marketId, outcome, collateralRaw, sharesRaw } of reversal.legs) {
      const market = marketOf(marketId)
      const row = ledger.rowFor(accountId, market)
      ledger.moveBack(accountId, row * 2 + outcome, collateralRaw, sharesRaw)
      if (collateralRaw < 0) {
        this.#collateralRaw.set(accountId, this.collateralTakenRaw(accountId) - collateralRaw)
      }
      if (sharesRaw >= 0) continue
      this.owedShares(market, accountId, outcome, -sharesRaw)
    }
    // After the shares, because the collateral may back shares that were sold on.
    for (const { marketId, collateralRaw } of reversal.conditions) {
      ledger.moveCondition(marketOf(marketId), collateralRaw)
    }
  }

  /** Collateral that an account owes: for negative shares at their redemption, or that left. */
  owed(accountId: AccountId, collateralRaw: number): void {
    this.#collateralRaw.set(accountId, this.collateralTakenRaw(accountId) + collateralRaw)
  }

  /** An account owes shares of one outcome that it no longer has. */
  owedShares(market: MarketFunds, accountId: AccountId, outcome: number, sharesRaw: number): void {
    this.#takeShares(market.marketId, accountId * 2 + outcome, sharesRaw)
    market.shortRaw += sharesRaw
  }

  #takeShares(marketId: MarketId, key: number, sharesRaw: number): void {
    const taken = this.#sharesRaw.get(marketId) ?? new Map<number, number>()
    this.#sharesRaw.set(marketId, taken)
    taken.set(key, (taken.get(key) ?? 0) + sharesRaw)
  }

  /** The market has no positions any more. */
  forget(marketId: MarketId): void {
    this.#sharesRaw.delete(marketId)
  }

  /** For the state hash; empty before the first reversal. */
  *hashedFields(): Iterable<unknown> {
    const { collateral, shares } = this.capture()
    if (collateral.length + shares.length > 0) yield ['reversed', collateral, shares]
  }

  capture(): CapturedReversals {
    const shares = [...this.#sharesRaw].flatMap(([marketId, taken]) =>
      [...taken].map(([key, takenRaw]): CapturedShares => {
        return [marketId, Math.floor(key / 2), key % 2, takenRaw]
      }),
    )
    return {
      collateral: [...this.#collateralRaw].sort(([a], [b]) => a - b),
      shares: shares.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]),
    }
  }

  restore(captured: CapturedReversals): void {
    for (const [accountId, takenRaw] of captured.collateral) {
      this.#collateralRaw.set(accountId, takenRaw)
    }
    for (const [marketId, accountId, outcome, takenRaw] of captured.shares) {
      this.#takeShares(marketId, accountId * 2 + outcome, takenRaw)
    }
  }
}
