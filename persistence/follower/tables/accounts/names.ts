import { createHash } from 'node:crypto'
import type { AccountId, Generation, MarketId, Slot } from '../../../../engine/domain/ids.ts'

// Names under which the read tables find orders (order-names.ts). A name is a number of 47 bits
// made of what it stands for: SQLite keeps it in six bytes. Two things may have one name, so a
// reader compares the columns of the row that it finds.

const KIND = { HASH: 1, SLOT: 2, CLIENT_ID: 3, LIST: 4 } as const
const HIGH_BITS = 15
/** Names are below this number, and spread over all of them. */
export const NAMES_END = 2 ** (HIGH_BITS + 32)

function mixed(one: number, two: number, three: number, four: number): number {
  let mix = Math.imul(one ^ 0x9e3779b1, 0x85ebca6b)
  for (const word of [two, three, four]) {
    mix = Math.imul(mix ^ (mix >>> 15) ^ word, 0xc2b2ae35)
    mix = Math.imul(mix ^ (mix >>> 13), 0x27d4eb2f)
  }
  return (mix ^ (mix >>> 16)) >>> 0
}

function nameOf(kind: number, one: number, two: number, three = 0): number {
  const low = mixed(kind, one, two, three)
  const high = mixed(three ^ 0x5bd1e995, two, one, kind) >>> (32 - HIGH_BITS)
  return high * 2 ** 32 + low
}

export function hashName(high: number, low: number): number {
  return nameOf(KIND.HASH, high | 0, low | 0)
}

export function slotName(slot: Slot, generation: Generation): number {
  return nameOf(KIND.SLOT, slot, generation)
}

/** Clients choose these ids. A digest keeps them from making many ids of one name. */
export function clientIdName(owner: AccountId, clientOrderId: string): number {
  const digest = createHash('sha1').update(clientOrderId).digest()
  return nameOf(KIND.CLIENT_ID, owner, digest.readInt32LE(0), digest.readInt32LE(4))
}

/** The orders of an owner in a market that ended with this status have one name. */
export function listName(owner: AccountId, marketId: MarketId, status: number): number {
  return nameOf(KIND.LIST, owner, marketId, status)
}
