// The exchange as its metrics show it, read again every two seconds while somebody looks.

import { Metadata, Region, Table } from '../../page/blocks.tsx'
import { clockTime } from '../../page/format.ts'
import { whileVisible } from '../../page/lifetime.ts'
import { useLayoutEffect, useMemo } from '../../page/preact.ts'
import { Fault, Shown, useReading } from '../../page/reading.tsx'
import type { OperatorContext } from '../access.ts'
import {
  type FigureGroup,
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
const KIND_LABELS: Readonly<Record<string, string>> = {
  order: 'Orders',
  cancel: 'Cancels',
  change: 'Other changes',
  query: 'Reads',
}
const STEP_COLUMNS = [
  'Step',
  { number: 'Count' },
  { number: 'p50' },
  { number: 'p99' },
  '10 µs to 10 s',
] as const

export function HealthView({ context: { access } }: { readonly context: OperatorContext }) {
  const looks = useMemo(() => new RecentLooks(WANTED), [])
  const reading = useReading(async (signal) => {
    const text = await access.text('/metrics', signal)
    const nowMs = Date.now()
    const figures = looks.take(text, nowMs)
    return { nowMs, spanMs: looks.spanMs(nowMs), figures }
  }, 0)
  useLayoutEffect(() => whileVisible(EVERY_MS, () => reading.again()), [])
  return (
    <div class="view operator">
      <h1>Health</h1>
      <Fault text={reading.fault.value} />
      <Shown reading={reading}>
        {({ nowMs, spanMs, figures }) => (
          <>
            <p class="soft">{whenText(nowMs, spanMs)}</p>
            <div class="groups">
              {metadataOf(figures).map((group) => (
                <Group key={group.label} group={group} />
              ))}
            </div>
            <div class="steps">
              {stepsOf(figures).map((steps) => (
                <Steps key={steps.kind} steps={steps} />
              ))}
            </div>
          </>
        )}
      </Shown>
    </div>
  )
}

function whenText(nowMs: number, spanMs: number | null): string {
  const span = spanMs === null ? 'since start' : `of the last ${Math.round(spanMs / 1000)} s`
  return `${clockTime(nowMs)}; averages ${span}.`
}

function Group({ group: { label, metadata } }: { readonly group: FigureGroup }) {
  const rows = metadata.map(
    ([name, value, isBad]) => [name, value, isBad ? 'sell strong' : undefined] as const,
  )
  return (
    <Region label={label}>
      <Metadata look="metadata" metadata={rows} />
    </Region>
  )
}

function Steps({ steps: { kind, perSec, rows } }: { readonly steps: KindOfSteps }) {
  const label = KIND_LABELS[kind] ?? kind
  return (
    <section class="panel" aria-label={label}>
      <h2>
        {label} <span class="soft">{rateText(perSec)} per second</span>
      </h2>
      <Table
        label={`Steps: ${label}`}
        columns={STEP_COLUMNS}
        rows={rows.map((row) => ({
          key: row.step,
          cells: [
            row.step,
            row.count,
            timeText(row.p50Sec),
            timeText(row.p99Sec),
            <Histogram row={row} />,
          ],
        }))}
        look="plain"
      />
    </section>
  )
}

/** All of them have the same buckets, so that their places compare. */
function Histogram({ row: { step, bars, p50Sec, p99Sec } }: { readonly row: StepRow }) {
  const label = `${step}: half take up to ${timeText(p50Sec)}, 99% up to ${timeText(p99Sec)}`
  return (
    <div class="bars" role="img" aria-label={label}>
      {bars.map((part) => (
        <span style={{ height: `${Math.round(part * 100)}%` }} />
      ))}
    </div>
  )
}
