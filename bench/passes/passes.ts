// Measures one contender in a process of its own, so that no other contender shapes its machine
// code.

import { PerformanceObserver } from 'node:perf_hooks'
import { assert } from '../../engine/domain/assert.ts'
import type { Contender } from '../contenders/contender.ts'
import { recorded } from '../workload/recording.ts'
import { Workload, type WorkloadOptions } from '../workload/workload.ts'
import { type ForkOptions, forkFor } from './fork.ts'

export const CONTENDERS = ['our-book', 'plain-book', 'npm-book', 'core', 'old-core'] as const
export type ContenderName = (typeof CONTENDERS)[number]

/**
 * Operations between two readings of the clock: more than can pile up while a follower keeps up.
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

async function contenderOf(name: ContenderName, work: Workload): Promise<Contender> {
  switch (name) {
    case 'our-book':
      return new (await import('../contenders/our-book.ts')).OurBook(work)
    case 'plain-book':
      return new (await import('../contenders/plain-book.ts')).PlainContender(work)
    case 'npm-book':
      return new (await import('../contenders/npm-book.ts')).NpmContender(work)
    case 'core':
      return new (await import('../contenders/core.ts')).CoreContender(work)
    case 'old-core':
      return new (await import('../contenders/core.ts')).CoreContender(work, 2_000_000)
  }
}

/** Counts the garbage collections that start inside windows, which are known only afterwards. */
class CollectionCount {
  readonly #starts: number[] = []
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) this.#starts.push(entry.startTime)
  })

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  async within(windows: readonly Window[]): Promise<number> {
    // The observer gets its entries in a later turn of the loop.
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setTimeout(resolve, 5))
    this.#observer.disconnect()
    const isInside = (at: number) => windows.some((each) => at >= each.startMs && at <= each.endMs)
    return this.#starts.filter(isInside).length
  }
}

export async function runPasses(plan: PassPlan): Promise<PassResult> {
  const work = new Workload(plan.workload)
  const contender = await contenderOf(plan.contender, work)
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
    contender.takeFills()
    const slices = slicesOf(work, contender)
    if (pass >= plan.warmPasses) windows.push(slices)
    const { fills, filledRaw } = contender.takeFills()
    if (plan.contender !== 'npm-book') {
      assert(fills === work.fills, 'every book makes the same fills')
      assert(filledRaw === work.filledRaw, 'every book fills the same total size')
    } else assert(fills > 0, 'the book trades')
    contender.empty()
  }
  return windows
}

function isResult(message: unknown): message is PassResult {
  return typeof message === 'object' && message !== null && 'nsPerOp' in message
}

/** Runs the plan in a fresh process. */
export function forkPasses(plan: PassPlan, options?: ForkOptions): Promise<PassResult> {
  return forkFor(new URL('./pass-process.ts', import.meta.url), plan, isResult, options)
}
