// The AsyncAPI 3.0 document, built only from the channels. Its actions are those of the server: it
// receives what a client sends, and sends what a client receives.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { Components, pascal } from '../../../edge/http/components.ts'
import { address, slug } from '../../../edge/http/schema/fields.ts'
import {
  boolean,
  integer,
  means,
  NAME,
  named,
  oneOf,
  text,
} from '../../../edge/http/schema/scalars.ts'
import {
  anyOf,
  list,
  object,
  openObject,
  optional,
  type Schema,
} from '../../../edge/http/schema/schema.ts'
import { EVENT_ID_CHARACTERS_MAX } from '../../../edge/sockets/channels.ts'
import { HANDSHAKE_TARGET } from '../../../edge/sockets/handshakes.ts'
import { CANCEL_ON_DISCONNECT } from '../account/cancel-on-disconnect.ts'
import { authenticated, exception, orderEvent, positions, system, tx } from './account-events.ts'
import { channel, type DocumentedChannel, type DocumentedEvent } from './documented.ts'
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

export interface DocumentedDescription {
  readonly title: string
  readonly version: string
  readonly headerPrefix: string
  readonly cookieName: string
  /** Public host and port. */
  readonly host: string
  readonly isSecure: boolean
}

type Node = Readonly<Record<string, unknown>>
type Message = Pick<DocumentedEvent, 'name' | 'about' | 'payload' | 'example'>

const UNSUBSCRIBE = {
  name: 'unsubscribe',
  about: 'Ends a subscription, or the named part; acknowledged with {} or {error} on request.',
  payload: {
    type: 'object',
    required: ['channel'],
    properties: {
      channel: { type: 'string', description: 'Name of the channel to leave.' },
      marketSlugs: {
        type: 'array',
        items: { type: 'string' },
        description: 'The markets to leave.',
      },
      marketSlug: { type: 'string', description: 'One market to leave.' },
      marketAddress: { type: 'string', description: 'One pool to leave, by its address.' },
      marketAddresses: {
        type: 'array',
        items: { type: 'string' },
        description: 'The pools to leave, by their addresses.',
      },
      symbols: {
        type: 'array',
        items: { type: 'string' },
        description: 'The symbols to leave. Without any name, the whole channel is left.',
      },
    },
  },
  example: { channel: 'subscribe_market_prices', marketSlugs: ['rain-tomorrow'] },
}
const ACKNOWLEDGED = {
  name: 'acknowledgement',
  about: 'The argument of the acknowledgement of unsubscribe; it is not an event.',
  payload: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'Why nothing was ended; absent on success.' },
    },
    additionalProperties: false,
  },
  example: {},
}
const LEAVE_LIFECYCLE = {
  name: 'unsubscribe_market_lifecycle',
  about: 'Ends the subscription to created and resolved markets.',
  payload: { type: 'object' },
  example: {},
}

const PROTOCOL =
  'Socket.IO over WebSocket, namespace /markets, at the path /socket.io/ with EIO=4. The name of ' +
  'a message is the name of its event. A repeated subscription replaces the earlier one, unless ' +
  'it names a market by marketSlug or marketAddress.'

const LICENSE = { name: 'MIT', url: 'https://opensource.org/license/mit' }

