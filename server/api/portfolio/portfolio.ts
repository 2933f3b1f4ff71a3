// The portfolio of a profile (rules §9.1): its collateral, and its shares with their value.

import { withdrawableRaw } from '../../../engine/core/decide/funds.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { SIDE } from '../../../engine/domain/order.ts'
import {
  type OrderRow,
  openOrders,
  type SignedOrderRow,
} from '../../../persistence/query/read/orders/user-orders.ts'
import {
  type HeldPositions,
  heldPositions,
} from '../../../persistence/query/read/portfolio/held-positions.ts'
import {
  type PoolTotal,
  poolTotals,
} from '../../../persistence/query/read/portfolio/pool-trades.ts'
import { type PositionRow, positions } from '../../../persistence/query/read/positions.ts'
import { ordersOf } from '../../exchange/order-entry/user-cancels.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import { marketValueRaw } from '../../exchange/read-model/position-views.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { ArchivedMarkets } from '../markets/archived-markets.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import { workFor } from '../reads/private-reads.ts'
import type { SlicedWork, Steps } from '../reads/sliced-work.ts'

/** A profile's holding in one market. */
export interface Holding {
  readonly market: PublishedMarket
  readonly yes: PositionRow
  readonly no: PositionRow
  /** Newest first. */
  readonly orders: readonly SignedOrderRow[]
  /** All its past trades with the pool of the market. */
  readonly totals: readonly PoolTotal[]
}

/** The holdings to include in a reply. */
export interface HoldingsPage {
  /** Only older markets. */
  readonly beforeId: MarketId
  /** Maximum number of markets. */
  readonly limit: number
  /** The one market to include; null for all of the page. */
  readonly marketId: MarketId | null
  /** Only the owner sees open orders; others see shares. */
  readonly withOrders: boolean
}

/** Every market is older. */
export const NEWEST_ID: MarketId = Number.MAX_SAFE_INTEGER

/** The holdings in one reply. */
export interface Holdings {
  /** Newest markets first. */
  readonly all: readonly Holding[]
  /** The next page has the markets before this one; null on the last page. */
  readonly nextId: MarketId | null
  /** False when the profile has markets or open orders that are not in this reply. */
  readonly isWhole: boolean
}

export interface Balance {
  readonly freeRaw: number
  /** In open orders. */
  readonly reservedRaw: number
  /** In packs and offers of packs. */
  readonly parkedRaw: number
  /** Free, and not from unmined trades. */
  readonly withdrawableRaw: number
}

/** Sums of the shares in markets of one kind. */
export interface HeldSum {
  readonly worthRaw: number
  readonly costRaw: number
  /** Number of outcomes held. */
  readonly count: number
}

export interface HeldSums {
  readonly books: HeldSum
  readonly pools: HeldSum
  readonly marketCount: number
}

const noneHeld = () => ({ worthRaw: 0, costRaw: 0, count: 0 })

/** One row per step: finding a mark may scan a whole book, and a profile may hold many markets. */
function* sumSteps(
  { rows, marketIds }: HeldPositions,
  markets: ReadonlyMap<MarketId, PublishedMarket>,
): Steps<HeldSums> {
  const sums = { books: noneHeld(), pools: noneHeld(), marketCount: marketIds.length }
  for (const row of rows) {
    const shown = markets.get(row.marketId)
    if (shown === undefined || row.sizeRaw === 0) continue
    const sum = shown.pool === null ? sums.books : sums.pools
    sum.worthRaw += marketValueRaw(row, shown)
    sum.costRaw += row.costRaw
    sum.count++
    yield
  }
  return sums
}

export class Portfolio {
  readonly #pipeline: Pipeline
  readonly #reads: PrivateReads
  readonly #archive: ArchivedMarkets
  readonly #slices: SlicedWork

  constructor(
    pipeline: Pipeline,
    reads: PrivateReads,
    archive: ArchivedMarkets,
    slices: SlicedWork,
  ) {
    this.#pipeline = pipeline
    this.#reads = reads
    this.#archive = archive
    this.#slices = slices
  }

  /** Main has applied everything published to the profile, so it has the newest balance. */
  async balance(profileId: ProfileId): Promise<Balance> {
    const { clearing } = this.#pipeline
    const { ledger, packs } = clearing
    const parkedRaw = packs.parkedRaw(profileId)
    const freeRaw = ledger.freeRaw(profileId)
    const reservedRaw = ledger.reservedRaw(profileId)
    const leavesRaw = withdrawableRaw(clearing, profileId)
    await this.#pipeline.durable()
    return { freeRaw, reservedRaw, parkedRaw, withdrawableRaw: leavesRaw }
  }

