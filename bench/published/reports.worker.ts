import { parentPort, workerData } from 'node:worker_threads'
import { EVENT_BYTES } from '../../engine/domain/event.ts'
import { Ring } from '../../engine/thread/ring.ts'
import { FillCount } from '../contenders/contender.ts'
import { END, type ReportsData } from './reports-thread.ts'

const data: ReportsData = workerData
const ring = new Ring(data.ring)
const counts = new Int32Array(data.counts)
const f64s = new Float64Array(data.ring)
const fills = new FillCount()
let isOver = false
parentPort?.postMessage(0)
while (!isOver) {
  while (ring.next()) {
    isOver = ring.tag === END
    fills.addEvents(ring.words, f64s, ring.payloadBytes / EVENT_BYTES, ring.byteOffset)
  }
  Atomics.store(counts, 0, fills.count)
  ring.free()
  if (!isOver) ring.waitForData(1000)
}
