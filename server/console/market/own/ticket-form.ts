// The fields of the order ticket, and what is typed in them.

import { button, h } from '../../page/dom.ts'
import { type Draft, KINDS, type Kind, steppedPrice } from './draft.ts'
import { Entry, outcomeChoice, sideChoice } from './fields.ts'
import { type Lifetime, UNTILS, type Until } from './lifetime.ts'

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  GTC: 'Limit: waits in the book (GTC)',
  FAK: 'Limit: take what is there (FAK)',
  FOK: 'Limit: all or nothing (FOK)',
  MARKET: 'Market: all now or nothing',
}

const UNTIL_WORDS: Readonly<Record<Until, string>> = {
  canceled: 'Until it is canceled',
  hour: '1 hour',
  day: '1 day',
  midnight: 'Until the end of this day',
  own: 'Until a time of your own',
}

/** A choice of one below its label. */
function listOf<Value extends string>(
  label: string,
  name: string,
  words: Readonly<Record<Value, string>>,
  values: readonly Value[],
) {
  const id = `ticket-${name}`
  const options = values.map((value) => h('option', { attrs: { value } }, words[value]))
  const select = h('select', { id, attrs: { name } }, ...options)
  const element = h('div', { class: 'entry' }, h('label', { attrs: { for: id } }, label), select)
  return { element, value: () => values.find((each) => each === select.value) }
}

const STEP = 1
const WIDE_STEP = 10

export class TicketForm {
  readonly #side = sideChoice()
  readonly #outcome = outcomeChoice()
  readonly #kind = listOf('Type', 'type', KIND_WORDS, KINDS)
  readonly #until = listOf('It lasts', 'until', UNTIL_WORDS, UNTILS)
  readonly #postOnly = h('input', { attrs: { type: 'checkbox', name: 'postOnly' } })
  readonly #postOnlyLabel = h(
    'label',
    { class: 'check' },
    this.#postOnly,
    h('span', {}, 'Post-only: never take'),
  )
  readonly price: Entry
  readonly amount: Entry
  /** The end of an order that has one of its own. */
  readonly end = new Entry('Its end, your local time', 'end')
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
    this.end.input.type = 'datetime-local'
    this.fields = [
      ...[this.#side.element, this.#outcome.element, this.#kind.element],
      ...[this.price.element, this.amount.element],
      ...[this.#until.element, this.end.element, this.#postOnlyLabel],
    ]
  }

  get draft(): Draft {
    return {
      isBuy: this.#side.value() === 'buy',
      outcome: this.#outcome.value() === 'no' ? 1 : 0,
      kind: this.#kind.value() ?? 'GTC',
      isPostOnly: this.#postOnly.checked,
      price: this.price.input.value,
      amount: this.amount.input.value,
    }
  }

  /** Only an order that may wait has an end. */
  get lifetime(): Lifetime {
    const isWaiting = this.draft.kind === 'GTC'
    const until = isWaiting ? (this.#until.value() ?? 'canceled') : 'canceled'
    return { until, at: this.end.input.value }
  }

  /** Shows the fields that this kind of order has. */
  arrange(): void {
    const { kind, isBuy } = this.draft
    this.price.element.hidden = kind === 'MARKET'
    this.#postOnlyLabel.hidden = kind !== 'GTC'
    this.#until.element.hidden = kind !== 'GTC'
    this.end.element.hidden = this.lifetime.until !== 'own'
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
