import { parentPort, workerData } from 'node:worker_threads'
import { Bells } from '../thread/bells.ts'
import { Ring } from '../thread/ring.ts'
import { stallPoint } from '../thread/stall-point.ts'
import { StretchClock } from '../thread/stretches.ts'
import { handleFrame, sendEventsTo } from './market-thread.ts'
import type { ShardRings } from './shard-handle.ts'

const { bell, stretches }: ShardRings = workerData
const sleep = bell === undefined ? undefined : new Bells(bell.shared).sleepWordOf(bell.place)
const input = new Ring(workerData.input, sleep)
const output = new Ring(workerData.output)
const clock = new StretchClock(stretches)
const ringDoorbell = () => {
  output.send()
  if (output.takeDoorbell()) parentPort?.postMessage(0)
}

sendEventsTo(output, () => {
  // Main takes the events of a sweep in many turns. Meanwhile this thread is alive.
  input.answer()
  ringDoorbell()
  output.waitForSpace()
})

parentPort?.postMessage(0)
let running = true
while (running) {
  clock.begin()
  while (running && input.next()) running = handleFrame(input, output)
  input.free()
  ringDoorbell()
  clock.end()
  if (running) input.waitForData(1000)
  stallPoint('market-stall')
}
