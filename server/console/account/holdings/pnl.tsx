// What the visitor earned over time: a chart of what was realised, and figures of now.

import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import { Button, Figure, Region } from '../../page/blocks.tsx'
import { Chart } from '../../page/chart.tsx'
import { dayTime, signedDollars, units } from '../../page/format.ts'
import type { ChartForm, Columns } from '../../page/plot.ts'
import { useMemo, useSignal } from '../../page/preact.ts'
import { Fault, useReading } from '../../page/reading.tsx'
import type { PnlChart } from '../account-replies.ts'
import { useOwnEvents } from '../part.tsx'

const FRAMES = [
  ['1d', 'Day'],
  ['7d', 'Week'],
  ['30d', 'Month'],
  ['all', 'All'],
] as const
type Frame = (typeof FRAMES)[number][0]
const PAUSE_MS = 2000
const UNIT_RAW = 1_000_000
const MS_PER_SEC = 1000

const money = (value: number): string => signedDollars(value * UNIT_RAW)

const FORM: ChartForm = {
  lines: [{ label: 'Realised', colour: 'accent', step: 1 }],
  isTime: true,
  heightPx: 180,
  leastSpan: 0.1,
  x: (sec) => dayTime(sec * MS_PER_SEC),
  // Without a plus and without empty cents: an axis is narrow.
  y: (value) => `${value < 0 ? '−' : ''}$${units(Math.abs(value) * UNIT_RAW)}`,
}

export function ProfitAndLoss({ context }: { readonly context: Context }) {
  const frame = useSignal<Frame>('7d')
  const reading = useReading(async (signal) => {
    const wanted = frame.peek()
    const chart = await read<PnlChart>(`/portfolio/pnl-chart?timeframe=${wanted}`, signal)
    return wanted === frame.peek() ? chart : null
  }, PAUSE_MS)
  useOwnEvents(context, () => reading.again())
  const choose = (name: Frame) => {
    frame.value = name
    reading.again()
  }
  const chart = reading.reply.value
  return (
    <Region label="Profit and loss">
      <div class="row" role="group" aria-label="Time">
        {FRAMES.map(([name, label]) => (
          <Button
            label={label}
            key={name}
            aria-pressed={name === frame.value}
            onClick={() => choose(name)}
          />
        ))}
      </div>
      <Fault text={reading.fault.value} />
      {chart !== null && <Figures chart={chart} />}
    </Region>
  )
}

function Figures({ chart }: { readonly chart: PnlChart }) {
  const { current, data } = chart
  const first = data.at(0)?.value ?? 0
  const last = data.at(-1)?.value ?? 0
  const columns = useMemo<Columns>(
    () => [data.map(({ timestamp }) => timestamp / MS_PER_SEC), data.map(({ value }) => value)],
    [data],
  )
  return (
    <>
      <dl class="figures">
        <Gain label="Selected period" value={last - first} />
        <Gain label="Realised (all time)" value={last} />
        {current !== null && <Gain label="Unrealised" value={current.unrealised} />}
        {current !== null && <Gain label="Total" value={current.total} />}
      </dl>
      <Chart
        form={FORM}
        columns={columns}
        label={`Realised profit, from ${money(first)} to ${money(last)}.`}
      />
    </>
  )
}

function Gain({ label, value }: { readonly label: string; readonly value: number }) {
  const look = value < 0 ? 'sell' : value > 0 ? 'buy' : 'soft'
  return <Figure label={label} value={money(value)} look={look} />
}
