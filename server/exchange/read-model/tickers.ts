// One line per active market: last price, best prices, and its trades in the last day. A line is
// rebuilt when its market changed or a bucket of the day is over. The whole reply is joined at most
// once a second, for any number of readers. Invariant: no line is kept of a market that left the
// list.

import { dayBucketOf } from '../../../engine/domain/markets/day-window.ts'
import { kindOf, takesOrders } from '../../../engine/domain/markets/market.ts'
import { PRICE_ONE_TICKS, totalOf } from '../../../engine/domain/units.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { Freshness } from '../../messages/versions.ts'
import { shownDepth } from './book-views.ts'
import type { PublishedMarket, PublishedMarkets } from './published.ts'

interface Line {
  readonly version: number
  readonly bucket: number
  readonly text: string
}

interface Joined {
  readonly atMs: number
  readonly changes: number
  readonly listVersion: number
  readonly bucket: number
  readonly bytes: Buffer
}

const JOINED_MS = 1000
const price = (ticks: number) => ticks / PRICE_ONE_TICKS

export function tickerView(published: PublishedMarket, bucket: number) {
  const { market, lastYesTicks } = published
  const depth = shownDepth(published)
  const bid = depth.bestBid()
  const ask = depth.bestAsk()
  const day = published.day?.view(bucket) ?? null
  return {
    slug: market.slug,
    last: lastYesTicks === 0 ? null : price(lastYesTicks),
    bid: bid === 0 ? null : price(bid),
    ask: ask === PRICE_ONE_TICKS ? null : price(ask),
    volume24h: day === null ? '0' : String(totalOf(day.volume)),
    open24h: day === null ? null : price(day.openTicks),
    high24h: day === null ? null : price(day.highTicks),
    low24h: day === null ? null : price(day.lowTicks),
    change24h: day === null ? null : price(lastYesTicks - day.openTicks),
  }
}

export class Tickers {
  readonly #published: PublishedMarkets
  readonly #clock: () => number
  #lines = new Map<PublishedMarket, Line>()
  #joined: Joined | null = null

  constructor(published: PublishedMarkets, clock: () => number) {
    this.#published = published
    this.#clock = clock
  }

  /** All lines, newest market first. */
  bytes(): Buffer {
    return this.#newest().bytes
  }

  /** How long the bytes of this moment are shown at least. */
  freshness(): Freshness {
    const { atMs } = this.#newest()
    return this.#published.versions.ofList(atMs + JOINED_MS, atMs)
  }

  #newest(): Joined {
    const nowMs = this.#clock()
    const bucket = dayBucketOf(nowMs)
    const known = this.#joined
    if (known !== null && this.#isFresh(known, nowMs, bucket)) return known
    const { changes, listVersion } = this.#published
    const bytes = this.#join(nowMs, bucket)
    this.#joined = { atMs: nowMs, changes, listVersion, bucket, bytes }
    return this.#joined
  }

  #isFresh({ atMs, changes, listVersion, bucket }: Joined, nowMs: number, now: number): boolean {
    // An added or ended market is shown at once.
    if (listVersion !== this.#published.listVersion) return false
    if (nowMs >= atMs && nowMs < atMs + JOINED_MS) return true
    return changes === this.#published.changes && bucket === now
  }

  #join(nowMs: number, bucket: number): Buffer {
    const before = this.#lines
    this.#lines = new Map()
    const texts: string[] = []
    for (const published of this.#published.all()) {
      if (!takesOrders(published.status) || kindOf(published.market) !== 'clob') continue
      const known = before.get(published)
      const isSame = known?.version === published.version && known.bucket === bucket
      const { version } = published
      const text = isSame ? known.text : JSON.stringify(tickerView(published, bucket))
      this.#lines.set(published, isSame ? known : { version, bucket, text })
      texts.push(text)
    }
    const timestamp = JSON.stringify(isoText(nowMs))
    return Buffer.from(`{"timestamp":${timestamp},"tickers":[${texts.reverse().join(',')}]}`)
  }
}
