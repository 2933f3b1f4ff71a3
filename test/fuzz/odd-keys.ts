import type { Json } from '../../server/http/schema/schema.ts'
import type { Random } from '../support/random.ts'

// Objects with the keys by which code tells its own values apart: those of refusals, replies and
// promises, and what every object inherits. An object of a caller must never pass for one of ours.

const OWN = ['status', 'code', 'name', 'body', 'message', 'error', 'issues', 'reject', 'text']
const ASKED = ['channel', 'marketSlugs', 'marketAddresses', 'orderId', 'clientOrderId', 'event']
const OF_VALUES = ['then', 'catch', 'length', 'type', 'kind', 'value', 'values', 'next', 'done']
const INHERITED = ['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'toJSON']
const OF_PACKETS = ['nsp', 'data', 'id', 'attachments', '_placeholder', 'num', 'base64', 'buffer']
const OTHERS = ['key', 'keys', 'parts', 'hasOwnProperty', 'call', 'apply', 'size', 'retryAfterSec']

export const ODD_KEYS: readonly string[] = [
  ...OWN,
  ...ASKED,
  ...OF_VALUES,
  ...INHERITED,
  ...OF_PACKETS,
  ...OTHERS,
]
const VALUES: readonly Json[] = [1, 0, -1, '', 'x', null, true, false, {}, [], { status: 1 }, ['x']]

/** One to four of the keys; JSON text of it keeps `__proto__` as a key of its own. */
export function oddObject(random: Random): Json {
  const keys = Array.from({ length: random.between(1, 4) }, () => random.pick(ODD_KEYS))
  return Object.fromEntries(keys.map((key) => [key, random.pick(VALUES)]))
}

/** Text that is another length once it is trimmed: bounds of both are hit. */
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
