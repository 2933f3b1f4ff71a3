import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { Follower } from './follower.ts'
import { FollowerSlices } from './follower-slices.ts'
import type { FollowerMessage, FollowerRequest, FollowerThreadData } from './follower-thread.ts'
import { SlicedPace } from './sliced-pace.ts'
import { WrittenRows } from './tables/written-rows.ts'

// Follows the journal up to the durable seq that main publishes.

assert(parentPort !== null, 'the follower runs in a separate thread')
const port = parentPort
const data: FollowerThreadData = workerData
const say = (message: FollowerMessage) => port.postMessage(message)
const pace = new SlicedPace(data)
const { folder, memory, historyMs, seq: startSeq, hashesMinutes } = data
const written = new WrittenRows(data.rows)
const follower = new Follower(folder, { pace, memory, historyMs, written })
const rounds = new FollowerSlices({ follower, pace, startSeq, hashesMinutes, say })

port.on('message', (request: FollowerRequest) => {
  if (request.kind !== 'stop') return rounds.take(request)
  follower.close()
  process.exit(0)
})
say('ready')
rounds.work()
