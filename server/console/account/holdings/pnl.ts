// What the visitor earned over time: a chart of what was realised, and figures of now.

import '../../page/parts/chart.css'
import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import { button, type Child, h, write } from '../../page/dom.ts'
import type { Chart } from '../../page/parts/chart.ts'
import { refill, region } from '../../page/parts/region.ts'
import { Refresher } from '../../page/refresher.ts'
import { dayTime, signedDollars, units } from '../../page/words.ts'
import type { PnlChart } from '../account-replies.ts'
import { failureOf, onOwnUpdates } from '../own-updates.ts'
import type { Part } from '../part.ts'

const FRAMES = [
  ['1d', 'Day'],
  ['7d', 'Week'],
  ['30d', 'Month'],
  ['all', 'All'],
] as const
type Frame = (typeof FRAMES)[number][0]
const PAUSE_MS = 2000
const UNIT_RAW = 1_000_000
const HEIGHT_PX = 180
const LEAST_SPAN = 0.1
const MS_PER_SEC = 1000

const money = (value: number): string => signedDollars(value * UNIT_RAW)

/** Without a plus and without empty cents: an axis is narrow. */
const onAxis = (value: number): string =>
  `${value < 0 ? '−' : ''}$${units(Math.abs(value) * UNIT_RAW)}`

class PnlPart implements Part {
  readonly element: HTMLElement
  readonly #figures = h('dl', { class: 'figures' })
  readonly #notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  readonly #refresher = new Refresher((signal) => this.#read(signal), PAUSE_MS)
  readonly #buttons: readonly HTMLButtonElement[]
  readonly #unwatch: () => void
  #frame: Frame = '7d'
  #newest: PnlChart | null = null
  #chart: Chart | null = null
  #isStopped = false

  constructor(context: Context) {
    this.#buttons = FRAMES.map(([name, label]) => button(label, () => this.#choose(name)))
    const choice = h(
      'div',
      { class: 'row', attrs: { role: 'group', 'aria-label': 'Time' } },
      ...this.#buttons,
    )
    this.element = region('Profit and loss', choice, this.#notice, this.#figures)
    this.#unwatch = onOwnUpdates(context, () => this.#refresher.ask())
    this.#choose('7d')
    // Without the file of the chart its figures stay.
    this.#open().catch(() => {})
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch()
    this.#refresher.stop()
    this.#chart?.stop()
  }

  async #open(): Promise<void> {
    const { Chart } = await import('../../page/parts/chart.ts')
    if (this.#isStopped) return
    this.#chart = new Chart({
      lines: [{ label: 'Realised', colour: 'accent', step: 1 }],
      isTime: true,
      heightPx: HEIGHT_PX,
      leastSpan: LEAST_SPAN,
      x: (sec) => dayTime(sec * MS_PER_SEC),
      y: onAxis,
    })
    this.#figures.after(this.#chart.element)
    this.#draw()
  }

  #choose(frame: Frame): void {
    this.#frame = frame
    for (const [index, each] of this.#buttons.entries()) {
      each.setAttribute('aria-pressed', String(FRAMES[index]?.[0] === frame))
    }
    this.#refresher.ask()
  }

  async #read(signal: AbortSignal): Promise<void> {
    const frame = this.#frame
    try {
      const path = `/portfolio/pnl-chart?timeframe=${frame}`
      const newest = await read<PnlChart>(path, signal)
      if (signal.aborted || frame !== this.#frame) return
      this.#newest = newest
      write(this.#notice, '')
      this.#draw()
    } catch (error) {
      if (!signal.aborted) write(this.#notice, failureOf(error))
    }
  }

  #draw(): void {
    if (this.#newest === null) return
    const { data } = this.#newest
    refill(this.#figures, ...figuresOf(this.#newest))
    const first = data.at(0)?.value ?? 0
    const last = data.at(-1)?.value ?? 0
    this.#chart?.show(
      [data.map(({ timestamp }) => timestamp / MS_PER_SEC), data.map(({ value }) => value)],
      `Realised profit, from ${money(first)} to ${money(last)}.`,
    )
  }
}

export function pnlPart(context: Context): Part {
  return new PnlPart(context)
}

function figuresOf({ current, data }: PnlChart): readonly Child[] {
  const first = data.at(0)?.value ?? 0
  const last = data.at(-1)?.value ?? 0
  const figure = (label: string, value: number) =>
    h(
      'div',
      { class: 'figure' },
      h('dt', {}, label),
      h('dd', { class: value < 0 ? 'sell' : value > 0 ? 'buy' : 'soft' }, money(value)),
    )
  return [
    figure('In this time', last - first),
    figure('Realised in all', last),
    current === null ? null : figure('Unrealised', current.unrealised),
    current === null ? null : figure('Total', current.total),
  ]
}
