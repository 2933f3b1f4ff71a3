import { workerData } from 'node:worker_threads'
import { Ring } from '../../engine/thread/ring.ts'
import { payloadOf } from './ring-frames.ts'

// Pushes numbered frames as fast as the reader lets it.
const { shared, frames } = workerData
const ring = new Ring(shared)
for (let frame = 0; frame < frames; frame++) {
  while (!ring.push(frame, payloadOf(frame))) {
    ring.send()
    ring.waitForSpace()
  }
  if (frame % 64 === 63) ring.send()
}
ring.send()