  /** One page of a profile's holdings; undefined on a read timeout. */
  async holdings(
    accountId: ProfileId,
    page: HoldingsPage,
    requester: Requester,
  ): Promise<Holdings | undefined> {
    const { heldOrdersMax } = MOVE_LIMITS
    const newest = { accountId, beforeSeq: Number.MAX_SAFE_INTEGER, limit: heldOrdersMax + 1 }
    const open = page.withOrders ? await this.#reads.read(openOrders, newest, requester) : []
    if (open === undefined) return undefined
    const orders = open.slice(0, heldOrdersMax)
    const held = await this.#heldOn(accountId, page, orders, requester)
    if (held === undefined) return undefined
    const markets = await this.#archive.byIds(held.marketIds, requester)
    if (markets === undefined) return undefined
    const pools = held.marketIds.filter((marketId) => markets.get(marketId)?.pool)
    const totals = await this.#totalsOf(accountId, pools, requester)
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
    const nextId = held.hasMore ? (held.marketIds.at(-1) ?? null) : null
    const isFirst = page.marketId !== null || page.beforeId === NEWEST_ID
    return { all, nextId, isWhole: isFirst && nextId === null && open.length <= heldOrdersMax }
  }

  /** The markets of a page: those with shares or open orders, or the requested one. */
  async #heldOn(
    accountId: ProfileId,
    { marketId, beforeId, limit }: HoldingsPage,
    orders: readonly OrderRow[],
    requester: Requester,
  ): Promise<HeldPositions | undefined> {
    if (marketId === null) {
      const others = [...new Set(orders.map((order) => order.marketId))]
      return this.#reads.read(heldPositions, { accountId, beforeId, limit, others }, requester)
    }
    const rows = await this.#reads.read(positions, { accountId, marketIds: [marketId] }, requester)
    if (rows === undefined) return undefined
    const isHeld =
      rows.some(({ sizeRaw }) => sizeRaw !== 0) ||
      orders.some((order) => order.marketId === marketId)
    return { marketIds: isHeld ? [marketId] : [], rows, hasMore: false }
  }

  /** Value of all shares minus their cost; only for the newest markets when there are too many. */
  async unrealisedRaw(accountId: ProfileId, requester: Requester): Promise<number | undefined> {
    const sums = await this.sums(accountId, requester)
    return (
      sums && sums.books.worthRaw + sums.pools.worthRaw - sums.books.costRaw - sums.pools.costRaw
    )
  }

  /** Value and cost of all shares; only for the newest markets when there are too many. */
  async sums(accountId: ProfileId, requester: Requester): Promise<HeldSums | undefined> {
    const limit = MOVE_LIMITS.heldMarketsMax
    const request = { accountId, beforeId: NEWEST_ID, limit, others: [] }
    const held = await this.#reads.read(heldPositions, request, requester)
    if (held === undefined) return undefined
    const markets = await this.#archive.byIds(held.marketIds, requester)
    if (markets === undefined) return undefined
    const sums = await this.#slices.run(workFor(requester, this.#pipeline), sumSteps(held, markets))
    return sums ?? undefined
  }

  /**
   * The reserves of a profile's open orders in these markets. It costs main one step per order, so
   * the time is charged to the caller.
   */
  async locked(
    profileId: ProfileId,
    marketIds: readonly MarketId[],
    requester: Requester,
  ): Promise<{ collateralRaw: number; sharesRaw: number }> {
    const { clearing } = this.#pipeline
    const { orders } = clearing
    const startedMs = performance.now()
    const locked = { collateralRaw: 0, sharesRaw: 0 }
    for (const marketId of marketIds) {
      for (const { slot } of ordersOf(clearing, profileId, marketId)) {
        const reservedRaw = orders.reservedRawOf(slot)
        if (orders.sideOf(slot) === SIDE.BUY) locked.collateralRaw += reservedRaw
        else locked.sharesRaw += reservedRaw
      }
    }
    requester.charges?.mainTook(performance.now() - startedMs)
    await this.#pipeline.durable()
    return locked
  }

  #totalsOf(owner: ProfileId, marketIds: readonly MarketId[], requester: Requester) {
    const none: readonly PoolTotal[] = []
    if (marketIds.length === 0) return Promise.resolve(none)
    return this.#reads.read(poolTotals, { owner, marketIds }, requester)
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
