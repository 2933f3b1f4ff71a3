// The rows that are shown, in their order. Rows keep their elements when the list comes again, and
// only those in view follow their books.

import type { Context } from '../context.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { h } from '../page/dom.ts'
import { marketLink } from '../page/view.ts'
import { MarketRow } from './market-row.ts'

/** A list shows so many children of a group; its page shows all. */
const CHILDREN_MAX = 6
/** Rows so far outside of the view follow already. */
const AHEAD = '200px'

const HEADS = [
  ['Market', ''],
  ['YES', 'number'],
  ['Bid', 'number wide'],
  ['Ask', 'number wide'],
  ['Volume', 'number wide'],
  ['Ends', 'number ends'],
] as const

export class RowList {
  readonly element: HTMLElement
  readonly #context: Context
  readonly #body = h('div', { class: 'rows', attrs: { role: 'rowgroup' } })
  readonly #seen: IntersectionObserver
  #rows = new Map<string, MarketRow>()
  readonly #rowOf = new WeakMap<Element, MarketRow>()

  constructor(context: Context) {
    this.#context = context
    const heads = HEADS.map(([label, name]) =>
      h('span', { class: name, attrs: { role: 'columnheader' } }, label),
    )
    const head = h('div', { class: 'market heads', attrs: { role: 'row' } }, ...heads)
    this.element = h(
      'div',
      { class: 'market-table', attrs: { role: 'table', 'aria-label': 'Markets' } },
      h('div', { attrs: { role: 'rowgroup' } }, head),
      this.#body,
    )
    this.element.addEventListener('keydown', (event) => this.#move(event))
    this.#seen = new IntersectionObserver((entries) => this.#look(entries), { rootMargin: AHEAD })
  }

  get links(): HTMLAnchorElement[] {
    return [...this.#body.querySelectorAll<HTMLAnchorElement>('a.open')]
  }

  show(markets: readonly MarketView[]): void {
    const rows = new Map<string, MarketRow>()
    const elements = markets.flatMap((market) => {
      const children = (market.markets ?? []).slice(0, CHILDREN_MAX)
      const all = [market, ...children].map((each) => this.#rowFor(each, each !== market))
      for (const row of all) rows.set(row.slug, row)
      const hidden = (market.markets?.length ?? 0) - children.length
      const shown: HTMLElement[] = all.map(({ element }) => element)
      return hidden > 0 ? [...shown, moreOf(market, hidden)] : shown
    })
    for (const [slug, row] of this.#rows) if (!rows.has(slug)) this.#drop(row)
    this.#rows = rows
    this.#arrange(elements)
  }

  /** A second went by. True when a market in the list ended with it. */
  tick(nowMs: number): boolean {
    let isAnyOver = false
    for (const row of this.#rows.values()) if (row.tick(nowMs)) isAnyOver = true
    return isAnyOver
  }

  stop(): void {
    this.#seen.disconnect()
    for (const row of this.#rows.values()) row.stop()
  }

  #rowFor(market: MarketView, isChild: boolean): MarketRow {
    const known = this.#rows.get(market.slug)
    if (known !== undefined) {
      known.update(market)
      return known
    }
    const row = new MarketRow(this.#context, market, isChild)
    this.#rowOf.set(row.element, row)
    this.#seen.observe(row.element)
    return row
  }

  #drop(row: MarketRow): void {
    this.#seen.unobserve(row.element)
    row.stop()
  }

  /** Moves only what stands elsewhere: a row that stays keeps its focus. */
  #arrange(elements: readonly HTMLElement[]): void {
    const wanted = new Set<Element>(elements)
    for (const child of [...this.#body.children]) if (!wanted.has(child)) child.remove()
    for (const [index, element] of elements.entries()) {
      const there = this.#body.children[index]
      if (there !== element) this.#body.insertBefore(element, there ?? null)
    }
  }

  #look(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      this.#rowOf.get(target)?.see(isIntersecting)
    }
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return
    const links = this.links
    const index = links.indexOf(event.target) + step
    event.preventDefault()
    links[Math.min(links.length - 1, Math.max(0, index))]?.focus()
  }
}

function moreOf({ slug }: MarketView, count: number): HTMLElement {
  const link = h('a', { class: 'open', href: marketLink(slug) }, `${count} more`)
  const cell = h('span', { class: 'name', attrs: { role: 'cell' } }, link)
  return h('div', { class: 'market child', attrs: { role: 'row' } }, cell)
}
