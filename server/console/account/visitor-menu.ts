import type { Context } from '../context.ts'
import { h } from '../page/dom.ts'

export function visitorMenu(_context: Context): HTMLElement {
  return h('div', { class: 'visitor' })
}
