import { parentPort, workerData } from 'node:worker_threads'
import { Sender } from './sender.ts'

if (parentPort !== null) {
  const sender = new Sender(workerData, parentPort)
  parentPort.on('message', (message) => sender.take(message))
  await sender.prepare()
}
