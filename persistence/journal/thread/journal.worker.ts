import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { JournalLoop } from './journal-loop.ts'

// The thread that writes the journal.

assert(parentPort !== null, 'the journal runs in a separate thread')
const port = parentPort
const loop = new JournalLoop(workerData, () => port.postMessage('wake-up'))
port.postMessage('ready')
loop.run()
process.exit(0)
