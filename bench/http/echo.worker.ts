import { workerData } from 'node:worker_threads'
import { echoOn } from './echo-thread.ts'

await echoOn(workerData)
