import { parentPort, workerData } from 'node:worker_threads'
import { PERCENTILES } from '../passes/pacer.ts'
import { constantRate } from './load-client.ts'

parentPort?.postMessage(await constantRate(workerData, PERCENTILES))
