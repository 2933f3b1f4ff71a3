// The common parts of the tasks of the lifetime bench.

import type { RunningExchange } from '../../server/start/open.ts'
import { runInChild } from '../harness/child.ts'

const NODE_ARGS = ['--expose-gc', '--max-semi-space-size=16']

export interface LifetimePlan {
  readonly dataDir: string
  readonly markets: number
  /** How long the process rests before its memory is read. */
  readonly restMs?: number
}

export interface LifetimeMemory {
  readonly residentBytes: number
  /** Of that, the filters with the keys of orders. */
  readonly namesBytes: number
}

export interface LifetimeStart extends LifetimeMemory {
  readonly startMs: number
}

/** Returns a function that runs the task of a module in a process of its own. */
export function taskOf<Plan, T>(url: string, { name }: (plan: Plan) => T | Promise<T>) {
  return (plan: Plan) => {
    return runInChild<T>({ module: new URL(url), name }, plan, { nodeArgs: NODE_ARGS })
  }
}

/** Opens a folder and stops; returns time and memory of the start in a fresh process. */
export async function startOf(open: () => Promise<RunningExchange>): Promise<LifetimeStart> {
  const startedMs = performance.now()
  const exchange = await open()
  const startMs = performance.now() - startedMs
  globalThis.gc?.()
  return { startMs, ...(await stopped(exchange, process.memoryUsage().rss)) }
}

/** Stops the exchange; returns its memory before the stop. */
export async function stopped(exchange: RunningExchange, bytes: number): Promise<LifetimeMemory> {
  const namesBytes = exchange.lookups.filterBytes
  await exchange.stop()
  return { residentBytes: bytes, namesBytes }
}
