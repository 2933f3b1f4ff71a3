import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { LogMember, Replaced } from './log-member.ts'
import type { LogThreadData, ToLogThread } from './log-thread.ts'
import { logWorld } from './log-world.ts'

// Follows or leads the log of a cluster, and writes the local copy.

assert(parentPort !== null, 'the log has a separate thread')
const port = parentPort
const data: LogThreadData = workerData
const world = logWorld(data)
const member = new LogMember(data, world, (message) => port.postMessage(message))
port.on('message', (message: ToLogThread) => {
  if (message === 'stop') member.stop()
  else if (message === 'wake-up') member.woken()
  else if ('segment' in message) world.copy.addSegment(message.segment)
  else member.compare(message)
})
port.postMessage('ready')
try {
  await member.run()
} catch (error) {
  if (!(error instanceof Replaced)) throw error
  port.postMessage({ kind: 'replaced', sentence: error.message })
}
process.exit(0)
