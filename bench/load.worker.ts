import { parentPort, workerData } from 'node:worker_threads'
import { constantRate } from './load-client.ts'
import { PERCENTILES } from './pacer.ts'

parentPort?.postMessage(await constantRate(workerData, PERCENTILES))
