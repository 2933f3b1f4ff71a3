import { parentPort, workerData } from 'node:worker_threads'
import { IntakeLoop } from './intake-loop.ts'
import { keccakReady } from './keccak.ts'

// Takes request frames, gives result frames.

const loop = new IntakeLoop(workerData, () => parentPort?.postMessage(null))

keccakReady.then(() => loop.serve())
