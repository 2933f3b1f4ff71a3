// A part of the page of a market: a titled region that may follow streams.

import type { Child } from '../../page/dom.ts'
import { region } from '../../page/parts/region.ts'

export interface Panel {
  readonly element: HTMLElement
  stop(): void
}

/** A region that screen readers and tests find by its label, and styles by its name. */
export function panel(label: string, name: string, ...children: readonly Child[]): HTMLElement {
  const element = region(label, ...children)
  element.classList.add(name)
  return element
}
