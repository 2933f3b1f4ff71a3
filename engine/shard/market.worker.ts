import { parentPort, workerData } from 'node:worker_threads'
import { BusyClock } from '../thread/busy-times.ts'
import { stallPoint } from '../thread/fault-point.ts'
import { Ring } from '../thread/ring.ts'
import { WakeUps } from '../thread/wake-ups.ts'
import { handleFrame, sendEventsTo } from './market-thread.ts'
import type { ShardRings } from './shard-handle.ts'

const { wakeUp, busyTimes }: ShardRings = workerData
const sleep =
  wakeUp === undefined ? undefined : new WakeUps(wakeUp.shared).sleepWordOf(wakeUp.place)
const input = new Ring(workerData.input, sleep)
const output = new Ring(workerData.output)
const clock = new BusyClock(busyTimes)
const sendWakeUp = () => {
  output.send()
  if (output.takeWakeUp()) parentPort?.postMessage(0)
}

sendEventsTo(output, () => {
  // Main takes the events of a sweep over many ticks. Meanwhile this thread is alive.
  input.answer()
  sendWakeUp()
  output.waitForSpace()
})

parentPort?.postMessage(0)
let running = true
while (running) {
  clock.begin()
  while (running && input.next()) running = handleFrame(input, output)
  input.free()
  sendWakeUp()
  clock.end()
  if (running) input.waitForData(1000)
  stallPoint('market-stall')
}
