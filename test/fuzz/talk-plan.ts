import { LIMITS } from '../../engine/domain/limits.ts'
import type { Json } from '../../server/edge/http/schema/schema.ts'
import type { Random } from '../support/random.ts'
import { oddObject, padded } from './odd-keys.ts'

// What a client of the sockets says, before it is bytes: how it opens the connection, what it
// joins, and its messages. A message is right for a channel, just wrong for it, or no message at
// all.

/** Stands in the place of a route's name. */
export const SOCKET_ROUTE = 'SOCKET /markets'

export type Message =
  /** The payload of a text frame. */
  | { readonly text: string }
  /** Base64 of the payload of a binary frame. */
  | { readonly binary: string }
  /** Base64 of bytes that go out without a frame around them. */
  | { readonly bytes: string }
  /** The payload of a text frame with any first byte. */
  | { readonly head: number; readonly text: string }

export interface Talk {
  readonly query: string
  readonly isPlain: boolean
  readonly hello: string
  readonly says: readonly Message[]
  /** Whether it stays open and listens while other requests run. */
  readonly stays: boolean
}

export const PLAIN_QUERY = '?EIO=4&transport=websocket'
export const PLAIN_HELLO = '40/markets,'

const QUERIES = [
  '',
  '?',
  '?EIO=4&transport=polling',
  '?EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA',
  '?EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA',
  '?EIO=4&transport=polling&transport=websocket',
  '?EIO=3&transport=websocket',
  '?EIO=4&transport=webtransport',
  '?EIO=4&transport=websocket&transport[]=polling',
  '?EIO=4&transport=%77ebsocket',
  '?EIO=4&transport=websocket&EIO=3',
  '?EIO=4&transport=websocket&__proto__=1&constructor=2',
  '?EIO=4&transport=websocket&b64=1&j=0&t=x',
  `?EIO=4&transport=websocket&x=${'y'.repeat(3000)}`,
]
const HELLOS = [
  '40',
  '40/',
  '40/admin,',
  '40/markets',
  '40/markets,{"token":"x"}',
  '40/markets,{"__proto__":{"profileId":1}}',
  '40/markets,{"pid":"x","offset":"y"}',
  '40/markets?profileId=1,',
  '40/markets,[',
  '41/markets,',
  '',
  '4',
  '5',
]
const CHANNELS = [
  'subscribe_order_events',
  'subscribe_positions',
  'subscribe_transactions',
  'cancel_on_disconnect',
  'subscribe_market_prices',
  'subscribe_trades',
  'subscribe_market_lifecycle',
  'subscribe_live_sports',
  'subscribe_live_esports',
  'subscribe_live_offers',
  'unsubscribe_market_lifecycle',
  'subscribe_nothing',
  '__proto__',
  'constructor',
  'toString',
  '',
]
/** The first of them are real. */
const REAL = 9
const PAYLOADS: readonly Json[] = [
  {},
  null,
  [],
  7,
  'x',
  true,
  { marketSlugs: [] },
  { marketSlugs: ['{{markets.0}}'] },
  { marketSlugs: ['{{markets.1}}', '{{markets.1}}'] },
  { marketSlugs: 'fuzz-quiet' },
  { marketSlugs: [null, 1, {}] },
  { marketSlugs: ['{{markets.0}}', '{{markets.1}}'], mode: 'delta' },
  { snapshot: true },
  { snapshot: true, marketSlugs: ['{{markets.1}}', 'no-such-market'] },
  { symbols: ['BTC/USD', '__proto__', 'ETH/USD'], marketSlugs: ['{{markets.0}}'], mode: 'book' },
  { symbols: [''], mode: 'deltas', snapshot: 'yes' },
  { marketSlugs: { length: 3 } },
  { marketSlugs: ['no-such-market'] },
  { marketSlugs: Array.from({ length: 101 }, (_, index) => `m-${index}`) },
  { marketAddresses: ['0x0000000000000000000000000000000000000000'] },
  { profileId: 1, account: '{{accounts.0}}', userId: 1, onBehalfOf: 1 },
  { onBehalfOf: '{{#wards.0}}', 'x-on-behalf-of': '{{#wards.0}}' },
  { afterEventId: 0 },
  { afterEventId: 524_289, afterSettlementId: 'settlement:1:{{orders.0}}' },
  { afterEventId: 'terminal:00000000-0000-4000-8000-000000000000' },
  { afterEventId: Number.MAX_SAFE_INTEGER, afterSettlementId: '__proto__' },
  { afterEventId: 'matched:999999999999999:' },
  { afterEventId: [-1], afterSettlementId: {} },
  { afterSettlementId: 'settlement:1:x' },
  { channel: 'subscribe_order_events' },
  { channel: '__proto__' },
  { channel: 7 },
  { channel: 'x'.repeat(5000) },
  { marketSlugs: ['\ud800', '\u0000', "'; DROP TABLE orders; --"] },
  'x'.repeat(20_000),
]
/** Packets of socket.io inside a message of engine.io. */
const PACKETS = [
  '42/markets,',
  '42/markets,[',
  '42/markets,[]',
  '42/markets,{}',
  '42/markets,[1]',
  '42/markets,[null]',
  '42/markets,[{}]',
  '42/markets,["connect"]',
  '42/markets,7',
  '42/markets,["disconnect"]',
  '42/markets,["error",{}]',
  '42/markets,["newListener"]',
  '42["x"]',
  '42/,["x"]',
  '42/admin,["x"]',
  '43/markets,1[]',
  '43/markets,[]',
  '43',
  '44/markets,{}',
  '44',
  '45/markets,',
  '451-/markets,["x",{"_placeholder":true,"num":0}]',
  '451-/markets,["x",{"_placeholder":true,"num":9}]',
  '46/markets,1["x"]',
  '49',
  '4x',
  '459999999999-/markets,["x"]',
  '45-1-/markets,["x"]',
  '40/markets,',
  '41/markets,',
  '42/markets,99999999999999999999["unsubscribe",{}]',
  '42/markets,-1["unsubscribe"]',
  `42/markets,["x",${'['.repeat(4000)}${']'.repeat(4000)}]`,
  `42/markets,["x",${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}]`,
  '42/markets,["subscribe_order_events",{"__proto__":{"marketSlugs":["a"]}}]',
  '0',
  '0{"sid":"x"}',
  '1',
  '2',
  '2probe',
  '3',
  '3probe',
  '5',
  '6',
  '7',
  'b',
  'bAAAA',
  ' ',
  '',
  '\u0000',
  '\ufeff42/markets,["x"]',
  '4\u001e4',
  '2\u001e2',
]
/** A socket message holds no more blanks. */
const BLANKS_MAX = 12_000
/** The bound of a channel's name. */
const LABEL_CHARACTERS_MAX = 64
const HEADS = [0x00, 0x01, 0x08, 0x80, 0x83, 0x89, 0x8a, 0x8b, 0x91, 0xc1, 0xe1, 0xf1, 0xff]

