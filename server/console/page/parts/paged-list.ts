// A list of the exchange that is read a page at a time.

import { button, type Child, h, write } from '../dom.ts'
import { Refresher } from '../refresher.ts'
import { refill } from './region.ts'

const PAUSE_MS = 500

/** `next` is null on the last page. */
export interface Page<Cursor> {
  readonly content: Child
  readonly next: Cursor | null
}

export interface PagedList {
  readonly element: HTMLElement
  /** Reads the shown page again. */
  again(): void
  /** Goes back to the first page. */
  first(): void
  stop(): void
}

/** `null` asks for the first page. */
export function pagedList<Cursor>(
  read: (cursor: Cursor | null, signal: AbortSignal) => Promise<Page<Cursor>>,
): PagedList {
  const back: (Cursor | null)[] = []
  let here: Cursor | null = null
  let next: Cursor | null = null
  const content = h('div', { attrs: { 'aria-busy': true } }, h('p', { class: 'soft' }, 'Loading…'))
  const notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  const refresher = new Refresher(async (signal) => {
    const requested = here
    try {
      const page = await read(requested, signal)
      if (signal.aborted || requested !== here) return
      next = page.next
      refill(content, page.content)
      write(notice, '')
    } catch (error) {
      if (signal.aborted) return
      write(notice, error instanceof Error ? error.message : String(error))
    }
    content.removeAttribute('aria-busy')
    mark()
  }, PAUSE_MS)
  const go = (to: Cursor | null) => {
    here = to
    content.setAttribute('aria-busy', 'true')
    refresher.ask()
  }
  const newer = button('Previous page', () => go(back.pop() ?? null))
  const older = button('Next page', () => {
    if (next === null) return
    back.push(here)
    go(next)
  })
  const round = h('div', { class: 'row pages' }, newer, older)
  const mark = () => {
    newer.disabled = here === null
    older.disabled = next === null
    round.hidden = newer.disabled && older.disabled
  }
  const first = () => {
    back.length = 0
    go(null)
  }
  mark()
  first()
  const stop = () => refresher.stop()
  return { element: h('div', {}, content, notice, round), again: () => go(here), first, stop }
}
