import { parentPort, workerData } from 'node:worker_threads'
import { LoadClient } from './load-client.ts'

parentPort?.postMessage(await new LoadClient(workerData).run())
