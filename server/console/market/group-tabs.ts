// The markets of a group as tabs with their live prices.

import type { Context } from '../context.ts'
import { hasBook, nameOf, reportedPrice } from '../exchange/market-words.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { h, write } from '../page/dom.ts'
import { paint, unpaint } from '../page/painter.ts'
import type { Unwatch } from '../page/signal.ts'
import { evenCents } from '../page/words.ts'

/** So many tabs follow their books; one subscription has room for them and the chosen market. */
const LIVE_MAX = 60
export const TAB_PANEL = 'group-market'

interface Tab {
  readonly slug: string
  readonly element: HTMLButtonElement
}

export class GroupTabs {
  readonly element = h('div', {
    class: 'tabs',
    attrs: { role: 'tablist', 'aria-label': 'Markets of the group' },
  })
  readonly #tabs: readonly Tab[]
  readonly #choose: (slug: string) => void
  readonly #ends: Unwatch[] = []

  constructor(context: Context, children: readonly MarketView[], choose: (slug: string) => void) {
    this.#choose = choose
    this.#tabs = children.map((market, index) => this.#tabOf(context, market, index < LIVE_MAX))
    this.element.append(...this.#tabs.map(({ element }) => element))
    this.element.addEventListener('keydown', (event) => this.#move(event))
  }

  mark(slug: string): void {
    for (const tab of this.#tabs) {
      const isChosen = tab.slug === slug
      tab.element.setAttribute('aria-selected', String(isChosen))
      tab.element.tabIndex = isChosen ? 0 : -1
    }
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  #tabOf({ streams }: Context, market: MarketView, isLive: boolean): Tab {
    const price = h('span', { class: 'number' }, evenCents(reportedPrice(market)))
    const element = h(
      'button',
      {
        attrs: { type: 'button', role: 'tab', 'aria-controls': TAB_PANEL },
        on: { click: () => this.#choose(market.slug) },
      },
      h('span', {}, nameOf(market)),
      price,
    )
    if (isLive && hasBook(market)) this.#ends.push(this.#follow(streams, market, price))
    return { slug: market.slug, element }
  }

  #follow(streams: Context['streams'], { slug }: MarketView, price: HTMLElement): Unwatch {
    let words = price.textContent ?? ''
    const draw = (): void => write(price, words)
    const unwatch = streams.book(slug, (copy) => {
      if (!copy.isCurrent) return
      const isTwoSided = copy.bestBid !== null && copy.bestAsk !== null
      words = evenCents(isTwoSided ? copy.midpoint : copy.lastTradePrice)
      paint(draw)
    })
    return () => {
      unwatch()
      unpaint(draw)
    }
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const index = this.#tabs.findIndex(({ element }) => element === event.target)
    const next = step === undefined ? undefined : this.#tabs[index + step]
    if (next === undefined || index < 0) return
    event.preventDefault()
    this.#choose(next.slug)
    next.element.focus()
  }
}
