// Draws the fields of a form.

import { field, h } from '../page/dom.ts'
import type { FormField } from './form-body.ts'

export function drawnField(spec: FormField, value = ''): HTMLElement {
  const hint = spec.hint === undefined ? null : h('span', { class: 'soft hint' }, spec.hint)
  const element = drawn(spec, value)
  if (hint !== null) element.append(hint)
  return element
}

function drawn({ name, label, kind, isNeeded, choices = [] }: FormField, value: string) {
  const attrs = { required: isNeeded === true }
  switch (kind) {
    case 'lines': {
      const area = h('textarea', { attrs: { name, rows: 4, ...attrs } })
      area.value = value
      return h('label', { class: 'field' }, h('span', {}, label), area)
    }
    case 'choice': {
      const options = choices.map((each) => h('option', { attrs: { value: each } }, each))
      const select = h('select', { attrs: { name, ...attrs } }, ...options)
      return h('label', { class: 'field' }, h('span', {}, label), select)
    }
    case 'check':
    case 'forbid': {
      const box = h('input', { attrs: { type: 'checkbox', name, value: 'yes' } })
      return h('label', { class: 'check' }, box, h('span', {}, label))
    }
    default: {
      const type = kind === 'instant' ? 'datetime-local' : 'text'
      const inputmode = kind === 'number' ? 'numeric' : kind === 'units' ? 'decimal' : null
      const made = field(label, name, { type, inputmode, ...attrs })
      made.input.value = value
      return made.element
    }
  }
}
