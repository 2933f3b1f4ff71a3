// Runs one part of the lifetime bench in a process of its own.

import { forkFor } from '../passes/fork.ts'

export interface LifetimePlan {
  readonly what: 'grow' | 'reopen' | 'core' | 'slots'
  readonly dataDir: string
  readonly markets: number
  /** How long the process rests before its memory is read. */
  readonly restMs?: number
}

export interface LifetimeFigures {
  readonly residentBytes: number
  /** Of that, the filter with the names of all orders. */
  readonly namesBytes: number
  readonly startMs: number
  readonly commandNs: number
}

function isFigures(message: unknown): message is Partial<LifetimeFigures> {
  return typeof message === 'object' && message !== null
}

export function lifetimeChild(plan: LifetimePlan): Promise<LifetimeFigures> {
  const entry = new URL('./lifetime-process.ts', import.meta.url)
  const none = { residentBytes: 0, namesBytes: 0, startMs: 0, commandNs: 0 }
  const options = { nodeArgs: ['--expose-gc', '--max-semi-space-size=16'] }
  return forkFor(entry, plan, isFigures, options).then((figures) => ({ ...none, ...figures }))
}
