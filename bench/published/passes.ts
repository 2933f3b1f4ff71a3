// Measures one book on one scenario of the published benchmark, in a process of its own.

import { assert } from '../../engine/domain/assert.ts'
import { type ChildOptions, runInChild } from '../harness/child.ts'
import { type Messages, messagesOf, type Scenario } from './messages.ts'

interface Runner {
  /** Trades so far. */
  readonly trades: number
  run(from: number, to: number): void
  empty(): void
  stop?(): Promise<void>
}

const RUNNERS = {
  ours: async (messages) => new (await import('./our-runs.ts')).Matching(messages),
  'ours, handed off': async (messages) => (await import('./our-runs.ts')).HandedOff.start(messages),
  'objects and Maps': async (messages) => new (await import('./plain-run.ts')).PlainRun(messages),
} satisfies Readonly<Record<string, (messages: Messages) => Promise<Runner>>>
export type RunnerName = keyof typeof RUNNERS

export interface PublishedPlan {
  readonly runner: RunnerName
  readonly scenario: Scenario
  readonly warmPasses: number
  readonly passes: number
  /** Orders of the scenario; the publication has a million. */
  readonly orders: number
}

export interface PublishedResult {
  /** Messages a second, one figure per pass. */
  readonly perSecond: readonly number[]
  readonly trades: number
}

export async function runPublished(plan: PublishedPlan): Promise<PublishedResult> {
  const messages = messagesOf(plan.scenario, undefined, plan.orders)
  const runner: Runner = await RUNNERS[plan.runner](messages)
  const perSecond: number[] = []
  let trades = 0
  for (let pass = 0; pass < plan.warmPasses + plan.passes; pass++) {
    const before = runner.trades
    const startMs = performance.now()
    runner.run(0, messages.count)
    const ms = performance.now() - startMs
    if (pass > 0) assert(runner.trades - before === trades, 'every pass makes the same trades')
    trades = runner.trades - before
    if (pass >= plan.warmPasses) perSecond.push((messages.count * 1000) / ms)
    runner.empty()
  }
  await runner.stop?.()
  return { perSecond, trades }
}

/** Runs the plan in a fresh process. */
export function forkPublished(plan: PublishedPlan, options?: ChildOptions) {
  const task = { module: new URL(import.meta.url), name: runPublished.name }
  return runInChild<PublishedResult>(task, plan, options)
}