export function talkOf(random: Random): Json {
  const says = Array.from({ length: random.between(1, 8) }, () => messageOf(random))
  const flood = Array.from({ length: 70 }, (): Json => ({ text: '42/markets,["x"]' }))
  return {
    query: random.chance(0.85) ? PLAIN_QUERY : random.pick(QUERIES),
    isPlain: random.chance(0.04),
    hello: random.chance(0.85) ? PLAIN_HELLO : random.pick(HELLOS),
    says: random.chance(0.03) ? flood : says,
    stays: random.chance(0.4),
  }
}

function messageOf(random: Random): Json {
  const dice = random.next()
  if (dice < 0.6) return { text: eventText(random) }
  if (dice < 0.85) return { text: random.pick(PACKETS) }
  if (dice < 0.92) return { head: random.pick(HEADS), text: random.pick(PACKETS).slice(0, 100) }
  const noise = Array.from({ length: random.between(1, 80) }, () => random.below(256))
  const base64 = Buffer.from(noise).toString('base64')
  return dice < 0.97 ? { binary: base64 } : { bytes: base64 }
}

function eventText(random: Random): string {
  const isEnd = random.chance(0.2)
  const event = isEnd
    ? 'unsubscribe'
    : random.pick(CHANNELS.slice(0, random.chance(0.8) ? REAL : CHANNELS.length))
  const payload = random.chance(0.5) ? PAYLOADS[7] : oddPayload(random)
  const body = isEnd && random.chance(0.6) ? { channel: channelOf(random) } : payload
  const number = isEnd || random.chance(0.2) ? `${random.below(100)}` : ''
  return `42/markets,${number}${JSON.stringify([event, body])}`
}

/** Only one channel in five is padded, so that often the payload alone is odd. */
function channelOf(random: Random): string {
  const channel = random.pick(CHANNELS)
  return random.chance(0.8)
    ? channel
    : padded(random, channel, { charactersMax: LABEL_CHARACTERS_MAX, blanksMax: BLANKS_MAX })
}

function oddPayload(random: Random): Json {
  const dice = random.next()
  if (dice < 0.5) return random.pick(PAYLOADS)
  if (dice < 0.85) return oddObject(random)
  const slug = padded(random, '{{markets.0}}', {
    charactersMax: LIMITS.slugCharactersMax,
    blanksMax: BLANKS_MAX,
  })
  return { marketSlugs: [slug] }
}
