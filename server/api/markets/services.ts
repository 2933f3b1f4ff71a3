import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { MarketId, Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { kindOf } from '../../../engine/domain/markets/market.ts'
import {
  FREQUENCIES,
  type Frequency,
  SLOT_STATES,
  SUB_FREQUENCIES,
  type SubFrequency,
} from '../../../engine/domain/markets/series.ts'
import { OUTCOME, SIDE } from '../../../engine/domain/order.ts'
import { type PriceE8, type TimeMs, UNIT_RAW } from '../../../engine/domain/units.ts'
import type { TradeRow } from '../../../persistence/query/read/history/market-trades.ts'
import {
  type MinedTrade,
  minedTrades,
  type TakerRow,
} from '../../../persistence/query/read/history/mined-trades.ts'
import { prices } from '../../../persistence/query/read/history/prices.ts'
import { tape } from '../../../persistence/query/read/history/tape.ts'
import type { CandleRow } from '../../../persistence/query/read/markets/oracle-candles.ts'
import {
  type SeriesRow,
  type SlotRow,
  type TimelineParams,
  timeline,
} from '../../../persistence/query/read/markets/timeline.ts'
import { shownName } from '../../../persistence/query/read/profiles.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { Tickers } from '../../exchange/read-model/tickers.ts'
import {
  averageYesPrice,
  fillsIn,
  ofOutcome,
  yesFills,
} from '../../exchange/read-model/trade-prices.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PageServices } from '../pages/services.ts'
import type { PrivateReads, Requester } from '../reads/private-reads.ts'
import type { SharedServices } from '../shared-services.ts'
import type { ArchivedMarkets } from './archived-markets.ts'
import type { MarketChanges, SeriesChanges } from './market-changes.ts'

// The intervals of a price history and their steps (rules §11.5).

const SEC = 1000
const MIN = 60 * SEC
const HOUR = 60 * MIN
const DAY = 24 * HOUR

export const INTERVALS = ['5m', '1h', '6h', '1d', '1w', '1m', 'all'] as const
export type Interval = (typeof INTERVALS)[number]

const STEPS: Readonly<Record<Exclude<Interval, 'all'>, readonly [lengthMs: number, ms: number]>> = {
  '5m': [5 * MIN, 5 * SEC],
  '1h': [HOUR, MIN],
  '6h': [6 * HOUR, 5 * MIN],
  '1d': [DAY, 10 * MIN],
  '1w': [7 * DAY, HOUR],
  '1m': [30 * DAY, 6 * HOUR],
}

/** The window and step of one price series. */
export interface PriceWindow {
  readonly untilMs: TimeMs
  /** Null when the step and the number of points determine the start. */
  readonly fromMs: TimeMs | null
  /** Null when the step is derived from the length of the series. */
  readonly stepMs: number | null
  readonly pointsMax: number
}

export interface PriceRequest {
  readonly interval?: Interval | undefined
  readonly fromMs?: TimeMs | undefined
  /** Not later than now. */
  readonly untilMs: TimeMs
  /** Minutes between two points. */
  readonly fidelity?: number | undefined
}

/** A window has too many points; this fidelity is the minimum that fits. */
export interface TooFine {
  readonly fidelityMin: number
}

/**
 * The requested window. With `fromMs` the interval is ignored. A fidelity without either selects
 * the newest points that fit.
 */
export function windowOf(wanted: PriceRequest): PriceWindow | TooFine {
  const { interval, fromMs = null, untilMs, fidelity } = wanted
  const { pricePointsMax } = LIMITS
  const stepMs = fidelity === undefined ? null : fidelity * MIN
  if (fromMs !== null) {
    const points =
      stepMs === null ? 0 : Math.floor(untilMs / stepMs) - Math.floor(fromMs / stepMs) + 1
    return points > pricePointsMax
      ? tooFine(untilMs - fromMs)
      : { untilMs, fromMs, stepMs, pointsMax: pricePointsMax }
  }
  if (interval === 'all' || (interval === undefined && stepMs !== null)) {
    return { untilMs, fromMs, stepMs, pointsMax: pricePointsMax }
  }
  const [lengthMs, ownMs] = STEPS[interval ?? '1d']
  const pointsMax = Math.ceil(lengthMs / (stepMs ?? ownMs))
  if (pointsMax > pricePointsMax) return tooFine(lengthMs)
  return { untilMs, fromMs, stepMs: stepMs ?? ownMs, pointsMax }
}

/** One more step is counted, for the partial steps at both ends. */
function tooFine(lengthMs: number): TooFine {
  return { fidelityMin: Math.ceil(lengthMs / MIN / (LIMITS.pricePointsMax - 1)) }
}

// API views of trades and other events of a market (rules §12.3). The taker's order determines the
// side and the token of a trade.

/** The name of the exchange itself in a feed. */
const EXCHANGE = { name: 'outcomex', rankName: null }

/** The average cost of one share of the taker's token; a trade may have fills at several prices. */
function priceOf({ outcome, fills }: MinedTrade): number {
  return ofOutcome(outcome, averageYesPrice(fillsIn(fills)))
}

/** The fills by price of the taker's token, best price first. */
function ownFills({ outcome, fills }: MinedTrade) {
  const all = yesFills(fillsIn(fills))
  return all.map(({ price, size }) => ({ price: ofOutcome(outcome, price), size }))
}

function profileView(taker: TakerRow) {
  const { profileId, account, username, bio, client, pfpUrl, smartWallet, socialUrl } = taker
  return {
    id: profileId,
    account,
    username,
    displayName: shownName(taker),
    bio,
    client,
    pfpUrl,
    smartWallet,
    isCreator: false,
    socialUrl,
  }
}

/** One finalized trade. */
export function eventView(trade: MinedTrade, market: Market) {
  const { side, outcome, sharesRaw, collateralRaw, settlement, taker } = trade
  const [makerRaw, takerRaw] =
    side === SIDE.BUY ? [collateralRaw, sharesRaw] : [sharesRaw, collateralRaw]
  return {
    createdAt: isoText(trade.tradedMs),
    txHash: settlement.txHash,
    side,
    price: priceOf(trade),
    fills: ownFills(trade),
    matchedSize: String(sharesRaw),
    tokenId: outcome === OUTCOME.YES ? market.yesTokenId : market.noTokenId,
    makerAmount: makerRaw,
    takerAmount: takerRaw,
    title: market.title,
    tradeEventId: String(trade.seq),
    profile: taker === null ? null : profileView(taker),
  }
}

/** A trade as published in the feed of its market. */
export function tradeFeed(trade: MinedTrade, { slug, title }: Market) {
  const { side, outcome, taker } = trade
  return {
    eventType: 'NEW_TRADE' as const,
    timestamp: isoText(trade.tradedMs),
    user: taker === null ? EXCHANGE : { name: shownName(taker), rankName: taker.rankName },
    data: {
      slug,
      title,
      strategy: side === SIDE.BUY ? ('Buy' as const) : ('Sell' as const),
      outcome: outcome === OUTCOME.YES ? ('YES' as const) : ('NO' as const),
      price: priceOf(trade),
      contracts: String(trade.sharesRaw),
      tradeAmount: String(trade.collateralRaw),
      tradeEventId: String(trade.seq),
    },
  }
}

export function createdFeed({ slug, title, createdMs }: Market) {
  return {
    eventType: 'MARKET_CREATED' as const,
    timestamp: isoText(createdMs),
    user: EXCHANGE,
    data: { slug, title },
  }
}

/** The outcome of a payout split is null. */
export function resolvedFeed({ market, payoutNumerators, updatedMs }: PublishedMarket) {
  const [yes, no] = payoutNumerators ?? [0, 0]
  const winner = yes > 0 ? ('YES' as const) : ('NO' as const)
  return {
    eventType: 'MARKET_RESOLVED' as const,
    timestamp: isoText(updatedMs),
    user: EXCHANGE,
    data: { slug: market.slug, title: market.title, outcome: yes > 0 && no > 0 ? null : winner },
  }
}

/** A line of the tape from the YES side: a buy of NO is a sell of YES. */
export function tapeView(row: TradeRow, prevSeq: Seq) {
  const fills = fillsIn(row.fills)
  const buysYes = (row.side === SIDE.BUY) === (row.outcome === OUTCOME.YES)
  return {
    seq: row.seq,
    prevSeq,
    price: averageYesPrice(fills),
    size: row.sharesRaw,
    side: buysYes ? ('BUY' as const) : ('SELL' as const),
    fills: yesFills(fills),
    timestamp: isoText(row.tradedMs),
    tradeEventId: String(row.seq),
    ...(row.isBusted === 1 ? { busted: true } : {}),
  }
}

// The history of a market: its trades, its prices and its feed, from the read tables. A method
// returns null for an unknown market, and undefined on a read timeout.

interface Series {
  readonly title: string
  /** Newest first. */
  readonly prices: readonly { readonly price: number; readonly timestamp: string }[]
}

interface PageRequest {
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

// Timelines of series as sent (rules §10.3).

const MS_PER_SEC = 1000
const E8 = 100_000_000

function slotView({ marketId, slug, startMs, endMs, state }: SlotRow) {
  const name = SLOT_STATES[state]
  const times = { startAt: isoText(startMs), endAt: isoText(endMs) }
  return { slotId: marketId, slug, state: name, tradable: name === 'OPEN', ...times }
}

/** A slot counts down to its next boundary: to its start before it opens, then to its end. */
function timedView(slot: SlotRow | null, nowMs: TimeMs) {
  if (slot === null) return null
  const view = slotView(slot)
  const boundaryMs = view.state === 'PRE_OPEN' ? slot.startMs : slot.endMs
  return { ...view, countdownSec: Math.max(0, Math.ceil((boundaryMs - nowMs) / MS_PER_SEC)) }
}

function jobView({ seriesId, symbol, frequency, subFrequency, stableSlug }: SeriesRow) {
  return {
    id: seriesId,
    symbol,
    frequency: named<Frequency>(FREQUENCIES, frequency) ?? FREQUENCIES[0],
    subFrequency: named<SubFrequency>(SUB_FREQUENCIES, subFrequency),
    stableSlug,
  }
}

function named<Name extends string>(names: readonly Name[], text: string): Name | null {
  return names.find((name) => name === text) ?? null
}

const numberOf = (priceE8: PriceE8) => priceE8 / E8

export function candleView({ startMs, openE8, highE8, lowE8, closeE8 }: CandleRow) {
  return {
    timestamp: startMs / MS_PER_SEC,
    open: numberOf(openE8),
    high: numberOf(highE8),
    low: numberOf(lowE8),
    close: numberOf(closeE8),
    volume: 0,
  }
}

export class Timelines {
  readonly #reads: PrivateReads
  readonly #nowMs: () => TimeMs

  constructor(reads: PrivateReads, nowMs: () => TimeMs) {
    this.#reads = reads
    this.#nowMs = nowMs
  }

  /** Null for an unknown series, undefined on a read timeout. */
  async around(params: Omit<TimelineParams, 'nowMs'>, requester: Requester) {
    const nowMs = this.#nowMs()
    const found = await this.#reads.read(timeline, { ...params, nowMs }, requester)
    if (found === undefined || found === null) return found
    const { series, anchor, current, next, batch } = found
    const anchorAt = batch.findIndex(({ startMs }) => startMs === anchor?.startMs)
    return {
      slots: {
        current: timedView(current, nowMs),
        next: timedView(next, nowMs),
        batch: batch.map((slot, at) => ({ ...slotView(slot), index: at - anchorAt })),
      },
      of: {
        anchor: anchor === null ? null : { slotId: anchor.marketId, slug: anchor.slug },
        job: jobView(series),
      },
    }
  }
}

/** What the routes of this folder need. */
export interface MarketServices extends SharedServices, Pick<PageServices, 'marketPages'> {
  readonly lists: MarketLists
  readonly tickers: Tickers
  readonly history: MarketHistory
  readonly markets: MarketChanges
  readonly series: SeriesChanges
  readonly timelines: Timelines
}
