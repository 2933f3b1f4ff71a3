import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../engine/domain/assert.ts'
import { copyForNode, type NodeCopyData } from './node-copy.ts'

// Copies the data folder for another node, beside the exchange that uses it.

/** Orders have priority. */
const LOW_PRIORITY = 10

assert(parentPort !== null, 'a folder is copied in a separate thread')
// On other systems the call affects the whole process.
if (process.platform === 'linux') setPriority(0, LOW_PRIORITY)
const data: NodeCopyData = workerData
parentPort.postMessage(await copyForNode(data))
