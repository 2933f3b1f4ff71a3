// The depth of the book as a chart and as a sentence.

import type { BookCopy } from '../../exchange/book-copy.ts'
import { Region } from '../../page/blocks.tsx'
import { Chart } from '../../page/chart.tsx'
import { short } from '../../page/format.ts'
import type { ChartForm, Columns } from '../../page/plot.ts'
import { effect, useLayoutEffect, useSignal } from '../../page/preact.ts'
import { depthOf, sharesNear } from './ladder-rows.ts'
import type { LiveBook } from './live-book.ts'

/** A chart that jumps with each order is hard to read. */
const DRAW_AFTER_MS = 400
/** The ranges around the midpoint of the sentence and of the chart. */
const REACH = 0.05
const CHART_REACH = 0.2
const shares = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

const FORM: ChartForm = {
  lines: [
    { label: 'Bids', colour: 'buy', fill: 'buy-back', step: -1 },
    { label: 'Asks', colour: 'sell', fill: 'sell-back', step: 1 },
  ],
  isTime: false,
  heightPx: 190,
  leastSpan: 10,
  x: (value) => `${value}¢`,
  y: (value) => shares.format(value),
}

interface Depth {
  readonly columns: Columns
  readonly words: string
}

function depthIn({ bids, asks, midpoint }: BookCopy): Depth {
  const middle = midpoint ?? 0.5
  const near = (levels: typeof bids): string => short(sharesNear(levels, middle, REACH))
  const words = `Within 5¢ of the middle: ${near(bids)} shares bid, ${near(asks)} offered.`
  const { cents, bids: below, asks: above } = depthOf(bids, asks, CHART_REACH)
  return { columns: [cents, below, above], words }
}

export function DepthPanel({ book }: { readonly book: LiveBook }) {
  const depth = useSignal<Depth | null>(null)
  useLayoutEffect(() => {
    let timer = 0
    const draw = (copy: BookCopy | null) => {
      timer = 0
      if (copy?.isCurrent === true) depth.value = depthIn(copy)
    }
    const end = effect(() => {
      const { copy } = book
      if (depth.peek() === null) draw(copy)
      else if (timer === 0) timer = setTimeout(() => draw(copy), DRAW_AFTER_MS)
    })
    return () => {
      end()
      clearTimeout(timer)
    }
  }, [])
  return (
    <Region label="Depth" name="depth">
      {depth.value !== null && (
        <>
          <Chart form={FORM} columns={depth.value.columns} label={depth.value.words} />
          <p class="soft">{depth.value.words}</p>
        </>
      )}
    </Region>
  )
}
