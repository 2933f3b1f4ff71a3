// The page of one market, or of a group: a tab for each of its markets.

import '../page/parts/chart.css'
import './market.css'
import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { fill, h } from '../page/dom.ts'
import { whileVisible } from '../page/parts/while-visible.ts'
import { Refresher } from '../page/refresher.ts'
import type { Unwatch } from '../page/signal.ts'
import type { View } from '../page/view.ts'
import { GroupTabs, TAB_PANEL } from './group-tabs.ts'
import { marketBody } from './market-body.ts'
import type { Panel } from './shown/panel.ts'

/** The exchange closes a market at its deadline, a moment before or after this page sees it. */
const PAUSE_MS = 1500
/** No stream tells that an operator closed, opened or flagged a market. */
const ASK_AGAIN_MS = 30_000
const CHOSEN = 'market'

class MarketPage {
  readonly element = h(
    'section',
    { class: 'view market-page' },
    h('p', { class: 'soft' }, 'Loading…'),
  )
  readonly #context: Context
  readonly #slug: string
  readonly #refresher = new Refresher((signal) => this.#read(signal), PAUSE_MS)
  readonly #unwatches: Unwatch[]
  #shown: MarketView | null = null
  #chosen: string | null
  #body: Panel | null = null
  #tabs: GroupTabs | null = null

  constructor(context: Context, slug: string) {
    this.#context = context
    this.#slug = slug
    this.#chosen = new URLSearchParams(location.hash.split('?')[1]).get(CHOSEN)
    const { streams } = context
    let wasLost = false
    this.#unwatches = [
      // A market may end while nothing is heard of it, and is followed in vain then.
      streams.link.watch((link) => {
        if (link === 'live' && wasLost) this.#refresher.ask()
        wasLost = link === 'lost'
      }),
      streams.updates((changed) => {
        const isChild = this.#shown?.markets?.some((each) => each.slug === changed)
        if (changed === slug || isChild) this.#refresher.ask()
      }),
      whileVisible(ASK_AGAIN_MS, () => this.#refresher.ask()),
    ]
    this.#refresher.ask()
  }

  stop(): void {
    this.#refresher.stop()
    for (const unwatch of this.#unwatches) unwatch()
    this.#body?.stop()
    this.#tabs?.stop()
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const market = await read<MarketView>(`/markets/${encodeURIComponent(this.#slug)}`, signal)
      if (!signal.aborted) this.#show(market)
    } catch (error) {
      if (signal.aborted || this.#shown !== null) return
      const sentence = error instanceof Error ? error.message : 'The market cannot be read.'
      fill(
        this.element,
        h('h1', {}, 'No such market'),
        h('p', {}, sentence),
        h('a', { href: '#/' }, 'All markets'),
      )
    }
  }

  /** What is shown stays as long as nothing of it changed: a ticket that is being filled in too. */
  #show(market: MarketView): void {
    const before = this.#shown
    this.#shown = market
    if (before !== null && statesOf(before) === statesOf(market)) return
    document.title = `${market.title} · outcomex`
    this.#body?.stop()
    this.#tabs?.stop()
    if (market.tradeType === 'group') this.#showGroup(market)
    else {
      this.#body = this.#bodyOf(market)
      fill(this.element, this.#body.element)
    }
  }

  #bodyOf(market: MarketView): Panel {
    return marketBody(this.#context, market, () => this.#refresher.ask())
  }

  #showGroup(group: MarketView): void {
    const children = group.markets ?? []
    const box = h('div', { id: TAB_PANEL, attrs: { role: 'tabpanel', 'aria-label': 'Market' } })
    const show = (slug: string): void => {
      const child = children.find((each) => each.slug === slug) ?? children[0]
      if (child === undefined) return
      this.#body?.stop()
      this.#body = this.#bodyOf(child)
      this.#chosen = child.slug
      tabs.mark(child.slug)
      fill(box, this.#body.element)
    }
    const tabs = new GroupTabs(this.#context, children, (slug) => {
      const path = location.hash.split('?')[0]
      history.replaceState(null, '', `${path}?${CHOSEN}=${encodeURIComponent(slug)}`)
      show(slug)
    })
    this.#tabs = tabs
    fill(this.element, h('p', { class: 'group-title' }, group.title), tabs.element, box)
    show(this.#chosen ?? '')
  }
}

/** What decides which panels a market has. */
function statesOf(market: MarketView): string {
  const own = [market.status, market.winningOutcomeIndex, market.payoutNumerators?.join('/')]
  return [...own, ...(market.markets ?? []).map(statesOf)].join(' ')
}

export function marketView(context: Context, { slug }: Readonly<Record<string, string>>): View {
  const page = new MarketPage(context, slug ?? '')
  return { title: 'Market', element: page.element, stop: () => page.stop() }
}
