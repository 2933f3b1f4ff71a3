// One side of the ladder. Its rows are made once and change their texts: a row that is focused
// stays where it is while the book moves.

import { h, write } from '../../page/dom.ts'
import { evenCents, units } from '../../page/words.ts'
import type { LadderRow } from './ladder-rows.ts'

interface Row {
  readonly element: HTMLElement
  readonly price: HTMLButtonElement
  readonly size: HTMLElement
  readonly total: HTMLElement
  readonly bar: HTMLElement
  /** What its bar shows, in thousandths. */
  shown: number
}

export class LadderSide {
  /** Rows stand best first; the side of asks grows upwards. */
  readonly element: HTMLElement
  readonly #side: 'bid' | 'ask'
  readonly #rows: Row[] = []

  constructor(side: 'bid' | 'ask', pick: (yesPrice: number) => void) {
    this.#side = side
    const attrs = { role: 'rowgroup', 'aria-label': side === 'bid' ? 'Bids' : 'Asks' }
    this.element = h('div', { class: `side ${side}s`, attrs })
    this.element.addEventListener('click', (event) => {
      const price = priceAt(event.target)
      if (price !== null) pick(price)
    })
    this.element.addEventListener('keydown', (event) => this.#move(event))
  }

  show(rows: readonly LadderRow[]): void {
    for (const [index, row] of rows.entries()) writeRow(this.#rowAt(index), this.#side, row)
    for (const { element } of this.#rows.slice(rows.length)) hide(element)
  }

  #rowAt(index: number): Row {
    const known = this.#rows[index]
    if (known !== undefined) return known
    const price = h('button', { attrs: { type: 'button', tabindex: index === 0 ? 0 : -1 } })
    const bar = h('span', { class: 'bar', attrs: { 'aria-hidden': true } })
    const size = h('span', { class: 'number', attrs: { role: 'cell' } })
    const total = h('span', { class: 'number soft', attrs: { role: 'cell' } })
    const element = h(
      'div',
      { class: 'level', attrs: { role: 'row', 'data-side': this.#side } },
      h('span', { class: 'price', attrs: { role: 'cell' } }, bar, price),
      size,
      total,
    )
    const row = { element, price, size, total, bar, shown: -1 }
    this.#rows.push(row)
    this.element.append(element)
    return row
  }

  /** One row is in the order of tabs; arrows reach the others. */
  #move(event: KeyboardEvent): void {
    const outwards = this.#side === 'bid' ? 'ArrowDown' : 'ArrowUp'
    const inwards = this.#side === 'bid' ? 'ArrowUp' : 'ArrowDown'
    if (event.key !== outwards && event.key !== inwards) return
    const index = this.#rows.findIndex(({ price }) => price === event.target)
    const next = this.#rows[index + (event.key === outwards ? 1 : -1)]
    if (index < 0 || next === undefined || next.element.hidden) return
    event.preventDefault()
    for (const { price } of this.#rows) price.tabIndex = -1
    next.price.tabIndex = 0
    next.price.focus()
  }
}

function priceAt(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.level') : null
  return row?.dataset.price === undefined ? null : Number(row.dataset.price)
}

const THOUSAND = 1000

function writeRow(
  row: Row,
  side: 'bid' | 'ask',
  { price, sizeRaw, totalRaw, part }: LadderRow,
): void {
  const { element, bar } = row
  if (element.hidden) {
    element.hidden = false
    element.dataset.side = side
  }
  const [priceText, sizeText] = [String(price), String(sizeRaw)]
  if (element.dataset.price !== priceText) {
    element.dataset.price = priceText
    const words = evenCents(price)
    row.price.textContent = words
    row.price.setAttribute(
      'aria-label',
      `${side === 'bid' ? 'Bid' : 'Ask'} ${words}, use this price`,
    )
  }
  if (element.dataset.size !== sizeText) {
    element.dataset.size = sizeText
    write(row.size, units(sizeRaw))
  }
  write(row.total, units(totalRaw))
  const shown = Math.round(part * THOUSAND)
  if (shown === row.shown) return
  row.shown = shown
  bar.style.transform = `scaleX(${shown / THOUSAND})`
}

/** A hidden row has no level: tests and readers must not find one there. */
function hide(element: HTMLElement): void {
  if (element.hidden) return
  element.hidden = true
  delete element.dataset.side
  delete element.dataset.price
  delete element.dataset.size
}
