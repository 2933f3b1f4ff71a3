// The ladder: the live depth of the YES book. A price that is pressed goes into the ticket. While
// the copy of the book is not current, the ladder is dim and says so.

import type { BookCopy } from '../../exchange/book-copy.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { h, write } from '../../page/dom.ts'
import { paint, unpaint } from '../../page/painter.ts'
import { evenCents } from '../../page/words.ts'
import { ladderOf } from './ladder-rows.ts'
import { LadderSide } from './ladder-side.ts'
import type { LiveBook } from './live-book.ts'
import { type Panel, panel } from './panel.ts'

/** A side scrolls above this; books that are deeper show the best so many levels. */
const ROWS_MAX = 200

export class BookPanel implements Panel {
  readonly element: HTMLElement
  readonly #book: LiveBook
  readonly #asks: LadderSide
  readonly #bids: LadderSide
  readonly #middle = h('span', { attrs: { role: 'cell' } })
  readonly #last = h('span', { class: 'soft number', attrs: { role: 'cell', 'aria-colspan': 2 } })
  readonly #state = h('p', { class: 'catching', attrs: { role: 'status', 'aria-live': 'polite' } })
  readonly #unwatch: () => void

  constructor(book: LiveBook, pick: (yesPrice: number) => void) {
    this.#book = book
    this.#asks = new LadderSide('ask', pick)
    this.#bids = new LadderSide('bid', pick)
    const heads = ['Price', 'Shares', 'Total'].map((label, index) =>
      h('span', { class: index === 0 ? '' : 'number', attrs: { role: 'columnheader' } }, label),
    )
    const middle = h('div', { class: 'middle', attrs: { role: 'row' } }, this.#middle, this.#last)
    const ladder = h(
      'div',
      { class: 'ladder', attrs: { role: 'table', 'aria-label': 'Levels of YES' } },
      h(
        'div',
        { attrs: { role: 'rowgroup' } },
        h('div', { class: 'heads', attrs: { role: 'row' } }, ...heads),
      ),
      this.#asks.element,
      h('div', { attrs: { role: 'rowgroup' } }, middle),
      this.#bids.element,
    )
    this.element = panel('Order book', 'book', this.#state, ladder)
    this.#unwatch = book.watch(() => paint(this.#draw))
    this.#draw()
  }

  stop(): void {
    this.#unwatch()
    unpaint(this.#draw)
  }

  readonly #draw = (): void => {
    const { copy } = this.#book
    this.#mark(copy)
    if (copy === null || !copy.isCurrent) return
    const { bids, asks, bestBid, bestAsk, lastTradePrice } = copy
    const ladder = ladderOf(bids, asks, ROWS_MAX)
    this.#asks.show(ladder.asks)
    this.#bids.show(ladder.bids)
    const isTwoSided = bestBid !== null && bestAsk !== null
    write(this.#middle, isTwoSided ? `Spread ${evenCents(bestAsk - bestBid)}` : 'No spread')
    write(
      this.#last,
      lastTradePrice === null ? 'No trade yet' : `Last ${evenCents(lastTradePrice)}`,
    )
  }

  #mark(copy: BookCopy | null): void {
    const isCurrent = copy?.isCurrent === true
    const { dataset } = this.element
    const state = isCurrent ? 'current' : 'stale'
    if (dataset.state !== state) dataset.state = state
    const sequence = String(copy?.sequence ?? 0)
    if (dataset.sequence !== sequence) dataset.sequence = sequence
    write(this.#state, isCurrent ? '' : 'Book is catching up…')
  }
}

function noBookWords({ status }: MarketView): string {
  if (status === 'RESOLVED') return 'The market is over: no book.'
  if (status === 'LOCKED') return 'The market is closed: no book.'
  return 'The exchange does not show the book of this market now.'
}

/** In place of a book that is not shown. */
export function closedBook(market: MarketView): Panel {
  const element = panel('Order book', 'book', h('p', { class: 'soft' }, noBookWords(market)))
  element.dataset.state = 'current'
  element.dataset.sequence = '0'
  return { element, stop() {} }
}
