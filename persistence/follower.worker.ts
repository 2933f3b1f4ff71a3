import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../engine/domain/assert.ts'
import { Follower } from './follower.ts'
import type { FollowerMessage, FollowerRequest, FollowerThreadData } from './follower-thread.ts'

// Follows the journal as far as main says it is durable, a chunk at a time.

assert(parentPort !== null, 'the follower runs in a thread of its own')
const port = parentPort
const data: FollowerThreadData = workerData
const follower = new Follower(data.dataDir)
let targetSeq = 0
let working = false

function say(message: FollowerMessage): void {
  port.postMessage(message)
}

function work(): void {
  working = follower.step(targetSeq)
  const { readSeq, stateSeq } = follower
  say({ kind: 'at', readSeq, stateSeq, idle: !working })
  // Between chunks the thread hears what main asks.
  if (working) setImmediate(work)
}

port.on('message', (request: FollowerRequest) => {
  switch (request.kind) {
    case 'advance':
      targetSeq = request.seq
      if (!working) work()
      return
    case 'hash':
      say({
        kind: 'hash',
        id: request.id,
        seq: follower.stateSeq,
        hash: follower.exchange.stateHash(),
      })
      return
    case 'stop':
      follower.close()
      process.exit(0)
  }
})
say('ready')
