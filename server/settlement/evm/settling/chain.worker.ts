import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../../engine/domain/assert.ts'
import type { ChainMessage, ChainRequest, ChainThreadData } from './chain-messages.ts'
import { ChainThread } from './chain-thread.ts'

// Settles trades on an EVM chain.

assert(parentPort !== null, 'trades settle in a separate thread')
const port = parentPort
const data: ChainThreadData = workerData
const thread = new ChainThread(data, (message: ChainMessage) => port.postMessage(message))
port.on('message', (request: ChainRequest) => thread.receive(request))
void thread.run()
