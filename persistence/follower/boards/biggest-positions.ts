import { reservesRaw } from '../../../engine/core/amm/pool-commands.ts'
import { yesPriceOf } from '../../../engine/core/amm/pool-price.ts'
import { eachResting } from '../../../engine/core/book/market.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { Middle } from '../../../engine/core/rewards/middle.ts'
import { isSystemAccount, type MarketId, type ProfileId } from '../../../engine/domain/ids.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { isBid } from '../../../engine/domain/order.ts'
import { mulDivFloor, PRICE_ONE_TICKS, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { BestRows } from './best-rows.ts'
import {
  BIGGEST_ROWS_MAX,
  MARK_SOURCES,
  type ProjectionAsk,
  type ProjectionRows,
} from './projection.ts'

// The largest open positions, by what they are worth and by what they gained (rules §9.5). The
// marks are those of the follower's own books and pools, each at the moment when its market is
// looked at.

const OF_MARKET = `
SELECT owner, outcome, size_raw AS sizeRaw, cost_raw AS costRaw
FROM positions INDEXED BY open_positions
WHERE size_raw > 0 AND market_id = ? AND (owner, outcome) > (?, ?) ORDER BY owner, outcome LIMIT ?`
const PAGE_ROWS = 128
const E6_PER_HALF_TICK = UNIT_RAW / PRICE_ONE_TICKS / 2
const NO_LOOK = () => {}

export interface Mark {
  readonly yesE6: number
  readonly source: (typeof MARK_SOURCES)[number]
}

interface Held {
  readonly owner: ProfileId
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
}

interface Valued extends Held {
  readonly marketId: MarketId
  readonly valueRaw: number
  readonly markE6: number
  readonly source: number
}

function byPlace(one: Valued, other: Valued): number {
  return one.marketId - other.marketId || one.owner - other.owner || one.outcome - other.outcome
}

const byWorth = (one: Valued, other: Valued) => other.valueRaw - one.valueRaw || byPlace(one, other)
const byGain = (one: Valued, other: Valued) =>
  other.valueRaw - other.costRaw - (one.valueRaw - one.costRaw) || byPlace(one, other)

/** The worth of a YES share of a market that is not resolved (rules §9.1). */
export function markOf(market: Market, { ledger, orders }: Clearing, look = NO_LOOK): Mark {
  if (kindOf(market) === 'amm') {
    return { yesE6: yesPriceOf(reservesRaw(ledger, market.marketId), UNIT_RAW), source: 'pool' }
  }
  const middle = new Middle(market.minSizeRaw)
  if (market.book !== 0) {
    eachResting(market.book, (ticks, slot, _owner, leftRaw) => {
      middle.rests(isBid(orders.sideOf(slot), orders.outcomeOf(slot)), ticks, leftRaw)
      look()
    })
  }
  if (!middle.isEmpty) {
    return { yesE6: middle.halfTicks * E6_PER_HALF_TICK, source: 'midpoint' }
  }
  const { lastYesTicks } = market
  if (lastYesTicks === 0) return { yesE6: UNIT_RAW / 2, source: 'half' }
  return { yesE6: lastYesTicks * 2 * E6_PER_HALF_TICK, source: 'lastTrade' }
}

export class BiggestPositions {
  readonly #ofMarket: Statement<[MarketId, ProfileId, outcome: number, limit: number], Held>
  readonly #clearing: Clearing
  readonly #look: () => void

  /** `look` is called while the orders of a large book are walked. */
  constructor(connection: Connection, clearing: Clearing, look: () => void) {
    this.#ofMarket = connection.prepare(OF_MARKET)
    this.#clearing = clearing
    this.#look = look
  }

  *rows({ marketIds }: ProjectionAsk): Generator<undefined, ProjectionRows> {
    const worth = new BestRows<Valued>(BIGGEST_ROWS_MAX, byWorth)
    const gain = new BestRows<Valued>(BIGGEST_ROWS_MAX, byGain)
    const { catalogue } = this.#clearing
    for (const marketId of marketIds ?? catalogue.all().map((each) => each.marketId)) {
      const market = catalogue.byId(marketId)
      yield
      // A resolved market has nothing open, and a group has no shares of its own.
      if (market === undefined || market.payoutNumerators !== null) continue
      if (kindOf(market) === 'group') continue
      for (const row of this.#valued(market)) {
        if (row === null) yield
        else for (const list of [worth, gain]) list.add(row)
      }
    }
    return Float64Array.from(
      [worth, gain].flatMap(({ rows }, order) =>
        rows.flatMap(({ marketId, owner, outcome, sizeRaw, costRaw, markE6, source }) => [
          ...[order, marketId, owner, outcome, sizeRaw, costRaw, markE6, source],
        ]),
      ),
    )
  }

  /** The open positions of a market, and null where others may have a turn. */
  *#valued(market: Market): Generator<Valued | null, void> {
    const { marketId } = market
    const mark = markOf(market, this.#clearing, this.#look)
    const source = MARK_SOURCES.indexOf(mark.source)
    let at: Pick<Held, 'owner' | 'outcome'> = { owner: 0, outcome: 0 }
    for (;;) {
      const rows = this.#ofMarket.all(marketId, at.owner, at.outcome, PAGE_ROWS)
      for (const row of rows) {
        at = row
        if (isSystemAccount(row.owner)) continue
        const markE6 = row.outcome === 0 ? mark.yesE6 : UNIT_RAW - mark.yesE6
        const valueRaw = mulDivFloor(row.sizeRaw, markE6, UNIT_RAW)
        yield { ...row, marketId, valueRaw, markE6, source }
      }
      if (rows.length < PAGE_ROWS) return
      yield null
    }
  }
}
