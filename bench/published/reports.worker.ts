import { parentPort, workerData } from 'node:worker_threads'
import { EVENT, EVENT_BYTES, eventAt, eventKind } from '../../engine/domain/event.ts'
import { Ring } from '../../engine/thread/ring.ts'
import { END, type ReportsData } from './reports-thread.ts'

const data: ReportsData = workerData
const ring = new Ring(data.ring)
const counts = new Int32Array(data.counts)
let isOver = false
parentPort?.postMessage(0)
while (!isOver) {
  let trades = 0
  while (ring.next()) {
    isOver = ring.tag === END
    const records = ring.payloadBytes / EVENT_BYTES
    for (let index = 0; index < records; index++) {
      if (eventKind(ring.words, eventAt(ring.byteOffset, index)) === EVENT.FILL) trades++
    }
  }
  Atomics.add(counts, 0, trades)
  ring.free()
  if (!isOver) ring.waitForData(1000)
}
