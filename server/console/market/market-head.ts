// The head of a market: its question, its price, how long it trades, and for a slot of a series the
// slots around it and the price that it is decided by.

import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import {
  deadlineOf,
  endWords,
  isOpen,
  reportedPrice,
  slotWords,
  statusWords,
} from '../exchange/market-words.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { fill, h, write } from '../page/dom.ts'
import { paint, unpaint } from '../page/painter.ts'
import type { Unwatch } from '../page/signal.ts'
import { marketLink } from '../page/view.ts'
import { countdown, evenCents, hourMinute, short } from '../page/words.ts'
import type { LivePool } from './pool/live-pool.ts'
import type { LiveBook } from './shown/live-book.ts'
import type { Panel } from './shown/panel.ts'

const TICK_MS = 1000
/** The clock of the exchange may be a little behind: it is asked for so long. */
const DUE_MS = 6000
const oracle = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })

interface Line {
  readonly timelinePreview?: {
    readonly batch: readonly { readonly slug: string; readonly startAt: string }[]
    readonly job: { readonly symbol: string }
  } | null
}

function endSentence(market: MarketView, nowMs: number): string {
  const words = endWords(market, nowMs)
  return words === 'ended' ? 'Trading has ended' : `Ends in ${words}`
}

export interface HeadParts {
  readonly context: Context
  readonly market: MarketView
  readonly book: LiveBook
  /** Null for a market with a book. */
  readonly pool: LivePool | null
  /** The market opens or ends now: the exchange is asked what it is. */
  readonly due: () => void
}

export class MarketHead implements Panel {
  readonly element: HTMLElement
  readonly #parts: HeadParts
  readonly #yes = h('strong', { class: 'buy' })
  readonly #no = h('strong', { class: 'sell' })
  readonly #ends = h('span', { class: 'ends' })
  readonly #slots = h('nav', { class: 'slots', attrs: { 'aria-label': 'Slots', hidden: true } })
  readonly #oracle = h('span', { class: 'soft' })
  readonly #unwatches: Unwatch[]
  readonly #requested = new AbortController()
  readonly #ticking: number

  constructor(parts: HeadParts) {
    this.#parts = parts
    const { market, book, pool } = parts
    this.#unwatches = [book.watch(() => paint(this.#draw))]
    if (pool !== null) this.#unwatches.push(pool.price.watch(() => paint(this.#draw)))
    const chip = h(
      'span',
      { class: 'chip', attrs: { 'data-open': isOpen(market) } },
      statusWords(market),
    )
    const metadata = [...market.categories, `$${short(market.volume)} traded`, slotWords(market)]
    const words = metadata.filter((each) => each !== '').join(' · ')
    this.element = h(
      'header',
      { class: 'market-head' },
      h('h1', {}, market.title),
      h(
        'p',
        { class: 'facts' },
        chip,
        h('span', { class: 'soft' }, words),
        this.#ends,
        this.#oracle,
      ),
      h('p', { class: 'quote' }, h('span', {}, 'YES ', this.#yes), h('span', {}, 'NO ', this.#no)),
      this.#slots,
    )
    this.#ticking = setInterval(() => this.#tick(), TICK_MS)
    this.#tick()
    this.#draw()
    if (market.startAt !== undefined) void this.#readSlots()
  }

  stop(): void {
    clearInterval(this.#ticking)
    this.#requested.abort()
    unpaint(this.#draw)
    for (const unwatch of this.#unwatches) unwatch()
  }

  #tick(): void {
    const { market, due } = this.#parts
    const nowMs = Date.now()
    const deadlineMs = deadlineOf(market)
    if (market.status === 'RESOLVED') return
    const startMs = market.startAt === undefined ? 0 : Date.parse(market.startAt)
    if (startMs > nowMs) write(this.#ends, `Opens in ${countdown(startMs, nowMs)}`)
    else if (deadlineMs !== null) write(this.#ends, endSentence(market, nowMs))
    const sliceMs = isOpen(market) ? deadlineMs : startMs
    const isDue = sliceMs !== null && sliceMs <= nowMs && sliceMs > nowMs - DUE_MS
    if (isDue) due()
  }

  get #price(): number | null {
    const { book, market, pool } = this.#parts
    const { copy } = book
    if (market.status === 'RESOLVED') return reportedPrice(market)
    if (pool !== null) return pool.price.value
    if (copy === null) return reportedPrice(market)
    if (copy.bestBid !== null && copy.bestAsk !== null) return copy.midpoint
    return copy.lastTradePrice
  }

  readonly #draw = (): void => {
    const price = this.#price
    write(this.#yes, evenCents(price))
    write(this.#no, evenCents(price === null ? null : 1 - price))
  }

  async #readSlots(): Promise<void> {
    const { market } = this.#parts
    const path = `/markets/${encodeURIComponent(market.slug)}?include=timelinePreview`
    try {
      const { timelinePreview } = await read<Line>(path, this.#requested.signal)
      if (!timelinePreview) return
      const { batch, job } = timelinePreview
      const links = batch.map(({ slug, startAt }) => {
        const attrs = { 'aria-current': slug === market.slug ? 'page' : null }
        return h('a', { href: marketLink(slug), attrs }, hourMinute(startAt))
      })
      fill(this.#slots, h('span', { class: 'soft' }, job.symbol), ...links)
      this.#slots.hidden = false
      if (isOpen(market)) this.#followOracle(job.symbol)
    } catch {
      // The slots are a way to go on; the market is whole without them.
    }
  }

  #followOracle(symbol: string): void {
    const { context, market } = this.#parts
    const open = market.metadata.openPrice
    const from =
      open === undefined || open === null ? '' : `, opened at ${oracle.format(Number(open))}`
    const show = ({ value }: { readonly value: number }): void => {
      write(this.#oracle, `${symbol} ${oracle.format(value)}${from}`)
    }
    this.#unwatches.push(context.streams.symbol(`${symbol}/USD`, show))
  }
}
