// The tape: the newest trades of the market, live. A trade that was taken back is struck through.

import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import type { TapeTrade } from '../../exchange/shapes.ts'
import type { TapeUpdate } from '../../exchange/streams.ts'
import { fill, h } from '../../page/dom.ts'
import { paint, unpaint } from '../../page/painter.ts'
import type { Unwatch } from '../../page/signal.ts'
import { clockTime, evenCents, units } from '../../page/words.ts'
import { type Panel, panel } from './panel.ts'
import { type Missing, TapeCopy, type TapeRow } from './tape-copy.ts'

const READ_MAX = 100
/** The tables that are read may be a moment behind the tape. */
const AGAIN_AFTER_MS = 1000
const TRIES_MAX = 3

function rowOf({ trade: { price, size, side, timestamp }, isBusted }: TapeRow): HTMLElement {
  const isBuy = side === 'BUY'
  const words = [clockTime(timestamp), isBuy ? 'Buy' : 'Sell', evenCents(price), units(size)]
  const cells = words.map((word, index) => {
    const name = [index > 1 ? 'number' : '', index === 1 || index === 2 ? side.toLowerCase() : '']
    const text = isBusted ? h('s', {}, word) : word
    return h('td', { class: name.join(' ').trim() }, text)
  })
  const attrs = { title: isBusted ? 'This trade was taken back.' : null }
  return h('tr', { class: isBusted ? 'busted' : '', attrs }, ...cells)
}

export class TapePanel implements Panel {
  readonly element: HTMLElement
  readonly #slug: string
  readonly #onTrade: (trade: TapeTrade) => void
  readonly #copy = new TapeCopy()
  readonly #rows = h('tbody')
  readonly #elements = new Map<string, { readonly row: TapeRow; readonly element: HTMLElement }>()
  readonly #ended = new AbortController()
  readonly #unwatches: Unwatch[]

  /** A market that is over has a tape, but no live one. */
  constructor(
    { streams }: Context,
    { slug, isLive }: { readonly slug: string; readonly isLive: boolean },
    onTrade: (trade: TapeTrade) => void,
  ) {
    this.#slug = slug
    this.#onTrade = onTrade
    const heads = ['Time', 'Taker', 'YES', 'Shares'].map((label, index) =>
      h('th', { class: index > 1 ? 'number' : '', attrs: { scope: 'col' } }, label),
    )
    const table = h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.#rows)
    const box = h(
      'div',
      { class: 'tape-box', attrs: { tabindex: 0, 'aria-label': 'Last trades' } },
      table,
    )
    box.setAttribute('role', 'group')
    this.element = panel('Trades', 'tape', box)
    const onLink = (link: string): void => {
      if (link === 'lost') this.#copy.lose()
      if (link === 'live') void this.#read('newest')
    }
    this.#unwatches = isLive
      ? [streams.tape(slug, (updates) => this.#take(updates)), streams.link.watch(onLink)]
      : []
    if (streams.link.value !== 'live' || !isLive) void this.#read('newest')
  }

  stop(): void {
    this.#ended.abort()
    unpaint(this.#draw)
    for (const unwatch of this.#unwatches) unwatch()
  }

  #take(updates: TapeUpdate): void {
    const isTrade = 'trade' in updates
    const missing = isTrade
      ? this.#copy.takeFrame(updates.trade)
      : this.#copy.takeBust(updates.busted)
    if (isTrade) this.#onTrade(updates.trade)
    void this.#read(missing)
    paint(this.#draw)
  }

  async #read(missing: Missing, tries = 1): Promise<void> {
    if (missing === null) return
    const after = missing === 'newest' ? '' : `&afterSeq=${missing.afterSeq}`
    const path = `/markets/${encodeURIComponent(this.#slug)}/trades?limit=${READ_MAX}${after}`
    const { signal } = this.#ended
    try {
      const { trades } = await read<{ readonly trades: readonly TapeTrade[] }>(path, signal)
      this.#copy.takeRead(trades)
      paint(this.#draw)
    } catch {
      // What is missing is asked for again, here or with the next trade.
    }
    const still = this.#copy.missing
    if (still === null || tries === TRIES_MAX || signal.aborted) return
    setTimeout(() => void this.#read(still, tries + 1), AGAIN_AFTER_MS)
  }

  readonly #draw = (): void => {
    const rows = this.#copy.rows
    const kept = new Set(rows.map(({ trade }) => trade.tradeEventId))
    for (const id of [...this.#elements.keys()]) if (!kept.has(id)) this.#elements.delete(id)
    const elements = rows.map((row) => this.#elementOf(row))
    for (const child of [...this.#rows.children]) {
      if (!elements.some((each) => each === child)) child.remove()
    }
    for (const [index, element] of elements.entries()) {
      const there = this.#rows.children[index]
      if (there !== element) this.#rows.insertBefore(element, there ?? null)
    }
    if (elements.length === 0) {
      fill(
        this.#rows,
        h('tr', {}, h('td', { class: 'soft', attrs: { colspan: 4 } }, 'No trades yet.')),
      )
    }
  }

  /** A row is made once, and again only when its trade was taken back. */
  #elementOf(row: TapeRow): HTMLElement {
    const known = this.#elements.get(row.trade.tradeEventId)
    if (known !== undefined && known.row.isBusted === row.isBusted) return known.element
    const element = rowOf(row)
    this.#elements.set(row.trade.tradeEventId, { row, element })
    return element
  }
}
