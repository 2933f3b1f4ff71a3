import { parentPort, workerData } from 'node:worker_threads'
import { Ring } from '../../engine/thread/ring.ts'
import { WakeUps } from '../../engine/thread/wake-ups.ts'

// Reports each frame that it reads. It sleeps so long between frames that only a wake-up ends it.
const LONG_MS = 600_000
const { shared, wakeUps, place, frames } = workerData
const ring = new Ring(shared, new WakeUps(wakeUps).sleepWordOf(place))
for (let received = 0; received < frames; ) {
  while (ring.next()) {
    parentPort?.postMessage(ring.tag)
    received++
  }
  ring.free()
  if (received < frames) ring.waitForData(LONG_MS)
}
