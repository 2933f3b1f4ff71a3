import { createHash } from 'node:crypto'
import type { AccountId, Generation, MarketId, Slot } from '../../../../engine/domain/ids.ts'

// Hashed keys by which the read tables find orders (order-names.ts). A key is a 47-bit number,
// which SQLite stores in six bytes. Two objects may have the same key, so a reader compares the
// columns of the row it finds.

const KIND = { HASH: 1, SLOT: 2, CLIENT_ID: 3, LIST: 4 } as const
const HIGH_BITS = 15
/** All keys are below this number and spread evenly. */
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

/** Clients choose these ids. The digest prevents them from creating many ids with one key. */
export function clientIdName(owner: AccountId, clientOrderId: string): number {
  const digest = createHash('sha1').update(clientOrderId).digest()
  return nameOf(KIND.CLIENT_ID, owner, digest.readInt32LE(0), digest.readInt32LE(4))
}

/** The key shared by an owner's orders in a market that ended with this status. */
export function listName(owner: AccountId, marketId: MarketId, status: number): number {
  return nameOf(KIND.LIST, owner, marketId, status)
}
