// The content of a quote, in a text that only this exchange can make: quotes are not stored
// (rules §8.3). Its MAC also covers the requester, the legs and the stake. The bytes of the text,
// as base64url, numbers big-endian:
//
//    0  payout, raw        u64
//    8  expiry             u64, Unix ms
//   16  price of each leg  u16 × 5, ticks; 0 for a missing leg
//   26  MAC                16 bytes

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { QuotedPack } from '../../../engine/core/decide/money/packs.ts'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import type { CollateralRaw } from '../../../engine/domain/units.ts'

export interface QuotedLeg {
  readonly marketId: MarketId
  readonly outcome: number
}

/** The quoted pack and the profile that it is quoted to. */
export interface Quoted {
  readonly profileId: ProfileId
  readonly legs: readonly QuotedLeg[]
  readonly stakeRaw: CollateralRaw
}

const PRICES_AT = 16
const PRICE_BYTES = 2
const HEAD_BYTES = PRICES_AT + PACK_LIMITS.legsMax * PRICE_BYTES
const MAC_BYTES = 16
/** The pattern of a quoteId: 42 bytes as base64url. */
export const QUOTE_ID = '^[A-Za-z0-9_-]{56}$'

/** The terms of a quote. Its text does not show whether a pack was made of it. */
export type PromisedPack = Omit<QuotedPack, 'isUsed'>

export class PackQuotes {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  idOf(quoted: Quoted, { payoutRaw, expiresMs, prices }: PromisedPack): string {
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeBigUInt64BE(BigInt(payoutRaw), 0)
    head.writeBigUInt64BE(BigInt(expiresMs), 8)
    for (const [at, ticks] of prices.entries()) {
      head.writeUInt16BE(ticks, PRICES_AT + at * PRICE_BYTES)
    }
    return Buffer.concat([head, this.#mac(quoted, head)]).toString('base64url')
  }

  /** Null for a text that is not a quote of this pack to this profile. */
  promisedBy(quoteId: string, quoted: Quoted): PromisedPack | null {
    const bytes = Buffer.from(quoteId, 'base64url')
    if (bytes.length !== HEAD_BYTES + MAC_BYTES) return null
    const head = bytes.subarray(0, HEAD_BYTES)
    if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), this.#mac(quoted, head))) return null
    return {
      payoutRaw: Number(head.readBigUInt64BE(0)),
      expiresMs: Number(head.readBigUInt64BE(8)),
      prices: quoted.legs.map((_leg, at) => head.readUInt16BE(PRICES_AT + at * PRICE_BYTES)),
    }
  }

  #mac({ profileId, legs, stakeRaw }: Quoted, head: Buffer): Buffer {
    const stated = legs.map(({ marketId, outcome }) => [marketId, outcome])
    const text = JSON.stringify([profileId, stakeRaw, stated])
    const mac = createHmac('sha256', this.#key).update(head).update(text)
    return mac.digest().subarray(0, MAC_BYTES)
  }
}
