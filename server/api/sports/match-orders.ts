// The orders of a profile in all markets of a match (rules §4.8, §12.4).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { matchOrders } from '../../../persistence/query/read/orders/match-orders.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/scalars.ts'
import { list } from '../../edge/http/schema/schema.ts'
import { userOrderView } from '../../exchange/read-model/views.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import {
  batchCancelReply,
  cancelAllInSlices,
  MULTI_STATUS,
  refuseCancel,
  SOME_CANCELED,
} from '../orders/cancel-replies.ts'
import {
  CANCELED_EXAMPLE,
  statusNumbers,
  USER_ORDER_EXAMPLE,
  userOrder,
  userOrderQuery,
} from '../orders/order-shapes.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { MATCH_EXAMPLE } from './match-shapes.ts'
import type { SportServices } from './services.ts'

const params = { slug: means(slug(), 'Slug of the match, or of one of its markets.') }

export const ordersOfMatch = route({
  method: 'GET',
  path: '/sports-markets/:slug/user-orders',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: "Lists the caller's orders in all markets of a match, newest first; live ones by default.",
  params,
  query: userOrderQuery(),
  reply: list(userOrder()),
  means: 'The orders of all its markets together; an empty list if there are none.',
  rejects: ['MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: MATCH_EXAMPLE.slug }, reply: [USER_ORDER_EXAMPLE] },
  handle: async (
    { params: { slug: name }, query, caller, owner, call },
    services: SportServices,
  ) => {
    const { reads, pipeline, archive, matches } = services
    const requester = requesterOf({ caller, call })
    const match = await matches.named(name, requester)
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const request = {
      accountId: owner,
      marketIds: match.markets.map(({ marketId }) => marketId),
      statuses: statusNumbers(query.statuses),
      limit: query.limit ?? LIMITS.userOrdersLimitMax,
    }
    const rows = await reads.read(matchOrders, request, requester)
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const markets = await archive.byIds(
      rows.map(({ marketId }) => marketId),
      requester,
    )
    if (markets === undefined) return refuse('READ_TIMEOUT')
    return rows.flatMap((row) => {
      const published = markets.get(row.marketId)
      return published === undefined ? [] : userOrderView(row, published, pipeline.ids)
    })
  },
})

export const cancelInMatch = route({
  method: 'DELETE',
  path: '/sports-markets/:slug/user-orders',
  auth: hmac('trading').forSubAccounts(),
  rateClass: 'trade',
  bulkhead: 'frees',
  about: "Cancels all of the caller's open orders in all markets of a match.",
  params,
  others: { [MULTI_STATUS]: SOME_CANCELED },
  reply: batchCancelReply(),
  means: 'No order that the caller had in its markets when the call arrived is open.',
  rejects: ['OVERLOADED', 'TRADING_DISABLED', 'MATCH_NOT_FOUND', 'READ_TIMEOUT'],
  example: {
    params: { slug: MATCH_EXAMPLE.slug },
    reply: {
      message: 'Orders canceled successfully',
      canceled: [ORDER_ID],
      orders: [CANCELED_EXAMPLE],
      failed: [],
    },
  },
  handle: async ({ params: { slug: name }, owner, caller, call }, services: SportServices) => {
    const { everywhere, pipeline, matches } = services
    const match = await matches.named(name, requesterOf({ caller, call }))
    if (match === undefined) return refuse('READ_TIMEOUT')
    if (match === null) return refuse('MATCH_NOT_FOUND')
    const marketIds = match.markets.map(({ marketId }) => marketId)
    const outcome = await everywhere.run(owner, marketIds)
    if (outcome instanceof Reject) return refuseCancel(outcome, pipeline)
    return cancelAllInSlices(outcome, services, requesterOf({ caller, call }))
  },
})
