// The history of a market: its trades, its prices and its feed, from the read tables. A method
// returns null for an unknown market, and undefined on a read timeout.

import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import { UNIT_RAW } from '../../../engine/domain/units.ts'
import { minedTrades } from '../../../persistence/query/read/history/mined-trades.ts'
import { prices } from '../../../persistence/query/read/history/prices.ts'
import { tape } from '../../../persistence/query/read/history/tape.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { ArchivedMarkets } from './archived-markets.ts'
import type { PriceWindow } from './price-intervals.ts'
import { createdFeed, eventView, resolvedFeed, tapeView, tradeFeed } from './trade-views.ts'

export interface Series {
  readonly title: string
  /** Newest first. */
  readonly prices: readonly { readonly price: number; readonly timestamp: string }[]
}

export interface PageRequest {
  /** Counted from 1. */
  readonly page: number
  readonly limit: number
}

interface Params<Wanted> {
  readonly slug: string
  readonly wanted: Wanted
  readonly requester: Requester
}

/** The market of a trade: a group lists the trades of its markets. */
function marketOf(params: PublishedMarket, { marketId }: { marketId: MarketId }): Market {
  const child = params.children.find(({ market }) => market.marketId === marketId)
  return child?.market ?? params.market
}

export class MarketHistory {
  readonly #archive: ArchivedMarkets
  readonly #reads: PrivateReads
  readonly #clock: () => number

  constructor(archive: ArchivedMarkets, reads: PrivateReads, clock: () => number) {
    this.#archive = archive
    this.#reads = reads
    this.#clock = clock
  }

  /** Mined trades, newest first. A page without events has only `events` and `totalPages`. */
  async events({ slug, wanted, requester }: Params<PageRequest>) {
    const published = await this.#archive.bySlug(slug, requester)
    if (!published) return published
    const { page, limit } = wanted
    const skip = (page - 1) * limit
    const found = await this.#mined(published, { skip, limit }, requester)
    if (found === undefined) return undefined
    const events = found.trades.map((trade) => eventView(trade, marketOf(published, trade)))
    const totalPages = Math.ceil(found.count / limit)
    return events.length === 0 ? { events, totalPages } : { events, totalPages, page, limit }
  }

  /** The events of the market, newest first: the resolution, the mined trades, the creation. */
  async feed({ slug, wanted, requester }: Params<PageRequest>) {
    const published = await this.#archive.bySlug(slug, requester)
    if (!published) return published
    const { page, limit } = wanted
    const first = (page - 1) * limit
    const resolved = published.payoutNumerators === null ? [] : [resolvedFeed(published)]
    const heads = resolved.slice(first, first + limit)
    const part = { skip: Math.max(0, first - resolved.length), limit: limit - heads.length }
    const found = await this.#mined(published, part, requester)
    if (found === undefined) return undefined
    const trades = found.trades.map((trade) => tradeFeed(trade, marketOf(published, trade)))
    const total = resolved.length + found.count + 1
    const isLast = first < total && total <= first + limit
    const tail = isLast ? [createdFeed(published.market)] : []
    return { data: [...heads, ...trades, ...tail], totalPages: Math.ceil(total / limit) }
  }

  /** The tape: trades by ascending seq. */
  async trades({ slug, wanted, requester }: Params<{ afterSeq: Seq | null; limit: number }>) {
    const published = await this.#archive.bySlug(slug, requester)
    if (!published) return published
    const isGroup = kindOf(published.market) === 'group'
    const ofRequested = isGroup ? published.children : [published]
    const marketIds = ofRequested.map(({ market }) => market.marketId)
    const page = await this.#reads.read(tape, { marketIds, ...wanted }, requester)
    if (page === undefined) return undefined
    let { prevSeq } = page
    return page.trades.map((row) => {
      const view = tapeView(row, prevSeq)
      prevSeq = row.seq
      return isGroup ? { ...view, marketSlug: marketOf(published, row).slug } : view
    })
  }

  /** The price series of one slug. */
  async prices({ slug, wanted, requester }: Params<PriceWindow>) {
    const published = await this.#archive.bySlug(slug, requester)
    if (!published) return published
    if (kindOf(published.market) === 'group') return this.#allSeries(published, wanted, requester)
    return this.#series(published, wanted, requester)
  }

  /** The series of the children of a group in order, each with its slug. */
  async #allSeries(
    { children }: PublishedMarket,
    window: PriceWindow,
    requester: Requester,
  ): Promise<({ slug: string } & Series)[] | undefined> {
    const all: ({ slug: string } & Series)[] = []
    for (const published of children) {
      const series = await this.#series(published, window, requester)
      if (series === undefined) return undefined
      all.push({ slug: published.market.slug, ...series })
    }
    return all
  }

  async #series(
    published: PublishedMarket,
    window: PriceWindow,
    requester: Requester,
  ): Promise<Series | undefined> {
    const { marketId, title } = published.market
    // A resolved market has no prices after its resolution.
    const endMs = published.status === 'RESOLVED' ? published.updatedMs : this.#clock()
    const untilMs = Math.min(endMs, window.untilMs)
    const isPool = kindOf(published.market) === 'amm'
    const params = { marketId, isPool, ...window, untilMs }
    const found = await this.#reads.read(prices, params, requester)
    if (found === undefined) return undefined
    const shown = found.yesE6.map((yesE6, index) => {
      return { price: yesE6 / UNIT_RAW, timestamp: isoText(found.newestMs - index * found.stepMs) }
    })
    return { title, prices: shown }
  }

  #mined({ market }: PublishedMarket, part: { skip: number; limit: number }, requester: Requester) {
    return this.#reads.read(minedTrades, { marketId: market.marketId, ...part }, requester)
  }
}
