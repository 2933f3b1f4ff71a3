// All markets: a search, the categories, and a list whose prices move live.

import './markets.css'
import type { Context } from '../context.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { button, fill, h, write } from '../page/dom.ts'
import { paint, unpaint } from '../page/painter.ts'
import type { Unwatch } from '../page/signal.ts'
import type { View } from '../page/view.ts'
import { LiveSearch } from './live-search.ts'
import {
  isCategory,
  type NavigationNode,
  nodeOf,
  PAGE_SIZE,
  readCounts,
  readNavigation,
  readPart,
  SORTS,
  type Sort,
  searchMarkets,
} from './market-source.ts'
import { RowList } from './row-list.ts'

/** Many markets may be made at once: the list is read once for them. */
const RELOAD_AFTER_MS = 700
const TICK_MS = 1000
/** The longest search that the exchange takes. */
const SEARCH_MAX = 200

class MarketsPage {
  readonly element: HTMLElement
  readonly #context: Context
  readonly #name: string | undefined
  readonly #list: RowList
  readonly #search: LiveSearch<readonly MarketView[]>
  readonly #searchBox = h('input', {
    attrs: {
      type: 'search',
      name: 'search',
      placeholder: 'Search markets',
      'aria-label': 'Search markets',
      'aria-keyshortcuts': '/',
      autocomplete: 'off',
      maxlength: SEARCH_MAX,
    },
  })
  readonly #categories = h('nav', { class: 'categories', attrs: { 'aria-label': 'Categories' } })
  readonly #sort = h('select', { attrs: { name: 'sort', 'aria-label': 'Sort by' } })
  readonly #notice = h('p', { class: 'soft tally', attrs: { role: 'status' } }, 'Loading markets…')
  readonly #more: HTMLButtonElement
  readonly #ended = new AbortController()
  readonly #unwatches: Unwatch[] = []
  readonly #ticking: number
  #reading = 0
  #reload = 0
  #pages = 1
  #place: NavigationNode | null = null
  #found: readonly MarketView[] | null = null
  #markets: readonly MarketView[] = []
  #totalCount = 0

  constructor(context: Context, name: string | undefined) {
    this.#context = context
    this.#name = name
    this.#list = new RowList(context)
    this.#more = button('Show more markets', () => void this.#showMore(), { class: 'more' })
    this.#more.hidden = true
    this.#search = new LiveSearch({
      ask: searchMarkets,
      show: (found) => this.#showFound(found),
      fail: (error) => context.notices.failure(error),
      later: (work, ms) => {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    })
    this.#fillSorts(SORTS.map(([sort]) => sort))
    const tools = h('div', { class: 'tools' }, this.#searchBox, this.#sort)
    this.element = h(
      'section',
      { class: 'view markets' },
      h('h1', { class: 'hidden' }, 'Markets'),
      ...[tools, this.#categories, this.#notice, this.#list.element, this.#more],
    )
    this.#listen()
    this.#ticking = setInterval(() => paint(this.#tick), TICK_MS)
    void this.#start()
  }

  stop(): void {
    this.#ended.abort()
    clearInterval(this.#ticking)
    clearTimeout(this.#reload)
    unpaint(this.#tick)
    for (const unwatch of this.#unwatches) unwatch()
    this.#search.stop()
    this.#list.stop()
  }

  #listen(): void {
    const { signal } = this.#ended
    const { streams } = this.#context
    this.#searchBox.addEventListener('input', () => this.#search.type(this.#searchBox.value))
    this.#searchBox.addEventListener('keydown', (event) => this.#leaveSearch(event))
    this.#sort.addEventListener('change', () => {
      this.#pages = 1
      void this.#read()
    })
    addEventListener('keydown', (event) => this.#focusSearch(event), { signal })
    this.#unwatches.push(streams.updates(() => this.#reloadSoon()))
    let wasLost = false
    const onLink = (link: string): void => {
      if (link === 'live' && wasLost) this.#reloadSoon()
      wasLost = link === 'lost'
    }
    this.#unwatches.push(streams.link.watch(onLink))
  }

  async #start(): Promise<void> {
    try {
      await this.#readCategories()
      await this.#read()
    } catch (error) {
      this.#fail(error)
    }
  }

  async #readCategories(): Promise<void> {
    const { signal } = this.#ended
    const [nodes, { totalCount }] = await Promise.all([readNavigation(signal), readCounts(signal)])
    this.#place = this.#name === undefined ? null : (nodeOf(nodes, this.#name) ?? null)
    if (this.#name !== undefined && this.#place === null) throw new Error('No such category.')
    if (this.#place !== null && !isCategory(this.#place)) this.#limitSorts()
    const all = this.#categoryLink('#/', 'All', totalCount, this.#place === null)
    const links = nodes.map((node) => {
      const isHere = nodeOf([node], this.#place?.id ?? '') !== undefined
      return this.#categoryLink(linkOf(node), node.name, node.count, isHere)
    })
    const below = nodes.find((node) => nodeOf([node], this.#place?.id ?? ''))?.children ?? []
    const inner = below.map((node) =>
      this.#categoryLink(linkOf(node), node.name, node.count, node.id === this.#place?.id),
    )
    fill(this.#categories, all, ...links, ...inner)
  }

  #categoryLink(href: string, name: string, count: number, isHere: boolean): HTMLElement {
    const attrs = { 'aria-current': isHere ? 'page' : null }
    return h('a', { href, attrs }, name, h('span', { class: 'count' }, count))
  }

  /** A page of an operator sorts by fields alone. */
  #limitSorts(): void {
    this.#fillSorts(['newest', 'ending_soon'])
  }

  #fillSorts(sorts: readonly Sort[]): void {
    const known = SORTS.filter(([sort]) => sorts.includes(sort))
    fill(this.#sort, ...known.map(([value, label]) => h('option', { attrs: { value } }, label)))
  }

  async #read(): Promise<void> {
    const reading = ++this.#reading
    const sort = SORTS.find(([each]) => each === this.#sort.value)?.[0] ?? 'newest'
    const pages = Array.from({ length: this.#pages }, (_, index) => index + 1)
    try {
      const { signal } = this.#ended
      const parts = await Promise.all(
        pages.map((page) => readPart(this.#place, sort, page, signal)),
      )
      if (reading !== this.#reading) return
      // A market that moved between two pages while they were read is shown once.
      const known = new Map(parts.flatMap(({ markets }) => markets).map((each) => [each.id, each]))
      this.#markets = [...known.values()]
      this.#totalCount = parts.at(-1)?.totalCount ?? 0
      this.#show()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#ended.signal.aborted) return
    write(this.#notice, error instanceof Error ? error.message : 'The markets cannot be read.')
  }

  async #showMore(): Promise<void> {
    this.#pages++
    await this.#read()
  }

  #reloadSoon(): void {
    if (this.#reload !== 0) return
    this.#reload = setTimeout(() => {
      this.#reload = 0
      void this.#start()
    }, RELOAD_AFTER_MS)
  }

  #showFound(found: readonly MarketView[] | null): void {
    this.#found = found
    this.#show()
  }

  #show(): void {
    const markets = this.#found ?? this.#markets
    this.#list.show(markets)
    this.#more.hidden = this.#found !== null || this.#pages * PAGE_SIZE >= this.#totalCount
    write(this.#notice, this.#saying(markets.length))
  }

  #saying(count: number): string {
    if (this.#found === null) return `${count} of ${this.#totalCount} active markets`
    const query = this.#searchBox.value.trim()
    if (count === 0) return `Nothing found for “${query}”.`
    return `${count} found for “${query}”`
  }

  readonly #tick = (): void => {
    if (this.#list.tick(Date.now())) this.#reloadSoon()
  }

  #focusSearch(event: KeyboardEvent): void {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    this.#searchBox.focus()
  }

  #leaveSearch(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#searchBox.value = ''
      this.#search.type('')
    }
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    this.#list.links[0]?.focus()
  }
}

const linkOf = ({ slug }: NavigationNode) => `#/category/${encodeURIComponent(slug)}`

export function marketsView(context: Context, params: Readonly<Record<string, string>>): View {
  const page = new MarketsPage(context, params.category)
  return { title: 'Markets', element: page.element, stop: () => page.stop() }
}
