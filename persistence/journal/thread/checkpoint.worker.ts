import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { CheckpointCall } from '../checkpoint-call.ts'
import { JournalCheckpointer } from '../sqlite-journal.ts'
import type { CheckpointThreadData } from './journal-thread.ts'

// Copies the journal's WAL into journal.db, so that commits do not wait for it.

assert(parentPort !== null, 'checkpoints run in a separate thread')
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
