import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../engine/domain/assert.ts'
import { openReadOnly, speaking } from './database.ts'
import type { QueryMessage, QueryRequest, QueryThreadData } from './query-thread.ts'
import { type OrderRow, UserOrders } from './read/user-orders.ts'
import { readPath } from './read-database.ts'

// Answers slow reads from the read tables, one after the other.

assert(parentPort !== null, 'queries run in a thread of their own')
const port = parentPort
const data: QueryThreadData = workerData
const path = readPath(data.dataDir)
const connection = openReadOnly(path)
const userOrders = speaking(path, () => new UserOrders(connection))

function say(message: QueryMessage): void {
  port.postMessage(message)
}

function oneRow(row: OrderRow | null): OrderRow[] {
  return row === null ? [] : [row]
}

function answer(request: Exclude<QueryRequest, { kind: 'stop' }>): OrderRow[] {
  switch (request.kind) {
    case 'userOrders':
      return userOrders.ofMarket(request.ask)
    case 'orderBySlot':
      return oneRow(userOrders.bySlot(request.slot, request.generation))
    case 'orderByClientId':
      return oneRow(userOrders.byClientId(request.accountId, request.clientOrderId))
  }
}

port.on('message', (request: QueryRequest) => {
  if (request.kind !== 'stop') {
    say({ id: request.id, rows: speaking(path, () => answer(request)) })
    return
  }
  connection.close()
  process.exit(0)
})
say('ready')
