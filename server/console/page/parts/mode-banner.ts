// Tells everybody that trading is restricted, in the words of the operator if there are some.

import { fill, h } from '../dom.ts'
import type { Signal } from '../signal.ts'
import { visible } from '../visible.ts'
import { dayTime } from '../words.ts'

interface Shown {
  readonly mode: 'post_only' | 'cancel_only' | 'disabled'
  readonly message: string
  readonly endsAt: string | null
}

const WORDS = {
  post_only: 'The exchange takes post-only orders and cancels alone',
  cancel_only: 'The exchange takes cancels alone',
  disabled: 'The exchange takes neither orders nor cancels',
} as const

export function modeBanner(restriction: Signal<Shown | null>): HTMLElement {
  const element = h('div', { class: 'banner', attrs: { role: 'status' } })
  let notice = ''
  restriction.watch((shown) => {
    // A screen reader would say again what is only filled in again.
    const key = JSON.stringify(shown)
    if (key === notice) return
    notice = key
    if (shown === null) return fill(element)
    const until = shown.endsAt === null ? '.' : ` until ${dayTime(shown.endsAt)}.`
    const message = shown.message !== '' && h('bdi', {}, ` ${visible(shown.message)}`)
    fill(element, h('strong', {}, `${WORDS[shown.mode]}${until}`), message)
  })
  return element
}
