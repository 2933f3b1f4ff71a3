// What the outside may know of each market: only facts whose commands are durable (law 1).

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { type Command, concernsBook } from '../../../engine/domain/command.ts'
import { dayBucketOf } from '../../../engine/domain/day-window.ts'
import {
  EVENT,
  eventAt,
  eventCode,
  eventIsBid,
  eventKind,
  eventLeftRaw,
  eventMarketId,
  eventSizeRaw,
  eventTakerIsNo,
  eventTakerSells,
  eventTicks,
  MAKER,
  RESULT,
} from '../../../engine/domain/event.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import type { MarketStatus } from '../../../engine/domain/market.ts'
import {
  addTo,
  costCeilRaw,
  costFloorRaw,
  type GrowingSum,
  type TimeMs,
} from '../../../engine/domain/units.ts'
import { DayFigures } from './day-figures.ts'
import { Depth } from './depth.ts'

export interface PublishedMarket {
  /** Fields fixed at creation. */
  readonly market: Market
  readonly depth: Depth
  status: MarketStatus
  payoutNumerators: readonly [number, number] | null
  updatedMs: TimeMs
  /** Collateral traded: the takers' legs. */
  readonly volume: GrowingSum
  /** YES price of the last trade in ticks; 0 before the first. */
  lastYesTicks: number
  /** What the market traded in the last day; null until it trades. */
  day: DayFigures | null
  /** Grows with each change of the book. */
  version: number
  /** The book as it is sent, encoded once per version. */
  bookBytes: Buffer | null
  /** The result of `restingRaw`, computed once per version. */
  restingRaw: number | null
}

/** Collateral that the resting orders stand for. */
export function restingRaw(published: PublishedMarket): number {
  published.restingRaw ??= published.depth.restingRaw()
  return published.restingRaw
}

/** A market as it is when it is created. */
function publishedOf(market: Market): PublishedMarket {
  return {
    market,
    depth: new Depth(market.minSizeRaw),
    status: 'FUNDED',
    payoutNumerators: null,
    updatedMs: market.createdMs,
    volume: { raw: 0, carries: 0 },
    lastYesTicks: 0,
    day: null,
    version: 0,
    bookBytes: null,
    restingRaw: null,
  }
}

/** What became of a market; all of that is durable. */
function resultsOf(market: Market) {
  const { status, payoutNumerators, updatedMs, lastYesTicks } = market
  return { status, payoutNumerators, updatedMs, lastYesTicks, volume: { ...market.volume } }
}

/** A market that left memory, as the read tables keep it. Nothing of it changes any more. */
export function archivedMarket(market: Market): PublishedMarket {
  return { ...publishedOf(market), ...resultsOf(market) }
}

export class PublishedMarkets {
  readonly #byId = new Map<MarketId, PublishedMarket>()
  readonly #bySlug = new Map<string, PublishedMarket>()
  /** Grows when a market is added or when the status of a market may have changed. */
  listVersion = 0
  /** Grows with each change of any market. */
  changes = 0
  /** The newest market that was ever shown. */
  lastId: MarketId = 0
  /** Null until fills count for the last day. */
  #dayClock: (() => TimeMs) | null = null

