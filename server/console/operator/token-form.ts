// Asks for the token of an operator. The field is not of the kind for passwords: a browser would
// offer to keep what stands in one.

import { field, h } from '../page/dom.ts'
import { actForm } from '../page/parts/act-form.ts'
import type { View } from '../page/view.ts'
import type { OperatorContext } from './operator-context.ts'

export function tokenView({ access }: OperatorContext): View {
  const { element: token, input } = field('Operator token', 'token', {
    required: true,
    spellcheck: 'false',
    autocapitalize: 'off',
    class: 'masked',
  })
  const form = actForm(
    {
      act: 'Open',
      isMain: true,
      async run() {
        const given = input.value.trim()
        await access.open(given)
        input.value = ''
      },
    },
    h(
      'p',
      { class: 'soft' },
      'The first start of the exchange printed one; ',
      h('code', {}, 'outcomex admin operator'),
      ' makes further ones. What a token may do follows from its role.',
    ),
    token,
  )
  return {
    title: 'Operators',
    element: h('div', { class: 'view token-form' }, h('h1', {}, 'Operators'), form),
    stop() {},
  }
}
