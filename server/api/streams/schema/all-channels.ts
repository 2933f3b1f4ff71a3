// All channels that a client may subscribe to, and the events that every client receives.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { address, slug } from '../../../edge/http/schema/fields.ts'
import { boolean, integer, means, oneOf, text } from '../../../edge/http/schema/scalars.ts'
import { anyOf, list, openObject, optional } from '../../../edge/http/schema/schema.ts'
import { EVENT_ID_CHARACTERS_MAX } from '../../../edge/sockets/channels.ts'
import { authenticated, exception, orderEvent, positions, system, tx } from './account-events.ts'
import { channel, type DocumentedEvent } from './documented.ts'
import {
  liveEsportsUpdate,
  liveOffer,
  liveSportsUpdate,
  marketCreated,
  marketResolved,
  newPriceData,
  oraclePriceData,
  orderbookDelta,
  orderbookUpdate,
  trade,
  tradeBusted,
} from './public-events.ts'

const most = LIMITS.socketMarketsMax
const slugs = () => optional(list(slug(), 0, most))
/** One market, as the public client names it, in addition to earlier subscriptions. */
const oneSlug = () =>
  means(optional(slug()), 'One additional market; those of earlier subscriptions stay.')
const oneAddress = () =>
  means(optional(address()), 'One additional pool by its address; earlier subscriptions stay.')
const nothing = () => openObject({})

/** The events that every client receives. */
export const COMMON_EVENTS: readonly DocumentedEvent[] = [authenticated, system, exception]

const marketPrices = channel({
  name: 'subscribe_market_prices',
  about: 'Books of markets: the whole book at once, then changes; slow readers get the newest.',
  isPrivate: false,
  payload: openObject({
    marketSlugs: means(
      slugs(),
      'Markets whose books, or pool prices, to send; they replace earlier ones.',
    ),
    marketAddresses: means(
      optional(list(address(), 0, most)),
      'Addresses of pools whose prices to send.',
    ),
    marketSlug: oneSlug(),
    marketAddress: oneAddress(),
    symbols: means(
      optional(list(text(32, 1), 0, most)),
      'Symbols whose oracle values to send, such as BTC or BTC/USD.',
    ),
    mode: means(
      optional(oneOf('book', 'delta')),
      'With delta, only changed levels are sent after the first book.',
    ),
    snapshot: means(
      optional(boolean()),
      'True to get whole books again without changing the set of markets.',
    ),
  }),
  example: { marketSlugs: ['rain-tomorrow'], mode: 'delta' },
  events: [orderbookUpdate, orderbookDelta, newPriceData, oraclePriceData, marketResolved],
})

const trades = channel({
  name: 'subscribe_trades',
  about: 'The public tapes of markets: each trade, and each reversed trade.',
  isPrivate: false,
  payload: openObject({
    marketSlugs: means(
      slugs(),
      'Markets whose trades to send, a group for its children; they replace earlier ones.',
    ),
    marketSlug: oneSlug(),
  }),
  example: { marketSlugs: ['rain-tomorrow'] },
  events: [trade, tradeBusted],
})

const lifecycle = channel({
  name: 'subscribe_market_lifecycle',
  about: 'Created and resolved markets.',
  isPrivate: false,
  payload: nothing(),
  example: {},
  events: [marketCreated, marketResolved],
})

const liveSports = channel({
  name: 'subscribe_live_sports',
  about: 'Scores of football, tennis and cricket: those in play at once, then each change.',
  isPrivate: false,
  payload: nothing(),
  example: {},
  events: [liveSportsUpdate],
})

const liveEsports = channel({
  name: 'subscribe_live_esports',
  about: 'Scores of esports: those in play at once, then each change.',
  isPrivate: false,
  payload: nothing(),
  example: {},
  events: [liveEsportsUpdate],
})

const liveOffers = channel({
  name: 'subscribe_live_offers',
  about: 'Offers of packs as they are made; the list of open ones is at GET /parlay/offers.',
  isPrivate: false,
  payload: nothing(),
  example: {},
  events: [liveOffer],
})

const orderEvents = channel({
  name: 'subscribe_order_events',
  about: "Events of the caller's orders and trades, after a replay of missed ones on request.",
  isPrivate: true,
  payload: openObject({
    afterEventId: means(
      optional(anyOf(integer(0), text(EVENT_ID_CHARACTERS_MAX))),
      'The newest eventId that the client has, by arrival; later events are replayed first.',
    ),
    afterSettlementId: means(
      optional(text(EVENT_ID_CHARACTERS_MAX)),
      'The newest eventId of MINED or FAILED that it has; without it the newest are sent again.',
    ),
  }),
  example: { afterEventId: 1_048_576 },
  events: [orderEvent],
})

const ownPositions = channel({
  name: 'subscribe_positions',
  about: "The caller's holdings in markets: first the current state, then each change.",
  isPrivate: true,
  payload: openObject({
    marketSlugs: means(optional(list(slug(), 0, most)), 'The markets; they replace earlier ones.'),
    marketAddresses: means(
      optional(list(address(), 0, most)),
      'Markets by the addresses of their pools.',
    ),
    marketSlug: oneSlug(),
    marketAddress: oneAddress(),
  }),
  example: { marketSlugs: ['rain-tomorrow'] },
  events: [positions],
})

const transactions = channel({
  name: 'subscribe_transactions',
  about: 'Each mined or failed trade of the caller, and each other move.',
  isPrivate: true,
  payload: nothing(),
  example: {},
  events: [tx],
})

export const DOCUMENTED_CHANNELS = [
  marketPrices,
  trades,
  lifecycle,
  liveSports,
  liveEsports,
  liveOffers,
  orderEvents,
  ownPositions,
  transactions,
] as const

/** All events, without repeats. */
export const DOCUMENTED_EVENTS: readonly DocumentedEvent[] = [
  ...new Set([...COMMON_EVENTS, ...DOCUMENTED_CHANNELS.flatMap(({ events }) => events)]),
]
