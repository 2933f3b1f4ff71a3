import { parentPort, workerData } from 'node:worker_threads'
import { keccakReady } from '../../crypto/keccak.ts'
import { IntakeLoop } from './intake-loop.ts'

// Takes request frames, returns result frames.

const loop = new IntakeLoop(workerData, () => parentPort?.postMessage(null))

keccakReady.then(() => loop.serve())
