// Sentences that tell what became of an act. A screen reader says them; each goes after a while.
// Several calls may fail for one reason, so a sentence that is said again takes its old place.

import { button, h } from './dom.ts'

const SHOWN_MS = 8000
const NOTICES_MAX = 4

export class Notices {
  readonly element = h('div', {
    class: 'notices',
    attrs: { role: 'status', 'aria-live': 'polite' },
  })

  good(sentence: string): void {
    this.#show(sentence, 'good')
  }

  bad(sentence: string): void {
    this.#show(sentence, 'bad')
  }

  /** What a failed call says; a fault that is no error says itself. */
  failure(error: unknown): void {
    this.bad(error instanceof Error ? error.message : String(error))
  }

  #show(sentence: string, kind: 'good' | 'bad'): void {
    for (const each of [...this.element.children]) {
      if (each.firstChild?.textContent === sentence) each.remove()
    }
    const notice = h('div', { class: `notice ${kind}` }, h('span', {}, sentence))
    const close = () => notice.remove()
    notice.append(
      button('×', close, { class: 'quiet', attrs: { 'aria-label': 'Close this notice' } }),
    )
    while (this.element.childElementCount >= NOTICES_MAX) this.element.firstElementChild?.remove()
    this.element.append(notice)
    setTimeout(close, SHOWN_MS)
  }
}
