import { parentPort, workerData } from 'node:worker_threads'
import type { PacerData } from './pacer.ts'

// Tells when each operation is meant to begin, whether the one before has ended or not. Latency
// counted from that moment leaves nothing out. It runs in a thread of its own, so that a late main
// shows as latency.

const data: PacerData = workerData
const cell = new Int32Array(new SharedArrayBuffer(4))
const nowMs = () => Number(process.hrtime.bigint()) / 1e6
const startMs = nowMs() + 5
for (let index = 0; index < data.count; index++) {
  const intendedMs = startMs + (index * 1000) / data.perSecond
  const waitMs = intendedMs - nowMs()
  if (waitMs > 0.02) Atomics.wait(cell, 0, 0, waitMs)
  parentPort?.postMessage(intendedMs)
}
