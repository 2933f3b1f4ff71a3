// How the price of YES went: a chart, a sentence, and the newest prices as a table.

import { read } from '../../exchange/api.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { button, fill, h, write } from '../../page/dom.ts'
import type { Chart } from '../../page/parts/chart.ts'
import { cents, dayTime, evenCents } from '../../page/words.ts'
import { type Panel, panel } from './panel.ts'
import { type PricePoint, pointsOf, withTrade, wordsOf } from './price-words.ts'

const INTERVALS = ['5m', '1h', '6h', '1d', '1w', '1m', 'all'] as const
type Interval = (typeof INTERVALS)[number]
const HEIGHT_PX = 230
const LEAST_SPAN = 0.02
const ROWS_MAX = 20
const MS_PER_SEC = 1000

const HOUR_MS = 3_600_000
const SHORT_SLOT_MS = 600_000

/** What a market has a history of: a short slot, a young market, or days. */
function firstInterval({ startAt, createdAt, expirationTimestamp }: MarketView, nowMs: number) {
  const slotMs = startAt === undefined ? Infinity : expirationTimestamp - Date.parse(startAt)
  if (slotMs <= SHORT_SLOT_MS) return '5m'
  const spanMs = Math.min(slotMs, nowMs - Date.parse(createdAt))
  return spanMs <= HOUR_MS ? '1h' : '1d'
}

interface Series {
  readonly prices: readonly { readonly price: number; readonly timestamp: string }[]
}

export class HistoryPanel implements Panel {
  readonly element: HTMLElement
  readonly #slug: string
  readonly #words = h('p', { class: 'soft' }, 'Loading prices…')
  readonly #rows = h('tbody')
  readonly #buttons: readonly HTMLButtonElement[]
  #interval: Interval = '1d'
  #points: readonly PricePoint[] = []
  #chart: Chart | null = null
  #requested = new AbortController()
  #isStopped = false

  constructor(market: MarketView) {
    this.#slug = market.slug
    this.#buttons = INTERVALS.map((interval) =>
      button(interval, () => this.#choose(interval), { class: 'quiet' }),
    )
    const choice = h(
      'div',
      { class: 'intervals', attrs: { role: 'group', 'aria-label': 'Interval' } },
      ...this.#buttons,
    )
    const heads = h(
      'tr',
      {},
      h('th', { attrs: { scope: 'col' } }, 'Time'),
      h('th', { class: 'number', attrs: { scope: 'col' } }, 'YES'),
    )
    const table = h('table', {}, h('thead', {}, heads), this.#rows)
    const details = h('details', {}, h('summary', {}, 'Prices as a table'), table)
    this.element = panel('Price history', 'history', choice, this.#words, details)
    this.#choose(firstInterval(market, Date.now()))
    // Without the file of the chart its words stay.
    this.#open().catch(() => {})
  }

  stop(): void {
    this.#isStopped = true
    this.#requested.abort()
    this.#chart?.stop()
  }

  /** A trade goes behind the newest point; the exchange is not asked again. */
  addTrade(price: number, timestamp: string): void {
    const atSec = Date.parse(timestamp) / MS_PER_SEC
    this.#points = withTrade(this.#points, { price, atSec })
    this.#draw()
  }

  async #open(): Promise<void> {
    const { Chart } = await import('../../page/parts/chart.ts')
    if (this.#isStopped) return
    this.#chart = new Chart({
      lines: [{ label: 'YES', colour: 'accent', step: 1 }],
      isTime: true,
      heightPx: HEIGHT_PX,
      leastSpan: LEAST_SPAN,
      x: (sec) => dayTime(sec * MS_PER_SEC),
      y: cents,
    })
    this.#words.before(this.#chart.element)
    this.#draw()
  }

  #choose(interval: Interval): void {
    this.#interval = interval
    for (const [index, each] of this.#buttons.entries()) {
      each.setAttribute('aria-pressed', String(INTERVALS[index] === interval))
    }
    void this.#read()
  }

  async #read(): Promise<void> {
    this.#requested.abort()
    const requested = new AbortController()
    this.#requested = requested
    const path = `/markets/${encodeURIComponent(this.#slug)}/historical-price`
    try {
      const series = await read<Series>(`${path}?interval=${this.#interval}`, requested.signal)
      this.#points = pointsOf(series.prices)
      this.#draw()
    } catch (error) {
      if (requested.signal.aborted) return
      write(this.#words, error instanceof Error ? error.message : 'The prices cannot be read.')
    }
  }

  #draw(): void {
    const words = wordsOf(this.#points)
    write(this.#words, words)
    const newest = this.#points.slice(-ROWS_MAX).reverse()
    fill(
      this.#rows,
      ...newest.map(({ atSec, price }) =>
        h(
          'tr',
          {},
          h('td', {}, dayTime(atSec * MS_PER_SEC)),
          h('td', { class: 'number' }, evenCents(price)),
        ),
      ),
    )
    const columns = [
      this.#points.map(({ atSec }) => atSec),
      this.#points.map(({ price }) => price),
    ] as const
    this.#chart?.show(columns, `Price of YES. ${words}`)
  }
}
