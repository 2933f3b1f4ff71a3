import { parentPort, workerData } from 'node:worker_threads'
import { keccakReady } from '../../crypto/keccak.ts'
import { uWS } from '../http/gateway/native-library.ts'
import { EdgeLoop } from './edge-loop.ts'
import { HeldResponse } from './held-response.ts'

// Has connections, and does what the core commands.

const held = await HeldResponse.open(uWS)
const loop = new EdgeLoop(uWS, held, workerData, () => parentPort?.postMessage(null))

// A thread that ends with open connections takes the process with it, so it closes them first.
process.on('uncaughtException', (error) => loop.end(error))
parentPort?.on('message', () => loop.drain())
await keccakReady
loop.begin()
