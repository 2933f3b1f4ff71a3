import { parentPort, workerData } from 'node:worker_threads'
import { sendAtRate } from './load-client.ts'

parentPort?.postMessage(await sendAtRate(workerData))
