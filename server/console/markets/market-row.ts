// One row of the list: a market with its live price. It follows the book while it is in view, and
// draws in the next frame only what differs.

import type { Context } from '../context.ts'
import type { BookCopy } from '../exchange/book-copy.ts'
import {
  deadlineOf,
  endWords,
  hasBook,
  nameOf,
  reportedPrice,
  slotWords,
} from '../exchange/market-words.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { h, write } from '../page/dom.ts'
import { paint, unpaint } from '../page/painter.ts'
import type { Unwatch } from '../page/signal.ts'
import { marketLink } from '../page/view.ts'
import { evenCents, hourMinute, short } from '../page/words.ts'

/** The exchange may close a market a little later than this page sees its deadline. */
const OVER_MS = 4000

interface Prices {
  readonly yes: number | null
  readonly bid: number | null
  readonly ask: number | null
}

const cell = (name: string) => h('span', { class: name, attrs: { role: 'cell' } })

export class MarketRow {
  readonly element: HTMLElement
  readonly link: HTMLAnchorElement
  readonly #context: Context
  readonly #isChild: boolean
  readonly #about = h('span', { class: 'about soft' })
  readonly #yes = cell('number yes')
  readonly #bid = cell('number buy wide')
  readonly #ask = cell('number sell wide')
  readonly #volume = cell('number wide')
  readonly #ends = cell('number ends')
  #market: MarketView
  #prices: Prices
  #isStale = false
  #unwatch: Unwatch | null = null

  constructor(context: Context, market: MarketView, isChild: boolean) {
    this.#context = context
    this.#market = market
    this.#isChild = isChild
    this.#prices = { yes: reportedPrice(market), bid: null, ask: null }
    this.link = h('a', { class: 'open', href: marketLink(market.slug) })
    const name = h('span', { class: 'name', attrs: { role: 'cell' } }, this.link, this.#about)
    this.element = h(
      'div',
      {
        class: isChild ? 'market child' : 'market',
        attrs: { role: 'row', 'data-slug': market.slug, 'data-kind': market.tradeType },
      },
      ...[name, this.#yes, this.#bid, this.#ask, this.#volume, this.#ends],
    )
    this.#report()
    this.#draw()
  }

  get slug(): string {
    return this.#market.slug
  }

  /** The exchange told it again. */
  update(market: MarketView): void {
    this.#market = market
    this.#report()
    paint(this.#draw)
  }

  /** A row out of view costs nothing. */
  see(isSeen: boolean): void {
    if (isSeen === (this.#unwatch !== null)) return
    if (isSeen) this.#unwatch = this.#follow()
    else this.stop()
  }

  stop(): void {
    this.#unwatch?.()
    this.#unwatch = null
    unpaint(this.#draw)
  }

  /** A second went by. True when its deadline came just now. */
  tick(nowMs: number): boolean {
    if (this.#unwatch !== null) write(this.#ends, endWords(this.#market, nowMs))
    const deadlineMs = deadlineOf(this.#market)
    return deadlineMs !== null && deadlineMs <= nowMs && deadlineMs > nowMs - OVER_MS
  }

  #follow(): Unwatch {
    const { streams } = this.#context
    const { address, tradeType, slug } = this.#market
    if (tradeType === 'amm' && address !== undefined) {
      return streams.pool(address, ({ updatedPrices: [now] }) => {
        this.#prices = { yes: now?.yesPrice ?? null, bid: null, ask: null }
        paint(this.#draw)
      })
    }
    if (!hasBook(this.#market)) return () => {}
    return streams.book(slug, (copy) => this.#take(copy))
  }

  #take(copy: BookCopy): void {
    this.#isStale = !copy.isCurrent
    if (copy.isCurrent) {
      const { bestBid: bid, bestAsk: ask, midpoint, lastTradePrice } = copy
      const isTwoSided = bid !== null && ask !== null
      this.#prices = { yes: isTwoSided ? midpoint : lastTradePrice, bid, ask }
    }
    paint(this.#draw)
  }

  /** What changes only when the exchange tells the market. */
  #report(): void {
    const { categories, nextMarket, markets } = this.#market
    write(this.link, this.#isChild ? nameOf(this.#market) : this.#market.title)
    const next = nextMarket ? `next at ${hourMinute(nextMarket.startAt)}` : ''
    const count = markets === undefined ? '' : `${markets.length} markets`
    const kind = this.#market.tradeType === 'amm' ? 'pool' : ''
    const words = [...categories, slotWords(this.#market), next, count, kind]
    write(this.#about, this.#isChild ? '' : words.filter((each) => each !== '').join(' · '))
    write(this.#volume, `$${short(this.#market.volume)}`)
    write(this.#ends, endWords(this.#market, Date.now()))
  }

  readonly #draw = (): void => {
    const { yes, bid, ask } = this.#prices
    const isGroup = this.#market.tradeType === 'group'
    write(this.#yes, isGroup ? '' : evenCents(yes))
    write(this.#bid, isGroup ? '' : evenCents(bid))
    write(this.#ask, isGroup ? '' : evenCents(ask))
    const state = this.#isStale ? 'stale' : 'current'
    if (this.element.dataset.state !== state) this.element.dataset.state = state
  }
}
