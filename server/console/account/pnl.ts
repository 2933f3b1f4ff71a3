// What the visitor earned over time.

import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import { button, type Child, h, write } from '../page/dom.ts'
import { Refresher } from '../page/refresher.ts'
import { refill, region } from '../page/region.ts'
import { signedDollars } from '../page/words.ts'
import type { PnlChart } from './account-replies.ts'
import { failureOf, onOwnNews } from './own-news.ts'
import type { Part } from './part.ts'

const FRAMES = [
  ['1d', 'Day'],
  ['7d', 'Week'],
  ['30d', 'Month'],
  ['all', 'All'],
] as const
const PAUSE_MS = 2000
const UNIT_RAW = 1_000_000

export function pnlPart(context: Context): Part {
  let frame: (typeof FRAMES)[number][0] = '7d'
  const figures = h('dl', { class: 'figures' })
  const said = h('p', { class: 'said', attrs: { role: 'alert' } })
  const refresher = new Refresher(async (signal) => {
    try {
      const chart = await read<PnlChart>(`/portfolio/pnl-chart?timeframe=${frame}`, signal)
      if (signal.aborted) return
      write(said, '')
      refill(figures, ...figuresOf(chart))
    } catch (error) {
      if (!signal.aborted) write(said, failureOf(error, context))
    }
  }, PAUSE_MS)
  const buttons = FRAMES.map(([name, label]) => button(label, () => choose(name)))
  const choose = (name: typeof frame) => {
    frame = name
    for (const [index, each] of buttons.entries()) {
      each.setAttribute('aria-pressed', String(FRAMES[index]?.[0] === name))
    }
    refresher.ask()
  }
  const unwatch = onOwnNews(context, () => refresher.ask())
  choose(frame)
  return {
    element: region('Profit and loss', h('div', { class: 'row' }, ...buttons), said, figures),
    stop() {
      unwatch()
      refresher.stop()
    },
  }
}

function figuresOf({ current, data }: PnlChart): readonly Child[] {
  const first = data.at(0)?.value ?? 0
  const last = data.at(-1)?.value ?? 0
  const figure = (label: string, value: number) =>
    h(
      'div',
      { class: 'figure' },
      h('dt', {}, label),
      h(
        'dd',
        { class: value < 0 ? 'sell' : value > 0 ? 'buy' : 'soft' },
        signedDollars(value * UNIT_RAW),
      ),
    )
  return [
    figure('In this time', last - first),
    figure('Realised in all', last),
    current === null ? null : figure('Unrealised', current.unrealised),
    current === null ? null : figure('Total', current.total),
  ]
}
