import { reservesRaw } from '../../../engine/core/amm/pool-commands.ts'
import { yesPriceOf } from '../../../engine/core/amm/pool-price.ts'
import { eachResting } from '../../../engine/core/book/market.ts'
import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { isSystemAccount, type MarketId, type ProfileId } from '../../../engine/domain/ids.ts'
import {
  MARK_SOURCES,
  type Mark,
  markOf,
  shareE6,
  valueRaw,
} from '../../../engine/domain/markets/mark.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { isBid } from '../../../engine/domain/order.ts'
import { PRICE_ONE_TICKS, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { Connection, Statement } from '../../database.ts'
import { BIGGEST_ROWS_MAX, type ProjectionParams, type ProjectionRows } from './projection.ts'
import { Ranking } from './top-rows.ts'

// The largest open positions, by value and by gain (rules §9.5). The marks come from the follower's
// own books and pools, each at the time its market is read. A pass over all markets reads the
// positions of markets whose mark or positions changed since the last pass, so it costs as much as
// has changed, not as much as is held.

const OF_MARKET = `
SELECT p.owner, outcome, size_raw AS sizeRaw, cost_raw AS costRaw,
  coalesce(is_counted, 1) AS isCounted
FROM positions p INDEXED BY open_positions
LEFT JOIN board_spreads s ON s.market_id = p.market_id AND s.owner = p.owner
WHERE size_raw > 0 AND p.market_id = ? AND (p.owner, outcome) > (?, ?)
ORDER BY p.owner, outcome LIMIT ?`
const PAGE_ROWS = 128
const NO_LOOK = () => {}

interface Held {
  readonly owner: ProfileId
  readonly outcome: number
  readonly sizeRaw: number
  readonly costRaw: number
  /** Whether boards count the owner's gains in the market (tables/accounts/spreads.ts). */
  readonly isCounted: 0 | 1
}

interface Valued extends Held {
  readonly marketId: MarketId
  readonly worthRaw: number
  readonly markE6: number
  readonly source: number
}

function byPlace(one: Valued, other: Valued): number {
  return one.marketId - other.marketId || one.owner - other.owner || one.outcome - other.outcome
}

const byWorth = (one: Valued, other: Valued) => other.worthRaw - one.worthRaw || byPlace(one, other)
const byGain = (one: Valued, other: Valued) =>
  other.worthRaw - other.costRaw - (one.worthRaw - one.costRaw) || byPlace(one, other)

/**
 * The sizes of one book by tick. A mark is taken without interruption, so one column serves all
 * markets.
 */
const signedRaw = new Float64Array(PRICE_ONE_TICKS)

/** The value of a share, from the follower's own book or pool of its market (rules §9.1). */
export function stateMark(market: Market, { ledger, orders }: Clearing, look = NO_LOOK): Mark {
  if (kindOf(market) === 'amm') {
    const pool = reservesRaw(ledger, market.marketId)
    return markOf(market, { reservesRaw: pool, yesE6: yesPriceOf(pool, UNIT_RAW) })
  }
  signedRaw.fill(0)
  if (market.book !== 0) {
    eachResting(market.book, (ticks, slot, _owner, leftRaw) => {
      const isBuy = isBid(orders.sideOf(slot), orders.outcomeOf(slot))
      signedRaw[ticks] += isBuy ? leftRaw : -leftRaw
      look()
    })
  }
  return markOf(market, signedRaw)
}

const isSame = (one: Mark, other: Mark | undefined) =>
  one.yesE6 === other?.yesE6 && one.source === other.source

/** The result of a pass, in both orders. */
class Found {
  readonly worth = new Ranking<Valued>(BIGGEST_ROWS_MAX, byWorth)
  readonly gain = new Ranking<Valued>(BIGGEST_ROWS_MAX, byGain)
  /** The mark of each open market with shares. */
  readonly marks = new Map<MarketId, Mark>()

  add(row: Valued): void {
    this.worth.add(row)
    if (row.isCounted === 1) this.gain.add(row)
  }

  keep(marketIds: ReadonlySet<MarketId>, before: Found): void {
    this.worth.keep(marketIds, before.worth)
    this.gain.keep(marketIds, before.gain)
  }

  misses(marketId: MarketId): boolean {
    return this.worth.misses(marketId) || this.gain.misses(marketId)
  }

  forget(marketId: MarketId): void {
    this.worth.forget(marketId)
    this.gain.forget(marketId)
  }

  rows(): ProjectionRows {
    return Float64Array.from(
      [this.worth, this.gain].flatMap(({ rows }, order) =>
        rows.flatMap(({ marketId, owner, outcome, sizeRaw, costRaw, worthRaw, markE6, source }) => [
          order,
          marketId,
          owner,
          outcome,
          sizeRaw,
          costRaw,
          worthRaw,
          markE6,
          source,
        ]),
      ),
    )
  }
}

export interface BiggestParts {
  readonly clearing: Clearing
  /** Called while the orders of a large book are visited. */
  readonly look: () => void
  /** The markets whose positions changed since the last call. */
  readonly takeChanged: () => ReadonlySet<MarketId>
}

export class BiggestPositions {
  readonly #ofMarket: Statement<[MarketId, ProfileId, outcome: number, limit: number], Held>
  readonly #parts: BiggestParts
  /** The result of the last pass over all markets. */
  #last = new Found()

  constructor(connection: Connection, parts: BiggestParts) {
    this.#ofMarket = connection.prepare(OF_MARKET)
    this.#parts = parts
  }

  *rows({ marketIds }: ProjectionParams): Generator<undefined, ProjectionRows> {
    const found = new Found()
    if (marketIds === null) yield* this.#findAll(found)
    else {
      yield* this.#mark(marketIds, found)
      for (const marketId of found.marks.keys()) yield* this.#walk(marketId, found)
    }
    return found.rows()
  }

  *#findAll(found: Found): Generator<undefined, void> {
    const { clearing, takeChanged } = this.#parts
    const before = this.#last
    const changed = takeChanged()
    yield* this.#mark(
      clearing.catalogue.all().map(({ marketId }) => marketId),
      found,
    )
    const isQuiet = (marketId: MarketId, mark: Mark) =>
      !changed.has(marketId) && isSame(mark, before.marks.get(marketId))
    const quiet = new Set<MarketId>()
    for (const [marketId, mark] of found.marks) if (isQuiet(marketId, mark)) quiet.add(marketId)
    found.keep(quiet, before)
    for (const marketId of found.marks.keys()) {
      if (!quiet.has(marketId)) yield* this.#walk(marketId, found)
    }
    // Losses of others may bring a position that was missed before into the ranking.
    for (const marketId of quiet) {
      yield
      if (!found.misses(marketId)) continue
      found.forget(marketId)
      yield* this.#walk(marketId, found)
    }
    this.#last = found
  }

  *#mark(marketIds: readonly MarketId[], { marks }: Found): Generator<undefined, void> {
    const { clearing, look } = this.#parts
    for (const marketId of marketIds) {
      yield
      const market = clearing.catalogue.byId(marketId)
      // A resolved market has no open positions, and a group has no shares.
      if (market === undefined || market.payoutNumerators !== null) continue
      if (kindOf(market) !== 'group') marks.set(marketId, stateMark(market, clearing, look))
    }
  }

  *#walk(marketId: MarketId, found: Found): Generator<undefined, void> {
    const mark = found.marks.get(marketId)
    if (mark === undefined) return
    for (const row of this.#valued(marketId, mark)) {
      if (row === null) yield
      else found.add(row)
    }
  }

  /** The open positions of a market; null where other work may run. */
  *#valued(marketId: MarketId, mark: Mark): Generator<Valued | null, void> {
    const source = MARK_SOURCES.indexOf(mark.source)
    let at: Pick<Held, 'owner' | 'outcome'> = { owner: 0, outcome: 0 }
    for (;;) {
      const rows = this.#ofMarket.all(marketId, at.owner, at.outcome, PAGE_ROWS)
      for (const row of rows) {
        at = row
        if (isSystemAccount(row.owner)) continue
        const worthRaw = valueRaw(row, mark)
        yield { ...row, marketId, worthRaw, markE6: shareE6(row, mark), source }
      }
      if (rows.length < PAGE_ROWS) return
      yield null
    }
  }
}
