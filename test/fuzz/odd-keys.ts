import type { Json } from '../../server/edge/http/schema/schema.ts'
import type { Random } from '../support/random.ts'

// Objects with the keys by which code recognises its own values: refusals, replies, promises, and
// the keys that every object inherits. An object of a caller must never pass for one of the code's.

const OWN = ['status', 'code', 'name', 'body', 'message', 'error', 'issues', 'reject', 'text']
const REQUESTED = ['channel', 'marketSlugs', 'marketAddresses', 'orderId', 'clientOrderId', 'event']
const OF_VALUES = ['then', 'catch', 'length', 'type', 'kind', 'value', 'values', 'next', 'done']
const INHERITED = ['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'toJSON']
const OF_PACKETS = ['nsp', 'data', 'id', 'attachments', '_placeholder', 'num', 'base64', 'buffer']
const OTHERS = ['key', 'keys', 'parts', 'hasOwnProperty', 'call', 'apply', 'size', 'retryAfterSec']

export const ODD_KEYS: readonly string[] = [
  ...OWN,
  ...REQUESTED,
  ...OF_VALUES,
  ...INHERITED,
  ...OF_PACKETS,
  ...OTHERS,
]
const VALUES: readonly Json[] = [1, 0, -1, '', 'x', null, true, false, {}, [], { status: 1 }, ['x']]

/** An object with one to four of the keys; its JSON text keeps `__proto__` as a key of its own. */
export function oddObject(random: Random): Json {
  const keys = Array.from({ length: random.between(1, 4) }, () => random.pick(ODD_KEYS))
  return Object.fromEntries(keys.map((key) => [key, random.pick(VALUES)]))
}

/** Text whose length changes when it is trimmed, so that it meets the bounds of both lengths. */
export function padded(
  random: Random,
  text: string,
  { charactersMax, blanksMax }: { readonly charactersMax: number; readonly blanksMax: number },
): string {
  const spare = Math.max(0, charactersMax - text.length)
  const count = random.pick([1, spare, spare + 1, charactersMax, 10 * charactersMax])
  const blanks = random
    .pick([' ', '\t', '\n', '\u00a0', '\u3000'])
    .repeat(Math.min(count, blanksMax))
  return random.chance(0.5) ? `${text}${blanks}` : `${blanks}${text}`
}
