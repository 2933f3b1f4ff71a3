// The exchange as its metrics show it, read again every two seconds while somebody looks.

import { h, write } from '../../page/dom.ts'
import { refill } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import { Refresher } from '../../page/refresher.ts'
import type { View } from '../../page/view.ts'
import { clockTime } from '../../page/words.ts'
import type { OperatorContext } from '../operator-context.ts'
import {
  type EventGroup,
  type KindOfSteps,
  metadataOf,
  rateText,
  type StepRow,
  stepsOf,
  timeText,
  WANTED,
} from './health-figures.ts'
import { RecentLooks } from './recent-looks.ts'

const EVERY_MS = 2000
const KIND_WORDS: Readonly<Record<string, string>> = {
  order: 'Orders',
  cancel: 'Cancels',
  change: 'Other changes',
  query: 'Reads',
}

export function healthView({ access }: OperatorContext): View {
  const looks = new RecentLooks(WANTED)
  const notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  const when = h('p', { class: 'soft' }, 'Loading…')
  const steps = h('div', { class: 'steps' })
  const metadata = h('div', { class: 'groups' })
  const refresher = new Refresher(async (signal) => {
    try {
      const text = await access.text('/metrics', signal)
      if (signal.aborted) return
      const nowMs = Date.now()
      const figures = looks.take(text, nowMs)
      write(when, whenText(nowMs, looks.spanMs(nowMs)))
      write(notice, '')
      refill(steps, ...stepsOf(figures).map(kindPart))
      refill(metadata, ...metadataOf(figures).map(groupPart))
    } catch (error) {
      if (!signal.aborted) write(notice, error instanceof Error ? error.message : String(error))
    }
  }, 0)
  const ask = () => {
    if (!document.hidden) refresher.ask()
  }
  const timer = setInterval(ask, EVERY_MS)
  document.addEventListener('visibilitychange', ask)
  ask()
  return {
    title: 'Health',
    element: h(
      'div',
      { class: 'view operator' },
      h('h1', {}, 'Health'),
      when,
      notice,
      metadata,
      steps,
    ),
    stop() {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
      refresher.stop()
    },
  }
}

function whenText(nowMs: number, spanMs: number | null): string {
  const span = spanMs === null ? 'since the start' : `the last ${Math.round(spanMs / 1000)} s`
  return `${clockTime(nowMs)}; rates and times are of ${span}.`
}

function groupPart({ label, metadata }: EventGroup): HTMLElement {
  const pairs = metadata.flatMap(([name, value, isBad = false]) => [
    h('dt', {}, name),
    h('dd', { class: isBad ? 'sell strong' : '' }, value),
  ])
  return h(
    'section',
    { class: 'panel', attrs: { 'aria-label': label } },
    h('h2', {}, label),
    h('dl', { class: 'facts' }, ...pairs),
  )
}

function kindPart({ kind, perSec, rows }: KindOfSteps): HTMLElement {
  const label = KIND_WORDS[kind] ?? kind
  const columns = [
    'Step',
    ...['Count', 'p50', 'p99'].map((number) => ({ number })),
    '10 µs to 10 s',
  ]
  const cells = rows.map((row) => [
    row.step,
    row.count,
    timeText(row.p50Sec),
    timeText(row.p99Sec),
    histogram(row),
  ])
  return h(
    'section',
    { class: 'panel', attrs: { 'aria-label': label } },
    h('h2', {}, label, ' ', h('span', { class: 'soft' }, `${rateText(perSec)} a second`)),
    h('div', { class: 'table-box' }, table(`Steps: ${label}`, columns, cells, 'plain')),
  )
}

/** All of them have the same buckets, so that their places compare. */
function histogram({ step, bars, p50Sec, p99Sec }: StepRow): HTMLElement {
  const columns = bars.map((part) => {
    const bar = h('span', {})
    bar.style.height = `${Math.round(part * 100)}%`
    return bar
  })
  const notice = `${step}: half take up to ${timeText(p50Sec)}, 99% up to ${timeText(p99Sec)}`
  return h('div', { class: 'bars', attrs: { role: 'img', 'aria-label': notice } }, ...columns)
}
