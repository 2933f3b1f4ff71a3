// The AsyncAPI 3.0 document, built only from the channels. Its actions are those of the server: it
// receives what a client sends, and sends what a client receives.

import { Components, pascal } from '../../../edge/http/components.ts'
import { NAME, named } from '../../../edge/http/schema/scalars.ts'
import type { Schema } from '../../../edge/http/schema/schema.ts'
import { HANDSHAKE_TARGET } from '../../../edge/sockets/handshakes.ts'
import { COMMON_EVENTS, DOCUMENTED_CHANNELS, DOCUMENTED_EVENTS } from './all-channels.ts'
import type { DocumentedChannel, DocumentedEvent } from './documented.ts'

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