  /** All markets that are in memory, newest last. */
  all(): PublishedMarket[] {
    return [...this.#byId.values()]
  }

  byId(marketId: MarketId): PublishedMarket | undefined {
    return this.#byId.get(marketId)
  }

  bySlug(slug: string): PublishedMarket | undefined {
    return this.#bySlug.get(slug)
  }

  /** Shows a market that is created. Call it when the command is durable. */
  add(market: Market): void {
    assert(market.marketId > this.lastId, 'markets are published in order')
    this.lastId = market.marketId
    const published = publishedOf(market)
    this.#byId.set(market.marketId, published)
    this.#bySlug.set(market.slug, published)
    this.listVersion++
    this.changes++
  }

  /**
   * A market left memory, and that is durable. Every record of it was published before. It was
   * resolved, so no list of active markets changes.
   */
  remove({ marketId, slug }: Market): void {
    this.#byId.delete(marketId)
    this.#bySlug.delete(slug)
  }

  /** Shows a market's newest status. Call it when the command is durable. */
  refresh(market: Market, status: MarketStatus, updatedMs: TimeMs): void {
    const known = this.#byId.get(market.marketId)
    assert(known !== undefined, 'a market is published before it changes')
    known.status = status
    known.updatedMs = updatedMs
    known.payoutNumerators = status === 'RESOLVED' ? market.payoutNumerators : null
    this.listVersion++
    this.#changed(known)
  }

  /** Shows the market that a replayed command made or changed. Its fills come by `publish`. */
  replayed(command: Command, { catalogue }: Clearing): void {
    if (concernsBook(command)) return
    if (command.kind === 'resolveMarkets') {
      for (const { marketId } of command.resolutions) {
        const market = catalogue.existing(marketId)
        this.refresh(market, market.status, market.updatedMs)
      }
      return
    }
    if (!('marketId' in command)) return
    const known = this.#byId.get(command.marketId)
    if (command.kind === 'archiveMarket') {
      assert(known !== undefined, 'a market is published before it leaves memory')
      this.remove(known.market)
      return
    }
    const market = catalogue.existing(command.marketId)
    if (known === undefined) this.add(market)
    else this.refresh(market, market.status, market.updatedMs)
  }

  /** Shows a market of a recovered state, with its resting orders. All of that state is durable. */
  restore(market: Market, eachOrder: (rest: Depth['rested']) => void): void {
    this.add(market)
    const published = this.#byId.get(market.marketId)
    assert(published !== undefined, 'a restored market is published')
    Object.assign(published, resultsOf(market))
    const { depth } = published
    eachOrder((ticks, leftRaw, isBid) => depth.rested(ticks, leftRaw, isBid))
  }

  /**
   * From now on fills count for the last day, at the time when they are shown. Fills that a start
   * replays do not: the read tables have them.
   */
  countDays(clock: () => TimeMs): void {
    this.#dayClock = clock
  }

  #changed(published: PublishedMarket): void {
    published.version++
    published.bookBytes = null
    published.restingRaw = null
    this.changes++
  }

  /** Applies the durable records of one command. */
  publish(words: Int32Array, f64s: Float64Array, at: number, count: number): void {
    const marketId = eventMarketId(words, eventAt(at, 0))
    const published = this.#byId.get(marketId)
    assert(published !== undefined, 'a market is published before its events')
    for (let record = 0; record < count; record++) {
      this.#publishRecord(published, words, f64s, eventAt(at, record))
    }
    this.#changed(published)
  }

  #publishRecord(
    published: PublishedMarket,
    words: Int32Array,
    f64s: Float64Array,
    event: number,
  ): void {
    const ticks = eventTicks(words, event)
    const code = eventCode(words, event)
    const leftRaw = eventLeftRaw(f64s, event)
    const kind = eventKind(words, event)
    switch (kind) {
      case EVENT.FILL: {
        const sizeRaw = eventSizeRaw(f64s, event)
        const ownTicks = eventTakerIsNo(words, event) ? 1000 - ticks : ticks
        const sells = eventTakerSells(words, event)
        const valueRaw = (sells ? costFloorRaw : costCeilRaw)(ownTicks, sizeRaw)
        addTo(published.volume, valueRaw)
        if (this.#dayClock !== null) {
          published.day ??= new DayFigures()
          published.day.traded(dayBucketOf(this.#dayClock()), ticks, valueRaw)
        }
        published.lastYesTicks = ticks
        // A maker that was closed gets its rest back, so its level loses that rest too.
        published.depth.shrank(ticks, sizeRaw + leftRaw, code === MAKER.CLOSED ? 0 : leftRaw)
        return
      }
      case EVENT.STP_CANCEL:
      case EVENT.CANCELED:
        // A held order was in no level.
        if (ticks !== 0) published.depth.shrank(ticks, leftRaw, 0)
        return
      case EVENT.DONE:
        if (code === RESULT.RESTED) {
          published.depth.rested(ticks, leftRaw, eventIsBid(words, event))
        }
        return
      case EVENT.NOT_OPEN:
        return
      default:
        kind satisfies never
    }
  }
}
