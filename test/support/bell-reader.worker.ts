import { parentPort, workerData } from 'node:worker_threads'
import { Ring } from '../../engine/thread/ring.ts'
import { WakeUps } from '../../engine/thread/wake-ups.ts'

// Tells each frame that it reads. It sleeps so long between frames that only a bell can wake it.
const LONG_MS = 600_000
const { shared, wakeUps, place, frames } = workerData
const ring = new Ring(shared, new WakeUps(wakeUps).sleepWordOf(place))
for (let heard = 0; heard < frames; ) {
  while (ring.next()) {
    parentPort?.postMessage(ring.tag)
    heard++
  }
  ring.free()
  if (heard < frames) ring.waitForData(LONG_MS)
}
