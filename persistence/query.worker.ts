import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../engine/domain/assert.ts'
import { openReadOnly, speaking } from './database.ts'
import type { QueryAnswer, QueryMessage, QueryRequest, QueryThreadData } from './query-thread.ts'
import { HeldOrders } from './read/held-orders.ts'
import { OrderStatuses } from './read/order-status.ts'
import { Traders } from './read/traders.ts'
import { type OrderRow, UserOrders } from './read/user-orders.ts'
import { readPath } from './read-database.ts'

// Answers slow reads from the read tables, one after the other.

assert(parentPort !== null, 'queries run in a thread of their own')
const port = parentPort
const data: QueryThreadData = workerData
const path = readPath(data.dataDir)
const connection = openReadOnly(path)
const userOrders = speaking(path, () => new UserOrders(connection))
const heldOrders = speaking(path, () => new HeldOrders(connection))
const traders = speaking(path, () => new Traders(connection))
const statuses = speaking(path, () => new OrderStatuses(connection))

function say(message: QueryMessage): void {
  port.postMessage(message)
}

function oneRow(row: OrderRow | null): OrderRow[] {
  return row === null ? [] : [row]
}

function answer(request: Exclude<QueryRequest, { kind: 'stop' }>): QueryAnswer {
  const { id } = request
  switch (request.kind) {
    case 'userOrders':
      return { id, rows: userOrders.ofMarket(request.ask) }
    case 'orderBySlot':
      return { id, rows: oneRow(userOrders.bySlot(request.slot, request.generation)) }
    case 'orderByClientId':
      return { id, rows: oneRow(userOrders.byClientId(request.accountId, request.clientOrderId)) }
    case 'orderStatus':
      return { id, statuses: statuses.find(request.ask) }
    case 'hasTraded':
      return { id, hasTraded: traders.has(request.accountId) }
    case 'held':
      return { id, held: heldOrders.ask(request.ask) }
  }
}

port.on('message', (request: QueryRequest) => {
  if (request.kind !== 'stop') {
    say(speaking(path, () => answer(request)))
    return
  }
  connection.close()
  process.exit(0)
})
say('ready')
