// Tables of reads, and the rows of their latencies on two sides that are up at once and alternate.

import { monotonicMs } from '../../server/cli/load/pacer.ts'
import { alternate, pairOf, percentileOf, type Row } from '../harness/bench.ts'
import type { Call, Caller } from '../http/calls.ts'

const PERCENTILES = [50, 99]

export interface Read {
  /** Rows of a kind are judged together. */
  readonly kind: string
  readonly isSigned: boolean
  readonly name: string
  /** With names of values in braces, like `/markets/{slug}`. */
  readonly path: string
  /** JSON, with such names; a read with a body is a POST. */
  readonly body: string
}

/** Values of the names in braces, picked again for each call. */
export type Values = Readonly<Record<string, () => string | number>>

/** Each line has kind, proof (`open` or `signed`), name, path and perhaps a body. */
export function readsOf(table: string): Read[] {
  const lines = table.trim().split('\n')
  return lines.map((line) => {
    const [kind, proof, name, path, body = ''] = line.split(/ {2,}/)
    return { kind, isSigned: proof === 'signed', name, path, body }
  })
}

export interface Pace {
  readonly rounds: number
  /** Calls of a round. */
  readonly calls: number
  /** How long each read warms up on each side before its first round; at least one round. */
  readonly warmMs: number
}

export interface Side {
  readonly name: string
  readonly values: Values
  readonly caller: Caller
}

/** Makes the calls of one round; returns their latencies in milliseconds. */
function round({ caller, values }: Side, { path, body, isSigned }: Read, calls: number) {
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => String(values[name]()))
  const method = body === '' ? 'GET' : 'POST'
  const call = (): Call => ({ method, path: fill(path), body: fill(body) })
  return caller.round(call, calls, isSigned)
}

/** V8 compiles for the first thousands of calls of a read, which would show in its p99. */
async function warmUp(side: Side, read: Read, { warmMs, calls }: Pace): Promise<void> {
  const untilMs = monotonicMs() + warmMs
  do await round(side, read, calls)
  while (monotonicMs() < untilMs)
}

/** Measures each read on both sides; the rows of `few` are the baselines of those of `many`. */
export async function readRows(
  few: Side,
  many: Side,
  reads: readonly Read[],
  pace: Pace,
): Promise<Row[]> {
  const rows: Row[] = []
  const sides = [few, many]
  for (const read of reads) {
    const about = `${read.kind}: ${read.name}`
    for (const side of sides) await warmUp(side, read, pace)
    const samples = await alternate({ about: `reads: ${about}`, rounds: pace.rounds }, () =>
      sides.map((side) => () => round(side, read, pace.calls)),
    )
    for (const percent of PERCENTILES) {
      const [small, large] = sides.map(({ name }, index) => ({
        name: `${about}, p${percent}, ${name}`,
        samples: samples[index].map((ms) => percentileOf(ms, percent)),
      }))
      rows.push(...pairOf('ms', large, small))
    }
  }
  return rows
}
