import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../engine/domain/assert.ts'
import { openReadOnly, speaking } from './database.ts'
import { queryAnswers } from './query-answers.ts'
import type { QueryMessage, QueryRequest, QueryThreadData } from './query-thread.ts'
import { readPath } from './read-database.ts'

// Answers slow reads from the read tables, one after the other.

assert(parentPort !== null, 'queries run in a thread of their own')
const port = parentPort
const data: QueryThreadData = workerData
const path = readPath(data.dataDir)
const connection = openReadOnly(path)
const answer = speaking(path, () => queryAnswers(connection))

function say(message: QueryMessage): void {
  port.postMessage(message)
}

port.on('message', (request: QueryRequest) => {
  if (request.kind !== 'stop') {
    say(speaking(path, () => answer(request)))
    return
  }
  connection.close()
  process.exit(0)
})
say('ready')
