// The marks of a reconnecting client: the ids of the newest events that it has (rules §5.3).

import type { EndMark, EventMark } from '../../../../persistence/query/read/orders/missed-events.ts'
import type { SubscriptionRequest } from '../../../edge/sockets/channels.ts'
import type { OrderIds } from '../../../exchange/read-model/order-ids.ts'
import { invalid, type Refusal } from '../../../messages/refusal.ts'
import { placeOfId } from './order-frames.ts'

export interface Marks {
  readonly after: EventMark
  readonly afterEnd: EndMark | null
  /** The field that holds the end of a trade. */
  readonly endField: MarkField
}

type MarkField = 'afterEventId' | 'afterSettlementId'

const OF_TRADE = /^(matched|settlement):(\d{1,15}):(.{36})$/
const TERMINAL = /^terminal:(.{36})$/
const NOT_OURS = 'is not an eventId of an orderEvent of this account'

/** An id that the account's own frames never had. */
export function unknownMark(field: MarkField): Refusal {
  return invalid({ field, message: NOT_OURS })
}

/** Null for text that is not the id of a trade frame. */
function endOf(text: string, ids: OrderIds): EndMark | null {
  const [, , tradeSeq, orderId] = OF_TRADE.exec(text) ?? []
  const order = orderId === undefined ? null : ids.parse(orderId)
  return order === null ? null : { tradeSeq: Number(tradeSeq), ...order }
}

/** Null for text that is not the id of a frame. */
function markOf(text: string, ids: OrderIds): EventMark | null {
  const [, orderId] = TERMINAL.exec(text) ?? []
  const order = orderId === undefined ? null : ids.parse(orderId)
  if (order !== null) return { kind: 'terminal', ...order }
  // A trade ends after its match, so a client with the end has the match.
  const matched = endOf(text, ids)
  return matched === null ? null : { kind: 'matched', ...matched }
}

/** Null when the client sends no mark, so that it receives only new events. */
export function marksOf(requested: SubscriptionRequest, ids: OrderIds): Marks | Refusal | null {
  const { afterEventId: event, afterSettlementId } = requested
  if (event === undefined) {
    if (afterSettlementId === undefined) return null
    return invalid({
      field: 'afterEventId',
      message: 'must be sent together with afterSettlementId',
    })
  }
  const isNumber = typeof event === 'number'
  const after = isNumber ? { kind: 'number' as const, ...placeOfId(event) } : markOf(event, ids)
  if (after === null) return unknownMark('afterEventId')
  const named = afterSettlementId ?? (isNumber ? '' : event)
  const afterEnd = named.startsWith('settlement:') ? endOf(named, ids) : null
  if (afterSettlementId !== undefined && afterEnd === null) return unknownMark('afterSettlementId')
  const endField = afterSettlementId === undefined ? 'afterEventId' : 'afterSettlementId'
  return { after, afterEnd, endField }
}
