// How the price of YES went, over the interval that the visitor chose.

import { messageOf, read } from '../../exchange/api.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { batch, type Signal, signal } from '../../page/preact.ts'
import { type PricePoint, pointsOf, withTrade } from './price-format.ts'

export const INTERVALS = ['5m', '1h', '6h', '1d', '1w', '1m', 'all'] as const
export type Interval = (typeof INTERVALS)[number]

const MS_PER_SEC = 1000
const HOUR_MS = 3_600_000
const SHORT_SLOT_MS = 600_000

/** What a market has a history of: a short slot, a young market, or days. */
function firstInterval(
  { startAt, createdAt, expirationTimestamp }: MarketView,
  nowMs: number,
): Interval {
  const slotMs = startAt === undefined ? Infinity : expirationTimestamp - Date.parse(startAt)
  if (slotMs <= SHORT_SLOT_MS) return '5m'
  const spanMs = Math.min(slotMs, nowMs - Date.parse(createdAt))
  return spanMs <= HOUR_MS ? '1h' : '1d'
}

interface Series {
  readonly prices: readonly { readonly price: number; readonly timestamp: string }[]
}

export class PriceHistory {
  readonly interval: Signal<Interval>
  /** Oldest first; null before the first of them is known. */
  readonly points = signal<readonly PricePoint[] | null>(null)
  readonly fault = signal('')
  readonly #slug: string
  #running = new AbortController()

  constructor(market: MarketView) {
    this.#slug = market.slug
    this.interval = signal(firstInterval(market, Date.now()))
    void this.#read()
  }

  choose(interval: Interval): void {
    this.interval.value = interval
    void this.#read()
  }

  /** A trade goes after the newest point; nothing is read again. */
  addTrade(price: number, timestamp: string): void {
    const atSec = Date.parse(timestamp) / MS_PER_SEC
    this.points.value = withTrade(this.points.peek() ?? [], { price, atSec })
  }

  stop(): void {
    this.#running.abort()
  }

  async #read(): Promise<void> {
    this.#running.abort()
    const running = new AbortController()
    this.#running = running
    const path = `/markets/${encodeURIComponent(this.#slug)}/historical-price`
    try {
      const query = `interval=${this.interval.peek()}`
      const { prices } = await read<Series>(`${path}?${query}`, running.signal)
      batch(() => {
        this.points.value = pointsOf(prices)
        this.fault.value = ''
      })
    } catch (error) {
      if (!running.signal.aborted) this.fault.value = messageOf(error)
    }
  }
}
