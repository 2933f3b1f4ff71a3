import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { Follower } from './follower.ts'
import type { FollowerMessage, FollowerRequest, FollowerThreadData } from './follower-thread.ts'
import { ScoringTurns } from './scoring-turns.ts'
import { SlicedPace } from './sliced-pace.ts'

// Follows the journal as far as main says it is durable, a chunk at a time.

assert(parentPort !== null, 'the follower runs in a thread of its own')
const port = parentPort
const data: FollowerThreadData = workerData
const say = (message: FollowerMessage) => port.postMessage(message)
const pace = new SlicedPace(data)
const follower = new Follower(data.folder, pace)
const turns = new ScoringTurns(follower, pace, say)
let targetSeq = data.seq
let working = false

function work(): void {
  pace.begin(follower.stateSeq < data.seq ? Infinity : targetSeq - follower.stateSeq)
  working = follower.step(targetSeq)
  // A step stops at a due snapshot, so there may be more to do after it.
  if (takeSnapshot() && follower.stateSeq < targetSeq) working = true
  say({ kind: 'at', ...follower.takeNews(), idle: !working })
  pace.end()
  turns.go()
  // Between chunks the thread receives the messages of main.
  if (working) setImmediate(work)
}

/** Gives true when a snapshot was due at this seq. */
function takeSnapshot(): boolean {
  const taken = follower.takeDue()
  taken?.then((saved) => say({ kind: 'saved', ...saved }))
  return taken !== null
}

port.on('message', (request: FollowerRequest) => {
  if (request.kind === 'project') return turns.ask(request)
  switch (request.kind) {
    case 'advance':
      targetSeq = request.seq
      if (!working) work()
      return
    case 'snapshot':
      follower.order(request)
      if (!working) takeSnapshot()
      return
    case 'hash':
      say({ kind: 'hash', id: request.id, ...follower.state() })
      return
    case 'stop':
      follower.close()
      process.exit(0)
  }
})
say('ready')
work()
