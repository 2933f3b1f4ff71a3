// What a profile has (rules §9.1): its collateral, and its shares with their worth.

import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { openOrders } from '../../../persistence/query/read/orders/open-orders.ts'
import type { OrderRow } from '../../../persistence/query/read/orders/user-orders.ts'
import { heldPositions } from '../../../persistence/query/read/portfolio/held-positions.ts'
import {
  type PoolTotal,
  poolTotals,
} from '../../../persistence/query/read/portfolio/pool-trades.ts'
import type { PositionRow } from '../../../persistence/query/read/positions.ts'
import type { Pipeline } from '../../pipeline/pipeline.ts'
import { marketValueRaw } from '../../pipeline/shown/position-views.ts'
import type { PublishedMarket } from '../../pipeline/shown/published.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { Asker, PrivateReads } from '../private-reads.ts'

/** What a profile has of one market. */
export interface Holding {
  readonly market: PublishedMarket
  readonly yes: PositionRow
  readonly no: PositionRow
  /** Newest first. */
  readonly orders: readonly OrderRow[]
  /** What it ever traded with the pool of the market. */
  readonly totals: readonly PoolTotal[]
}

/** The holdings that one reply shows. */
export interface Holdings {
  /** The newest markets first. */
  readonly all: readonly Holding[]
  /** False when the profile has more markets or open orders than a reply shows. */
  readonly isWhole: boolean
}

export interface Balance {
  readonly freeRaw: number
  /** In open orders. */
  readonly reservedRaw: number
  /** In packs and offers of packs. */
  readonly parkedRaw: number
}

export class Portfolio {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets

  constructor(pipeline: Pipeline, reads: PrivateReads, archive: ArchivedMarkets) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
  }

  /** Main has settled all that the profile was told, so it knows the newest balance. */
  async balance(profileId: ProfileId): Promise<Balance> {
    const { ledger, packs } = this.#pipeline.clearing
    const parkedRaw = packs.parkedRaw(profileId)
    const freeRaw = ledger.freeRaw(profileId)
    const reservedRaw = ledger.reservedRaw(profileId)
    await this.#pipeline.durable()
    return { freeRaw, reservedRaw, parkedRaw }
  }

  /** Undefined without an answer in time. */
  async holdings(accountId: ProfileId, asker: Asker): Promise<Holdings | undefined> {
    const { heldMarketsMax, heldOrdersMax } = MOVE_LIMITS
    const newest = { accountId, beforeSeq: Number.MAX_SAFE_INTEGER, limit: heldOrdersMax + 1 }
    const open = await this.#reads.read(openOrders, newest, asker)
    if (open === undefined) return undefined
    const orders = open.slice(0, heldOrdersMax)
    const others = [...new Set(orders.map(({ marketId }) => marketId))]
    const ask = { accountId, limit: heldMarketsMax + 1, others }
    const held = await this.#reads.read(heldPositions, ask, asker)
    if (held === undefined) return undefined
    const markets = await this.#archive.byIds(held.marketIds, asker)
    if (markets === undefined) return undefined
    const pools = held.marketIds.filter((marketId) => markets.get(marketId)?.pool)
    const totals = await this.#totalsOf(accountId, pools, asker)
    if (totals === undefined) return undefined
    const ofOrders = grouped(orders)
    const ofTotals = grouped(totals)
    const ofRows = grouped(held.rows)
    const all = held.marketIds.flatMap((marketId): Holding[] => {
      const market = markets.get(marketId)
      if (market === undefined) return []
      const rows = ofRows.get(marketId) ?? []
      const side = (outcome: number) =>
        rows.find((row) => row.outcome === outcome) ?? nothing(marketId, outcome)
      const [own, traded] = [ofOrders.get(marketId) ?? [], ofTotals.get(marketId) ?? []]
      return [{ market, yes: side(0), no: side(1), orders: own, totals: traded }]
    })
    const isWhole = open.length <= heldOrdersMax && held.marketIds.length <= heldMarketsMax
    return { all, isWhole }
  }

  /** Worth of all shares less their cost; of the newest markets alone when there are too many. */
  async unrealisedRaw(accountId: ProfileId, asker: Asker): Promise<number | undefined> {
    const ask = { accountId, limit: MOVE_LIMITS.heldMarketsMax, others: [] }
    const held = await this.#reads.read(heldPositions, ask, asker)
    if (held === undefined) return undefined
    const markets = await this.#archive.byIds(held.marketIds, asker)
    if (markets === undefined) return undefined
    let sumRaw = 0
    for (const row of held.rows) {
      const shown = markets.get(row.marketId)
      if (shown !== undefined) sumRaw += marketValueRaw(row, shown) - row.costRaw
    }
    return sumRaw
  }

  #totalsOf(owner: ProfileId, marketIds: readonly MarketId[], asker: Asker) {
    const none: readonly PoolTotal[] = []
    if (marketIds.length === 0) return Promise.resolve(none)
    return this.#reads.read(poolTotals, { owner, marketIds }, asker)
  }
}

function nothing(marketId: MarketId, outcome: number): PositionRow {
  return { marketId, outcome, sizeRaw: 0, costRaw: 0, realisedRaw: 0 }
}

function grouped<Row extends { readonly marketId: MarketId }>(
  rows: readonly Row[],
): ReadonlyMap<MarketId, Row[]> {
  const groups = new Map<MarketId, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.marketId)
    if (group === undefined) groups.set(row.marketId, [row])
    else group.push(row)
  }
  return groups
}
