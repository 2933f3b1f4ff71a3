import { parentPort, workerData } from 'node:worker_threads'
import { greet } from './reply-fields.ts'

// The thread under test says one word on each of its ways out, and ends.
console.log('a word on stdout')
console.error('a word on stderr')
parentPort?.postMessage(greet(workerData))
