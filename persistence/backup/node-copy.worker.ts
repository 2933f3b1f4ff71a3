import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { lowerPriority } from '../../engine/thread/low-priority.ts'
import { copyForNode, type NodeCopyData } from './node-copy.ts'

// Copies the data folder for another node, beside the exchange that uses it.

assert(parentPort !== null, 'a folder is copied in a separate thread')
lowerPriority()
const data: NodeCopyData = workerData
parentPort.postMessage(await copyForNode(data))
