// What the page shows below its head: one view at a time, which the fragment of the address names.

import type { Child } from './dom.ts'
import { fill, h } from './dom.ts'

export interface View {
  readonly title: string
  readonly element: HTMLElement
  /** Ends streams and timers; the element is gone then. */
  stop(): void
}

export interface Place<Context> {
  /** Like `#/market/:slug`. */
  readonly pattern: string
  open(context: Context, params: Readonly<Record<string, string>>): View
}

function matched(pattern: string, fragment: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = fragment.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, word] of wanted.entries()) {
    if (word.startsWith(':')) params[word.slice(1)] = decoded(given[index] ?? '')
    else if (word !== given[index]) return null
  }
  return params
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A view without streams: a sentence, or elements that stand still. */
export function still(title: string, ...children: readonly Child[]): View {
  return {
    title,
    element: h('section', { class: 'view' }, h('h1', {}, title), ...children),
    stop() {},
  }
}

/** Shows the view of the address, now and after each change of it. */
export class Places<Context> {
  readonly #places: readonly Place<Context>[]
  readonly #root: HTMLElement
  readonly #context: Context
  readonly #onShown: (fragment: string) => void
  #view: View | null = null

  constructor(
    root: HTMLElement,
    context: Context,
    places: readonly Place<Context>[],
    onShown: (fragment: string) => void,
  ) {
    this.#root = root
    this.#context = context
    this.#places = places
    this.#onShown = onShown
    addEventListener('hashchange', () => this.show(true))
    this.show(false)
  }

  show(isFocused: boolean): void {
    const [path = ''] = (location.hash || '#/').split('?')
    this.#view?.stop()
    this.#view = this.#viewOf(path)
    fill(this.#root, this.#view.element)
    document.title = `${this.#view.title} · outcomex`
    this.#onShown(path)
    scrollTo(0, 0)
    // A screen reader goes on with the new view.
    if (isFocused) this.#root.focus({ preventScroll: true })
  }

  #viewOf(path: string): View {
    for (const { pattern, open } of this.#places) {
      const params = matched(pattern, path)
      if (params !== null) return open(this.#context, params)
    }
    return still('Nothing here', h('p', {}, h('a', { href: '#/' }, 'All markets')))
  }
}

export function marketLink(slug: string): string {
  return `#/market/${encodeURIComponent(slug)}`
}
