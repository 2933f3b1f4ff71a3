// A part of a view with its own name.

import { type Child, fill, h } from '../dom.ts'

export function region(label: string, ...children: readonly Child[]): HTMLElement {
  return h(
    'section',
    { class: 'panel', attrs: { 'aria-label': label } },
    h('h2', {}, label),
    ...children,
  )
}

/** Elements with the same key are one thing before and after a refill. */
export const KEY = 'data-key'

/** Replaces what an element holds; the focus stays on the thing that has it. */
export function refill(parent: Element, ...children: readonly Child[]): void {
  const focused = document.activeElement
  const key = focused && parent.contains(focused) ? focused.getAttribute(KEY) : null
  fill(parent, ...children)
  if (key === null) return
  for (const each of parent.querySelectorAll<HTMLElement>(`[${KEY}]`)) {
    if (each.getAttribute(KEY) === key) each.focus({ preventScroll: true })
  }
}
