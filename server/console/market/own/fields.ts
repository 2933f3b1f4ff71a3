// The parts of a ticket: choices side by side, a text with its fault below, and a summary.

import { fill, h, write } from '../../page/dom.ts'
import type { Line } from './ticket-words.ts'

export interface Choice {
  readonly element: HTMLElement
  readonly value: () => string
  readonly choose: (value: string) => void
}

/** Radio buttons side by side; arrows move between them. */
function choiceOf(
  label: string,
  name: string,
  options: readonly (readonly [string, string])[],
): Choice {
  const inputs = options.map(([value], index) =>
    h('input', { attrs: { type: 'radio', name, value, checked: index === 0 } }),
  )
  const labels = options.map(([value, words], index) =>
    h('label', { class: `option ${value}` }, inputs[index], h('span', {}, words)),
  )
  const legend = h('legend', { class: 'hidden' }, label)
  return {
    element: h('fieldset', { class: 'choice' }, legend, ...labels),
    value: () => inputs.find(({ checked }) => checked)?.value ?? '',
    choose: (value) => {
      for (const input of inputs) input.checked = input.value === value
    },
  }
}

export const sideChoice = () =>
  choiceOf('Side', 'side', [
    ['buy', 'Buy'],
    ['sell', 'Sell'],
  ])

export const outcomeChoice = () =>
  choiceOf('Outcome', 'outcome', [
    ['yes', 'YES'],
    ['no', 'NO'],
  ])

/** A text field with its fault below. */
export class Entry {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
  readonly #label: HTMLElement
  readonly #fault: HTMLElement

  constructor(label: string, name: string, ...beside: readonly HTMLElement[]) {
    const id = `ticket-${name}`
    this.#label = h('label', { attrs: { for: id } }, label)
    this.input = h('input', {
      id,
      attrs: {
        name,
        inputmode: 'decimal',
        autocomplete: 'off',
        'aria-describedby': `${id}-fault`,
      },
    })
    this.#fault = h('p', { class: 'fault sell', id: `${id}-fault` })
    const row = h('div', { class: 'entry-row' }, this.input, ...beside)
    this.element = h('div', { class: 'entry' }, this.#label, row, this.#fault)
  }

  name(label: string): void {
    write(this.#label, label)
  }

  complain(sentence: string): void {
    write(this.#fault, sentence)
    this.input.setAttribute('aria-invalid', String(sentence !== ''))
  }
}

/** Writes the lines of a summary. It is hidden without any. */
export function drawLines(list: HTMLElement, lines: readonly Line[]): void {
  list.hidden = lines.length === 0
  if (list.childElementCount !== lines.length) {
    fill(list, ...lines.map(() => h('div', {}, h('dt'), h('dd'))))
  }
  for (const [index, [name, value]] of lines.entries()) {
    const [term, words] = list.children[index]?.children ?? []
    if (term !== undefined) write(term, name)
    if (words !== undefined) write(words, value)
  }
}
