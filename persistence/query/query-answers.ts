import type { Connection } from '../database.ts'
import type { QueryAnswer, QueryRequest } from './query-thread.ts'
import { Audit } from './read/audit.ts'
import { HeldOrders } from './read/held-orders.ts'
import { OrderStatuses } from './read/order-status.ts'
import { Positions } from './read/positions.ts'
import { Profiles } from './read/profiles.ts'
import { settlementAnswers } from './read/settlement-answers.ts'
import { TradePartsTable } from './read/trade-parts.ts'
import { type OrderRow, UserOrders } from './read/user-orders.ts'

type Question = Exclude<QueryRequest, { kind: 'stop' }>

function oneRow(row: OrderRow | null): OrderRow[] {
  return row === null ? [] : [row]
}

/** What the query thread answers, from the read tables. */
export function queryAnswers(connection: Connection): (request: Question) => QueryAnswer {
  const userOrders = new UserOrders(connection)
  const heldOrders = new HeldOrders(connection)
  const profiles = new Profiles(connection)
  const positions = new Positions(connection)
  const audit = new Audit(connection)
  const tradeParts = new TradePartsTable(connection)
  const statuses = new OrderStatuses(connection)
  const answerSettlement = settlementAnswers(connection)
  return (request) => {
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
      case 'profiles':
        return { id, profiles: profiles.find(request.profileIds) }
      case 'settlement':
        return { id, settlement: answerSettlement(request.ask) }
      case 'positions':
        return { id, positions: positions.find(request.ask) }
      case 'tradeParts':
        return { id, tradeParts: tradeParts.find(request.ask) }
      case 'audit':
        return { id, audit: audit.find(request.ask) }
      case 'held':
        return { id, held: heldOrders.ask(request.ask) }
    }
  }
}
