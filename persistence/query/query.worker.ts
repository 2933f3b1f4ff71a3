import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { BusyClock } from '../../engine/thread/busy-times.ts'
import { edgePoint, threadPoint } from '../../engine/thread/fault-point.ts'
import { openReads } from './open-reads.ts'
import type { QueryMessage, QueryRequest, QueryThreadData, Question } from './query-thread.ts'
import { isTrouble } from './query-trouble.ts'
import { READS } from './reads.ts'

// Runs slow reads on the read tables, one at a time. An error in a query becomes its answer.

const ENDED_CODE = 7

assert(parentPort !== null, 'queries run in a separate thread')
const port = parentPort
const { folder, working, busyTimes }: QueryThreadData = workerData
const clock = new BusyClock(busyTimes)
const { answers, close } = openReads(folder, READS)

function say(message: QueryMessage): void {
  port.postMessage(message)
}

function take({ id, name, params }: Question<never>): void {
  if (threadPoint('query-ends')) process.exit(ENDED_CODE)
  const fromMs = performance.now()
  try {
    edgePoint('in-query')
    if (threadPoint('query-hindered')) throw new Error('SQLITE_CANTOPEN: injected fault')
    const answer = answers.get(name)
    assert(answer !== undefined, 'each read is listed in reads.ts')
    say({ id, ...answer(params), tookMs: performance.now() - fromMs })
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    say({ id, failed: { reason, isTrouble: isTrouble(error) }, tookMs: performance.now() - fromMs })
  }
}

port.on('message', (request: QueryRequest<never>) => {
  if (request.kind !== 'stop') {
    Atomics.store(working, 0, request.id + 1)
    clock.begin()
    take(request)
    clock.end()
    Atomics.store(working, 0, 0)
    return
  }
  close()
  process.exit(0)
})
say('ready')
