import { threadPoint } from './fault-point.ts'

const STALL_MS = 2500

/** In a worker: stalls its thread for a while at the configured passing. */
export function stallPoint(point: 'journal-stall' | 'market-stall'): void {
  if (threadPoint(point)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
}
