// Hot path. bench/core.bench.ts
// The boolean terms of an order. Their table feeds the type of an order, the flags of its record,
// the body that places it, the replies that show it, the read tables, which keep the bits as they
// are, the command line and the console. A bit is never reused, because journals hold it forever.

import { assert } from './assert.ts'
import type { OrderType } from './order.ts'

const POST_ONLY = 1
/** Marks a market order, which is known by its amounts (rules §1.6): no flag has this bit. */
export const MARKET_FORM = 2

interface FlagRow {
  readonly name: string
  readonly bit: number
  /** The one order type that takes the flag; null for any. */
  readonly needs: OrderType | null
  /** What the field means in the body that places the order. */
  readonly request: string
  /** What the field means in replies. */
  readonly reply: string
  /** Its flag of `outcomex order`, and what the help says of it. */
  readonly flag: string
  readonly help: string
  /** Its checkbox in the console. */
  readonly label: string
}

export const ORDER_FLAGS = [
  {
    name: 'postOnly',
    bit: POST_ONLY,
    needs: 'GTC',
    request:
      'Only with orderType GTC: true refuses an order that would match on arrival. False when ' +
      'absent.',
    reply: 'True if the order may only rest, and never match on arrival.',
    flag: 'post-only',
    help: 'Refuse the order if it would take.',
    label: 'Post-only (never match immediately)',
  },
] as const satisfies readonly FlagRow[]

export type OrderFlag = (typeof ORDER_FLAGS)[number]['name']
export type OrderFlags = { [Name in OrderFlag]: boolean }

export const NO_FLAGS: Readonly<OrderFlags> = { postOnly: false }

// Both are written out: a loop over the names costs more than the rest of a record's head.

/** The flags as they lie in a record; an absent flag is not set. */
export function flagBits(order: Partial<OrderFlags>): number {
  return order.postOnly === true ? POST_ONLY : 0
}

export function setFlags(order: OrderFlags, bits: number): void {
  order.postOnly = (bits & POST_ONLY) !== 0
}

/** The flags of these bits as an object of their own. */
export function flagsOf(bits: number): OrderFlags {
  const flags = { ...NO_FLAGS }
  setFlags(flags, bits)
  return flags
}

/** The rows of the flags that an order of this type may have. */
export function flagsFor(type: OrderType) {
  return ORDER_FLAGS.filter(({ needs }) => needs === null || needs === type)
}

/** The flags that are set and that an order of this type may have, as fields of its body. */
export function flagFields(flags: Partial<OrderFlags>, type: OrderType): Partial<OrderFlags> {
  const fields: Partial<OrderFlags> = {}
  for (const { name } of flagsFor(type)) {
    if (flags[name] === true) fields[name] = true
  }
  return fields
}

let taken = MARKET_FORM
for (const { bit } of ORDER_FLAGS) {
  assert(bit < 256 && (bit & (bit - 1)) === 0, 'a flag is one bit of a byte')
  assert((taken & bit) === 0, 'each flag has a bit of its own')
  taken |= bit
}
