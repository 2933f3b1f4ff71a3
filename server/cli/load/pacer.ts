// Operations at a constant rate.

import type { Worker } from 'node:worker_threads'
import { spawn } from '../../../engine/thread/spawn.ts'

export interface Pace {
  readonly perSecond: number
  readonly count: number
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * Calls `begin` with the intended start of each operation, in monotonic milliseconds, whether
 * earlier operations have ended or not. Latencies count from the intended start, so every wait is
 * included: the correction for coordinated omission is no guess.
 */
export function startPacer(
  pace: Pace,
  begin: (intendedMs: number) => void,
  onError: (error: unknown) => void,
): Worker {
  const entry = new URL('./pacer.worker.ts', import.meta.url)
  const worker = spawn(entry, { name: 'pacer', workerData: pace })
  worker.on('error', onError)
  worker.on('message', begin)
  return worker
}
