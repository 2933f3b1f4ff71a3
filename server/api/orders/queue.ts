// The routes of places in queues (rules §4.11).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { hmacOrSession } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { marketName, orderId, uint256Text } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import type { OrderServices } from './services.ts'

const place = () => ({
  orderId: orderId(),
  ordersAhead: means(integer(0), 'Orders in front of this one at its price, your own included.'),
  sizeAhead: means(uint256Text(), 'The raw shares that these orders have open.'),
  isExact: means(
    boolean(),
    `False if more are in front than were counted: at most ${LIMITS.aheadCountedMax} for each.`,
  ),
})

const PLACE_EXAMPLE = {
  orderId: ORDER_ID,
  ordersAhead: 2,
  sizeAhead: '15000000',
  isExact: true,
}

export const orderQueue = route({
  method: 'GET',
  path: '/orders/:orderId/queue',
  auth: hmacOrSession().forSubAccounts(),
  rateClass: 'private',
  about: 'Counts what is in front of one resting order of the caller at its price.',
  params: { orderId: orderId() },
  reply: object(place()),
  means: 'The place of the order after every command before this call.',
  rejects: [
    'OVERLOADED',
    'ORDER_NOT_FOUND',
    'ORDER_FILLED',
    'ORDER_NOT_OPEN',
    'ORDER_NOT_RESTING',
    'READ_TIMEOUT',
  ],
  example: { params: { orderId: ORDER_ID }, reply: PLACE_EXAMPLE },
  handle: async ({ call, params, owner }, { places }: OrderServices) => {
    const found = await places.of(owner, params.orderId, call.charges)
    return found instanceof Reject ? refuse(found) : found
  },
})

export const ordersQueue = route({
  method: 'GET',
  path: '/orders/queue',
  auth: hmacOrSession().forSubAccounts(),
  rateClass: 'private',
  about: "Counts what is in front of each of the caller's resting orders in one market.",
  query: { market: means(marketName(), 'Slug or address of the market.') },
  reply: object({
    orders: means(
      list(object(place())),
      `Those of the newest ${LIMITS.placesMax} open orders that rest, newest first.`,
    ),
  }),
  means: 'The places of the orders after every command before this call.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND'],
  example: { query: { market: 'rain-tomorrow' }, reply: { orders: [PLACE_EXAMPLE] } },
  handle: async ({ call, query, owner }, { places, pipeline }: OrderServices) => {
    const { published } = pipeline
    const market = published.bySlug(query.market) ?? published.byAddress(query.market)
    if (market === undefined) return refuse('MARKET_NOT_FOUND')
    const orders = await places.inMarket(owner, market.market.marketId, call.charges)
    return orders instanceof Reject ? refuse(orders) : { orders }
  },
})
