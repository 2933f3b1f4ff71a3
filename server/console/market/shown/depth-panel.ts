// The depth of the book as a chart and as a sentence.

import { h, write } from '../../page/dom.ts'
import type { Chart } from '../../page/parts/chart.ts'
import { short } from '../../page/words.ts'
import { depthOf, sharesNear } from './ladder-rows.ts'
import type { LiveBook } from './live-book.ts'
import { type Panel, panel } from './panel.ts'

/** A chart that jumps with each order is hard to read. */
const DRAW_AFTER_MS = 400
/** The sentence tells so much around the middle, and the chart shows so much. */
const REACH = 0.05
const CHART_REACH = 0.2
const HEIGHT_PX = 190
const LEAST_SPAN = 10
const shares = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

export class DepthPanel implements Panel {
  readonly element: HTMLElement
  readonly #book: LiveBook
  readonly #words = h('p', { class: 'soft' })
  readonly #unwatch: () => void
  #chart: Chart | null = null
  #timer = 0
  #isDrawn = false
  #isStopped = false

  constructor(book: LiveBook) {
    this.#book = book
    this.element = panel('Depth', 'depth', this.#words)
    this.#unwatch = book.watch(() => this.#drawSoon())
    // Without the file of the chart its words stay.
    this.#open().catch(() => {})
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch()
    clearTimeout(this.#timer)
    this.#chart?.stop()
  }

  async #open(): Promise<void> {
    const { Chart } = await import('../../page/parts/chart.ts')
    if (this.#isStopped) return
    this.#chart = new Chart({
      lines: [
        { label: 'Bids', colour: 'buy', fill: 'buy-back', step: -1 },
        { label: 'Asks', colour: 'sell', fill: 'sell-back', step: 1 },
      ],
      isTime: false,
      heightPx: HEIGHT_PX,
      leastSpan: LEAST_SPAN,
      x: (value) => `${value}¢`,
      y: (value) => shares.format(value),
    })
    this.#words.before(this.#chart.element)
    this.#draw()
  }

  #drawSoon(): void {
    if (!this.#isDrawn) this.#draw()
    if (this.#timer !== 0) return
    this.#timer = setTimeout(() => {
      this.#timer = 0
      this.#draw()
    }, DRAW_AFTER_MS)
  }

  #draw(): void {
    const { copy } = this.#book
    if (copy === null || !copy.isCurrent) return
    this.#isDrawn = true
    const { bids, asks, midpoint } = copy
    const middle = midpoint ?? 0.5
    const near = (levels: typeof bids): string => short(sharesNear(levels, middle, REACH))
    const words = `Within 5¢ of the middle: ${near(bids)} shares bid, ${near(asks)} asked.`
    write(this.#words, words)
    const { cents, bids: below, asks: above } = depthOf(bids, asks, CHART_REACH)
    this.#chart?.show([cents, below, above], words)
  }
}
