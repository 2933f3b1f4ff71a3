// A part of the account: a named region that reads itself and follows what changes.

import type { Context } from '../context.ts'
import { type Child, h, write } from '../page/dom.ts'
import { refill, region } from '../page/parts/region.ts'
import { Refresher } from '../page/refresher.ts'
import { failureOf, onOwnUpdates } from './own-updates.ts'

export interface Part {
  readonly element: HTMLElement
  stop(): void
}

const PAUSE_MS = 700

interface Followed<Reply> {
  readonly label: string
  readonly read: (signal: AbortSignal) => Promise<Reply>
  readonly show: (reply: Reply) => readonly Child[]
}

/** Shows a read of the exchange, and reads it again after news. An equal reply draws nothing. */
export function followedPart<Reply>(
  { label, read, show }: Followed<Reply>,
  context: Context,
): Part {
  const content = h('div', {}, h('p', { class: 'soft' }, 'Loading…'))
  const notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  let shown = ''
  const refresher = new Refresher(async (signal) => {
    try {
      const reply = await read(signal)
      if (signal.aborted) return
      write(notice, '')
      const text = JSON.stringify(reply)
      if (text !== shown) refill(content, ...show(reply))
      shown = text
    } catch (error) {
      if (!signal.aborted) write(notice, failureOf(error))
    }
  }, PAUSE_MS)
  const unwatch = onOwnUpdates(context, () => refresher.ask())
  refresher.ask()
  return {
    element: region(label, notice, content),
    stop() {
      unwatch()
      refresher.stop()
    },
  }
}
