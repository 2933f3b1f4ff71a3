// Summarises a profile as text: where each thread spends its time, and which functions the compiler
// optimised and deoptimised.

import { aligned } from '../harness/tables.ts'
import type { Frame, ThreadProfile } from './cpu-profile.ts'

const TOP = 15
/** Frames of an idle thread. A worker waits inside the last of them. */
const WAITS = new Set(['(idle)', 'waitForData'])
const IN_THE_REPOSITORY = /^(engine|persistence|server)\//

interface Spent {
  readonly frame: Frame
  selfUs: number
  totalUs: number
}

/** Time by function, most own time first. */
function timesOf({ frames, stacks, weightsUs }: ThreadProfile): Spent[] {
  const keyOf = ({ name, file, line }: Frame) => `${name} ${file}:${line}`
  const spent = new Map<string, Spent>()
  const of = (frame: Frame): Spent => {
    const key = keyOf(frame)
    const found = spent.get(key) ?? { frame, selfUs: 0, totalUs: 0 }
    spent.set(key, found)
    return found
  }
  for (const [index, stack] of stacks.entries()) {
    const weight = weightsUs[index]
    const own = stack.map((frame) => frames[frame])
    of(own[own.length - 1]).selfUs += weight
    // A recursive function counts once.
    for (const each of new Set(own.map(of))) each.totalUs += weight
  }
  return [...spent.values()].sort((a, b) => b.selfUs - a.selfUs)
}

const msText = (us: number): string => (us / 1000).toFixed(1)

function placeText({ name, file, line }: Frame): string {
  return file === '' ? name : `${name}  ${file}:${line}`
}

function threadText(profile: ThreadProfile): string {
  const times = timesOf(profile)
  const sum = (each: readonly Spent[]) => each.reduce((us, { selfUs }) => us + selfUs, 0)
  const [waits, busy] = [true, false].map((waiting) =>
    times.filter(({ frame }) => WAITS.has(frame.name) === waiting),
  )
  const busyUs = sum(busy)
  const line = ({ frame, selfUs, totalUs }: Spent) => {
    const part = `${((selfUs / Math.max(1, busyUs)) * 100).toFixed(1)}%`
    return [msText(selfUs), part, msText(totalUs), placeText(frame)]
  }
  const head = ['own ms', 'of busy', 'total ms', 'function']
  const isText = (column: number) => column === 3
  const byTotal = busy
    .filter(({ frame }) => frame.file !== '')
    .sort((a, b) => b.totalUs - a.totalUs)
  return [
    `${profile.thread}: busy ${msText(busyUs)} ms, waiting ${msText(sum(waits))} ms`,
    'most own time',
    aligned([head, ...busy.slice(0, TOP).map(line)], isText),
    'most time with what they call',
    aligned([head, ...byTotal.slice(0, TOP).map(line)], isText),
  ].join('\n')
}

interface Compiled {
  optimised: number
  readonly deoptimised: Map<string, number>
}

const OPTIMISED = /\[completed optimizing 0x[0-9a-f]+ <JSFunction (\S.*?) \(sfi/
const DEOPTIMISED =
  /\[bailout \(kind: ([\w-]+), reason: (.*?)\): begin\. .*?<JSFunction (\S.*?) \(sfi/

/**
 * The output of --trace-opt and --trace-deopt, by function. Threads may write into each other's
 * lines.
 */
export function readTrace(lines: Iterable<string>): Map<string, Compiled> {
  const found = new Map<string, Compiled>()
  const of = (name: string): Compiled => {
    const each = found.get(name) ?? { optimised: 0, deoptimised: new Map() }
    found.set(name, each)
    return each
  }
  for (const line of lines) {
    const optimised = OPTIMISED.exec(line)
    if (optimised !== null) of(optimised[1]).optimised++
    const deoptimised = DEOPTIMISED.exec(line)
    if (deoptimised === null) continue
    const [, kind, reason, name] = deoptimised
    const { deoptimised: reasons } = of(name)
    const why = `${reason} (${kind})`
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  return found
}

function compiledText(profiles: readonly ThreadProfile[], trace: ReadonlyMap<string, Compiled>) {
  const own = new Map<string, Spent>()
  for (const each of profiles.flatMap(timesOf)) {
    const { frame, selfUs } = each
    if (!IN_THE_REPOSITORY.test(frame.file) || WAITS.has(frame.name)) continue
    const key = placeText(frame)
    const known = own.get(key)
    if (known === undefined) own.set(key, each)
    else known.selfUs += selfUs
  }
  const hot = [...own.values()].sort((a, b) => b.selfUs - a.selfUs)
  const lines = hot.flatMap(({ frame, selfUs }, rank) => {
    const { optimised = 0, deoptimised = new Map<string, number>() } = trace.get(frame.name) ?? {}
    // Beyond the hot functions, only deoptimised ones get a line.
    if (rank >= 2 * TOP && deoptimised.size === 0) return []
    const reasons = [...deoptimised].map(([why, count]) => `${count} × ${why}`).join('; ')
    return [[msText(selfUs), String(optimised), reasons || '–', placeText(frame)]]
  })
  const head = ['own ms', 'optimised', 'deoptimised', 'function']
  return aligned([head, ...lines], (column) => column > 1)
}

export function summaryText(
  profiles: readonly ThreadProfile[],
  trace: ReadonlyMap<string, Compiled>,
): string {
  return [
    ...profiles.map(threadText),
    'Optimisations of our functions, over all threads; functions of one name count as one',
    compiledText(profiles, trace),
  ].join('\n\n')
}
