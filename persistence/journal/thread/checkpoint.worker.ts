import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { CheckpointCall } from '../checkpoint-call.ts'
import { JournalCheckpointer } from '../sqlite-journal.ts'
import type { CheckpointThreadData } from './journal-thread.ts'

// Copies the WAL of the journal into journal.db, so that no commit waits for that.

assert(parentPort !== null, 'checkpoints run in a thread of their own')
const data: CheckpointThreadData = workerData
const call = new CheckpointCall(data.call)
if (!call.waitForJournal()) process.exit(0)
const checkpointer = new JournalCheckpointer(data.file, data.durability)

parentPort.postMessage('ready')
while (call.waitForAsk()) {
  const startedMs = performance.now()
  const state = checkpointer.copy()
  call.finish(state, (performance.now() - startedMs) * 1000)
}
checkpointer.close()
process.exit(0)
