// The open orders of a profile in all markets, paged by cursor.

import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { openOrders as openOrdersOf } from '../../../persistence/query/read/orders/user-orders.ts'
import { hmacOrSession } from '../../auth/auth-scheme.ts'
import { invalidCursor } from '../../edge/http/cursor.ts'
import { route } from '../../edge/http/route.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { orderView } from '../../exchange/read-model/views.ts'
import { refuse } from '../../messages/refusal.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { ORDER_EXAMPLE, order } from './order-shapes.ts'
import type { OrderServices } from './services.ts'

const DEFAULT_LIMIT = 50
const CURSOR_CHARACTERS_MAX = 32
const SEQ = /^[1-9][0-9]{0,15}$/

/** A cursor holds the seq that placed the last order of its page. */
function cursorOf(placedSeq: Seq): string {
  return Buffer.from(String(placedSeq)).toString('base64url')
}

/** The seq in a cursor; above all seqs for an empty one, null for an invalid one. */
function seqIn(cursor: string): Seq | null {
  if (cursor === '') return Number.MAX_SAFE_INTEGER
  const stated = Buffer.from(cursor, 'base64url').toString()
  if (!SEQ.test(stated)) return null
  const seq = Number(stated)
  return Number.isSafeInteger(seq) && cursorOf(seq) === cursor ? seq : null
}

export const openOrders = route({
  method: 'GET',
  path: '/orders',
  auth: hmacOrSession().forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's open orders in all markets, newest first, by cursor.",
  query: {
    limit: means(
      defaulted(integer(1, LIMITS.userOrdersLimitMax), DEFAULT_LIMIT),
      'Maximum orders per page.',
    ),
    cursor: means(
      optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
      'nextCursor of the previous page; absent or empty for the first page.',
    ),
  },
  reply: object({
    data: means(list(order()), 'The orders of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Cursor of the next page; null on the last page.'),
  }),
  means: 'A page of the orders as of the newest durable command.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    query: { limit: DEFAULT_LIMIT },
    reply: {
      data: [ORDER_EXAMPLE],
      nextCursor: cursorOf(41),
    },
  },
  handle: async ({ query, caller, owner, call }, { reads, pipeline, archive }: OrderServices) => {
    const beforeSeq = seqIn(query.cursor ?? '')
    if (beforeSeq === null) return invalidCursor()
    const requester = requesterOf({ caller, call })
    const { limit } = query
    // Reads one extra order to know whether there is another page.
    const request = { accountId: owner, beforeSeq, limit: limit + 1 }
    const found = await reads.read(openOrdersOf, request, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const rows = found.slice(0, limit)
    const marketIds = rows.map((row) => row.marketId)
    const markets = await archive.byIds(marketIds, requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const data = rows.flatMap((row) => {
      const published = markets.get(row.marketId)
      return published === undefined ? [] : orderView(row, published, pipeline.ids)
    })
    const last = found.length > limit ? rows.at(-1) : undefined
    return { data, nextCursor: last === undefined ? null : cursorOf(last.placedSeq) }
  },
})
