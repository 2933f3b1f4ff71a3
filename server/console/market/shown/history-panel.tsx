// How the price of YES went: a chart, a sentence, and the newest prices as a table.

import { Button, Region } from '../../page/blocks.tsx'
import { Chart } from '../../page/chart.tsx'
import { cents, dayTime, evenCents } from '../../page/format.ts'
import type { ChartForm, Columns } from '../../page/plot.ts'
import { useMemo } from '../../page/preact.ts'
import { type PricePoint, wordsOf } from './price-format.ts'
import { INTERVALS, type PriceHistory } from './price-history.ts'

const ROWS_MAX = 20
const MS_PER_SEC = 1000

const FORM: ChartForm = {
  lines: [{ label: 'YES', colour: 'accent', step: 1 }],
  isTime: true,
  heightPx: 230,
  leastSpan: 0.02,
  x: (sec) => dayTime(sec * MS_PER_SEC),
  y: cents,
}

export function HistoryPanel({ history }: { readonly history: PriceHistory }) {
  const { interval, points, fault } = history
  const words = points.value === null ? 'Loading prices…' : wordsOf(points.value)
  return (
    <Region label="Price history" name="history">
      <div class="intervals" role="group" aria-label="Interval">
        {INTERVALS.map((each) => (
          <Button
            label={each}
            key={each}
            class="quiet"
            aria-pressed={each === interval.value}
            onClick={() => history.choose(each)}
          />
        ))}
      </div>
      {points.value !== null && <PriceChart points={points.value} words={words} />}
      <p class="soft">{fault.value || words}</p>
      <details>
        <summary>Prices as a table</summary>
        <NewestPrices points={points.value ?? []} />
      </details>
    </Region>
  )
}

interface PointsProps {
  readonly points: readonly PricePoint[]
}

function PriceChart({ points, words }: PointsProps & { readonly words: string }) {
  const columns = useMemo<Columns>(
    () => [points.map(({ atSec }) => atSec), points.map(({ price }) => price)],
    [points],
  )
  return <Chart form={FORM} columns={columns} label={`Price of YES. ${words}`} />
}

function NewestPrices({ points }: PointsProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th class="number" scope="col">
            YES
          </th>
        </tr>
      </thead>
      <tbody>
        {points
          .slice(-ROWS_MAX)
          .reverse()
          .map(({ atSec, price }) => (
            <tr key={atSec}>
              <td>{dayTime(atSec * MS_PER_SEC)}</td>
              <td class="number">{evenCents(price)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}
