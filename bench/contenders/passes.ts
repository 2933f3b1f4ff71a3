// Measures one contender in a process of its own, so that no other contender shapes its machine
// code.

import { PerformanceObserver } from 'node:perf_hooks'
import { assert } from '../../engine/domain/assert.ts'
import { type ChildOptions, runInChild } from '../harness/child.ts'
import { recorded } from '../profile/source-positions.ts'
import { type Workload, type WorkloadOptions, workloadOf } from '../workload/workload.ts'
import type { Contender } from './contender.ts'

const MAKERS = {
  'our-book': async (work) => new (await import('./our-book.ts')).OurBook(work),
  'plain-book': async (work) => new (await import('./plain-contender.ts')).PlainContender(work),
  'npm-book': async (work) => new (await import('./npm-book.ts')).NpmContender(work),
  core: async (work) => new (await import('./core.ts')).CoreContender(work),
  'old-core': async (work) => new (await import('./core.ts')).CoreContender(work, 2_000_000),
} satisfies Readonly<Record<string, (work: Workload) => Promise<Contender>>>
export type ContenderName = keyof typeof MAKERS

/**
 * Operations between two readings of the clock; a follower that keeps up is never so far behind.
 */
const SLICE_OPS = 1 << 14

export interface PassPlan {
  readonly contender: ContenderName
  readonly workload: WorkloadOptions
  readonly warmPasses: number
  readonly passes: number
  /** The file for the profile of the passes, if one is wanted. */
  readonly profilePath?: string
}

export interface PassResult {
  /** One figure per pass. */
  readonly nsPerOp: readonly number[]
  /** Garbage collections during the measured passes, caused by the contender or by the loop. */
  readonly collections: number
}

/** Counts the garbage collections that start inside windows, which are known only afterwards. */
class CollectionCount {
  readonly #starts: number[] = []
  readonly #observer = new PerformanceObserver((list) => {
    this.#starts.push(...list.getEntries().map(({ startTime }) => startTime))
  })

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  async within(windows: readonly Window[]): Promise<number> {
    // The observer gets its entries in a later event-loop tick.
    for (let wait = 0; wait < 3; wait++) await new Promise((resolve) => setTimeout(resolve, 5))
    this.#observer.disconnect()
    const isInside = (at: number) => windows.some((each) => at >= each.startMs && at <= each.endMs)
    return this.#starts.filter(isInside).length
  }
}

export async function runPasses(plan: PassPlan): Promise<PassResult> {
  const work = workloadOf(plan.workload)
  const contender = await MAKERS[plan.contender](work)
  const run = async () => passesOf(plan, work, contender)
  const collections = new CollectionCount()
  const windows = await (plan.profilePath === undefined ? run() : recorded(plan.profilePath, run))
  const ops = work.count - work.filled
  const nsPerOp = windows.map((slices) => (lengthMs(slices) * 1e6) / ops)
  return { nsPerOp, collections: await collections.within(windows.flat()) }
}

function lengthMs(slices: readonly Window[]): number {
  return slices.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
}

interface Window {
  readonly startMs: number
  readonly endMs: number
}

/** Carries out the measured part of a pass. The time of `aside` between slices is not counted. */
function slicesOf(work: Workload, contender: Contender): Window[] {
  const slices: Window[] = []
  for (let from = work.filled; from < work.count; from += SLICE_OPS) {
    contender.aside?.()
    const startMs = performance.now()
    contender.run(from, Math.min(from + SLICE_OPS, work.count))
    slices.push({ startMs, endMs: performance.now() })
  }
  return slices
}

/** When the slices of each measured pass ran. */
function passesOf(plan: PassPlan, work: Workload, contender: Contender): Window[][] {
  const windows: Window[][] = []
  for (let pass = 0; pass < plan.warmPasses + plan.passes; pass++) {
    contender.run(0, work.filled)
    contender.fills.take()
    const slices = slicesOf(work, contender)
    if (pass >= plan.warmPasses) windows.push(slices)
    const { fills, filledRaw } = contender.fills.take()
    if (plan.contender !== 'npm-book') {
      assert(fills === work.fills, 'every book makes the same fills')
      assert(filledRaw === work.filledRaw, 'every book fills the same total size')
    } else assert(fills > 0, 'the book trades')
    contender.empty()
  }
  return windows
}

/** Runs the plan in a fresh process. */
export function forkPasses(plan: PassPlan, options?: ChildOptions): Promise<PassResult> {
  const task = { module: new URL(import.meta.url), name: runPasses.name }
  return runInChild(task, plan, options)
}
