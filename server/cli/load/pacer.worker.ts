// Sends the intended start of each operation. It runs in a thread of its own, so that a delay of
// the thread that begins the operations counts as latency.

import { parentPort, workerData } from 'node:worker_threads'
import { monotonicMs, type Pace } from './pacer.ts'

const { count, perSecond }: Pace = workerData
const cell = new Int32Array(new SharedArrayBuffer(4))
const startMs = monotonicMs() + 5
for (let index = 0; index < count; index++) {
  const intendedMs = startMs + (index * 1000) / perSecond
  const waitMs = intendedMs - monotonicMs()
  if (waitMs > 0.02) Atomics.wait(cell, 0, 0, waitMs)
  parentPort?.postMessage(intendedMs)
}
