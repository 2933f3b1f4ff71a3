// The fields of the order ticket, and what is typed in them.

import { button, h } from '../../page/dom.ts'
import { type Draft, KINDS, type Kind, steppedPrice } from './draft.ts'
import { Entry, outcomeChoice, sideChoice } from './fields.ts'

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  GTC: 'Limit: rests until canceled (GTC)',
  FAK: 'Limit: take what is there (FAK)',
  FOK: 'Limit: all or nothing (FOK)',
  MARKET: 'Market: all now or nothing',
}

const STEP = 1
const WIDE_STEP = 10

export class TicketForm {
  readonly #side = sideChoice()
  readonly #outcome = outcomeChoice()
  readonly #kind = h(
    'select',
    { id: 'ticket-type', attrs: { name: 'type' } },
    ...KINDS.map((value) => h('option', { attrs: { value } }, KIND_WORDS[value])),
  )
  readonly #postOnly = h('input', { attrs: { type: 'checkbox', name: 'postOnly' } })
  readonly #postOnlyLabel = h(
    'label',
    { class: 'check' },
    this.#postOnly,
    h('span', {}, 'Post-only: never take'),
  )
  readonly price: Entry
  readonly amount: Entry
  readonly fields: readonly HTMLElement[]

  constructor(onChange: () => void, onMost: () => void) {
    const step = (ticks: number, sign: string, words: string) =>
      button(sign, () => this.#step(ticks, onChange), { attrs: { 'aria-label': words } })
    this.price = new Entry(
      'Price, ¢',
      'price',
      step(-STEP, '−', 'A tenth of a cent less'),
      step(STEP, '+', 'A tenth of a cent more'),
    )
    const most = button('Max', onMost, { attrs: { 'aria-label': 'Max: the most you can' } })
    this.amount = new Entry('Shares', 'amount', most)
    this.price.input.addEventListener('keydown', (event) => this.#stepByKey(event, onChange))
    const kind = h(
      'div',
      { class: 'entry' },
      h('label', { attrs: { for: 'ticket-type' } }, 'Type'),
      this.#kind,
    )
    this.fields = [
      this.#side.element,
      this.#outcome.element,
      kind,
      this.price.element,
      this.amount.element,
      this.#postOnlyLabel,
    ]
  }

  get draft(): Draft {
    return {
      isBuy: this.#side.value() === 'buy',
      outcome: this.#outcome.value() === 'no' ? 1 : 0,
      kind: KINDS.find((each) => each === this.#kind.value) ?? 'GTC',
      isPostOnly: this.#postOnly.checked,
      price: this.price.input.value,
      amount: this.amount.input.value,
    }
  }

  /** Shows the fields that this kind of order has. */
  arrange(): void {
    const { kind, isBuy } = this.draft
    this.price.element.hidden = kind === 'MARKET'
    this.#postOnlyLabel.hidden = kind !== 'GTC'
    this.amount.name(kind === 'MARKET' && isBuy ? 'Spend, $' : 'Shares')
  }

  #step(ticks: number, onChange: () => void): void {
    this.price.input.value = steppedPrice(this.price.input.value, ticks)
    onChange()
  }

  #stepByKey(event: KeyboardEvent, onChange: () => void): void {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (sign === undefined) return
    event.preventDefault()
    this.#step(sign * (event.shiftKey ? WIDE_STEP : STEP), onChange)
  }
}