export function asyncApi(described: DocumentedDescription): Node {
  const { title, version, host, isSecure } = described
  const requested = [...DOCUMENTED_CHANNELS, UNSUBSCRIBE, LEAVE_LIFECYCLE]
  const messages = [...requested, ...DOCUMENTED_EVENTS, ACKNOWLEDGED]
  const components = new Components()
  components.name(messages.map(({ payload }) => payload))
  const named = messages.map((each) => [each.name, messageOf(each, components)] as const)
  return {
    asyncapi: '3.0.0',
    info: { title, version, description: PROTOCOL, license: LICENSE },
    defaultContentType: 'application/json',
    servers: {
      exchange: {
        host,
        pathname: '/socket.io/',
        protocol: isSecure ? 'wss' : 'ws',
        description: PROTOCOL,
      },
    },
    channels: {
      markets: {
        address: '/markets',
        description: 'The namespace of all events.',
        servers: [{ $ref: '#/servers/exchange' }],
        messages: Object.fromEntries(
          messages.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: operations(),
    components: {
      messages: Object.fromEntries(named),
      schemas: withoutSiblings(components.schemas),
      securitySchemes: securitySchemes(described),
    },
  }
}

function operations(): Node {
  const reported = DOCUMENTED_CHANNELS.flatMap((each): [string, Node][] => [
    [each.name, receive(each, each.isPrivate)],
    [`receive_${each.name}`, send(each.about, each.events)],
  ])
  return Object.fromEntries([
    ...reported,
    [
      'unsubscribe',
      {
        ...receive(UNSUBSCRIBE, false),
        reply: { channel: CHANNEL, messages: [message(ACKNOWLEDGED.name)] },
      },
    ],
    ['unsubscribe_market_lifecycle', receive(LEAVE_LIFECYCLE, false)],
    ['receive_answers', send('Replies to the requests of any client.', COMMON_EVENTS)],
  ])
}

const message = (name: string) => ({ $ref: `#/channels/markets/messages/${name}` })
const CHANNEL = { $ref: '#/channels/markets' }

function receive(
  { name, about }: Pick<DocumentedChannel, 'name' | 'about'>,
  isPrivate: boolean,
): Node {
  const security = ['hmac', 'session'].map((scheme) => {
    return { $ref: `#/components/securitySchemes/${scheme}` }
  })
  return {
    action: 'receive',
    channel: CHANNEL,
    summary: about,
    messages: [message(name)],
    ...(isPrivate ? { security } : {}),
  }
}

function send(summary: string, events: readonly DocumentedEvent[]): Node {
  const messages = events.map(({ name }) => message(name))
  return { action: 'send', channel: CHANNEL, summary, messages }
}

/** Readers ignore the siblings of a reference, so its description is moved to its parent. */
function withoutSiblings(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSiblings)
  if (typeof node !== 'object' || node === null) return node
  const { $ref, ...rest } = Object(node)
  const own = Object.entries(rest).map(([key, each]) => [key, withoutSiblings(each)])
  if ($ref === undefined) return Object.fromEntries(own)
  return own.length === 0 ? { $ref } : { ...Object.fromEntries(own), allOf: [{ $ref }] }
}

/** Each payload is a component, including unions, maps and empty objects. */
function ofName(name: string, payload: Schema): Schema {
  return Reflect.has(payload, NAME) ? payload : named(name, payload)
}

function messageOf({ name, about, payload, example }: Message, components: Components): Node {
  return {
    name,
    title: name,
    summary: about,
    contentType: 'application/json',
    payload: components.print(ofName(pascal(name), payload), ''),
    examples: [{ name, payload: example }],
  }
}

function securitySchemes({ headerPrefix: prefix, cookieName }: DocumentedDescription): Node {
  return {
    hmac: {
      type: 'httpApiKey',
      in: 'header',
      name: `${prefix}api-key`,
      description:
        `Token id; with ${prefix}timestamp and ${prefix}signature, which signs GET of ` +
        `${HANDSHAKE_TARGET} with an empty body.`,
    },
    session: {
      type: 'httpApiKey',
      in: 'cookie',
      name: cookieName,
      description: 'Set by POST /auth/login.',
    },
  }
}

// All channels that a client may subscribe to, and the events that every client receives.

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

const cancelOnDisconnect = channel({
  name: CANCEL_ON_DISCONNECT,
  about:
    "Cancels the caller's orders `afterMs` after its last socket with this channel has closed.",
  isPrivate: true,
  payload: object({
    afterMs: means(
      optional(integer(LIMITS.heartbeatAheadMsMin, LIMITS.cancelAfterMsMax)),
      `Milliseconds from the disconnect to the cancels; ${LIMITS.heartbeatAheadMsMin} by default.`,
    ),
  }),
  example: { afterMs: 5000 },
  events: [],
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
  cancelOnDisconnect,
] as const

/** All events, without repeats. */
export const DOCUMENTED_EVENTS: readonly DocumentedEvent[] = [
  ...new Set([...COMMON_EVENTS, ...DOCUMENTED_CHANNELS.flatMap(({ events }) => events)]),
]
