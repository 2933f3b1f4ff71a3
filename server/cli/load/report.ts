// The result of a load as text.

import type { Figures } from '../../ops/figures.ts'
import { stepLines } from '../top/view.ts'
import { OPERATIONS } from './load-plan.ts'
import type { ReaderTotals } from './readers.ts'
import type { GeneratorResult, LoadResult, OperationResult, Second } from './result.ts'

const BUSY_PART_MAX = 0.9
const LATE_MS_MAX = 2
const COLUMNS = ['accepted', 'a second', 'p50', 'p90', 'p99', 'p99.9', 'p99.99', 'worst']
const HEAD_CHARACTERS = 10
const CELL_CHARACTERS = 10

function msText(ms: number | null): string {
  if (ms === null) return '-'
  return ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(ms < 100 ? 2 : 0)} ms`
}

function row(head: string, cells: readonly string[]): string {
  return head.padEnd(HEAD_CHARACTERS) + cells.map((cell) => cell.padStart(CELL_CHARACTERS)).join('')
}

function operationRow(name: string, result: OperationResult): string {
  const { accepted, perSecond, p50Ms, p90Ms, p99Ms, p999Ms, p9999Ms, maxMs } = result
  const times = [p50Ms, p90Ms, p99Ms, p999Ms, p9999Ms, maxMs].map(msText)
  return row(name, [String(accepted), perSecond.toFixed(0), ...times])
}

export function secondLine({ sec, accepted, refused, p50Ms, p99Ms }: Second): string {
  return (
    `${sec.toFixed(1).padStart(6)} s  ${accepted} accepted, ${refused} refused, ` +
    `p50 ${msText(p50Ms)}, p99 ${msText(p99Ms)}`
  )
}

/** Why the load and not the exchange set the figures; null when it did not. */
export function bottleneckOf(generator: GeneratorResult, isOpenLoop: boolean): string | null {
  const { busyPart, lateP99Ms, signatureWaits } = generator
  if (signatureWaits > 0) return `${signatureWaits} requests waited for a signature`
  if (isOpenLoop && lateP99Ms !== null && lateP99Ms > LATE_MS_MAX) {
    return `1% of its requests began more than ${msText(lateP99Ms)} late`
  }
  if (busyPart <= BUSY_PART_MAX) return null
  return `a thread was busy for ${Math.round(busyPart * 100)}% of a second`
}

function generatorLines(generator: GeneratorResult, isOpenLoop: boolean): string[] {
  const { busyPart, lateP99Ms, connectionWaits } = generator
  const because = bottleneckOf(generator, isOpenLoop)
  const lines =
    because === null
      ? [
          `The load generator kept up: its threads were busy for at most ` +
            `${Math.round(busyPart * 100)}% of a second` +
            (isOpenLoop ? `, and 99% of the requests began within ${msText(lateP99Ms)}.` : '.'),
        ]
      : [
          `THE LOAD GENERATOR WAS THE BOTTLENECK: ${because}. ` +
            'Give it more --threads, or cores of its own.',
        ]
  if (isOpenLoop && connectionWaits > 0) {
    lines.push(
      `${connectionWaits} requests waited for a free connection; their wait counts. ` +
        'More --connections shorten it, unless the exchange is full.',
    )
  }
  return lines
}

function refusedText(refused: Readonly<Record<string, number>>): string {
  const rows = Object.entries(refused).sort(([, a], [, b]) => b - a)
  return rows.length === 0 ? 'none' : rows.map(([name, count]) => `${count} × ${name}`).join(', ')
}

/** A refusal by a rate limit is no measure of the speed of the exchange. */
function rateLines(refused: Readonly<Record<string, number>>): string[] {
  if (!Object.keys(refused).some((name) => name.startsWith('429'))) return []
  return ['The exchange limits its callers: start it with --no-rate-limit to measure it.']
}

export interface Measured {
  readonly result: LoadResult
  /** Null when the exchange did not answer. */
  readonly figures: Figures | null
  readonly readers: ReaderTotals | null
  readonly isOpenLoop: boolean
}

export function reportText({ result, figures, readers, isOpenLoop }: Measured): string {
  const { operations, refused, unanswered, seconds } = result
  const used = OPERATIONS.filter((each) => operations[each].accepted > 0)
  return [
    '',
    row('client', COLUMNS),
    ...used.map((each) => operationRow(each, operations[each])),
    operationRow('all', operations.all),
    ...(figures === null
      ? ['', 'The exchange does not answer any more.']
      : stepLines(figures, 'server')),
    '',
    `refused   ${refusedText(refused)}`,
    ...(unanswered === 0 ? [] : [`no answer ${unanswered}`]),
    ...(readers === null
      ? []
      : [
          `frames    ${readers.frames}, ${(readers.frames / seconds).toFixed(0)} a second, ` +
            `${readers.gaps} skips, ${readers.ended} connections ended`,
        ]),
    ...rateLines(refused),
    ...generatorLines(result.generator, isOpenLoop),
  ].join('\n')
}
