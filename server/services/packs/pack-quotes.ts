// What a quote promises, in a text that only this exchange can make: nothing is kept of a quote
// (rules §8.3). The text names the payout and the end of the promise. Its MAC also covers who
// asked, the legs and the stake.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { MarketId, ProfileId } from '../../../engine/domain/ids.ts'
import type { CollateralRaw, TimeMs } from '../../../engine/domain/units.ts'

export interface QuotedLeg {
  readonly marketId: MarketId
  readonly outcome: number
}

/** What is quoted to whom. */
export interface Quoted {
  readonly profileId: ProfileId
  readonly legs: readonly QuotedLeg[]
  readonly stakeRaw: CollateralRaw
}

export interface Promised {
  readonly payoutRaw: CollateralRaw
  readonly expiresMs: TimeMs
}

const HEAD_BYTES = 16
const MAC_BYTES = 16
/** Characters of a quoteId: 32 bytes as base64url. */
export const QUOTE_ID = '^[A-Za-z0-9_-]{43}$'

export class PackQuotes {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  idOf(quoted: Quoted, { payoutRaw, expiresMs }: Promised): string {
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeBigUInt64BE(BigInt(payoutRaw), 0)
    head.writeBigUInt64BE(BigInt(expiresMs), 8)
    return Buffer.concat([head, this.#mac(quoted, head)]).toString('base64url')
  }

  /** Null for a text that is no quote of this to this profile. */
  promisedBy(quoteId: string, quoted: Quoted): Promised | null {
    const bytes = Buffer.from(quoteId, 'base64url')
    if (bytes.length !== HEAD_BYTES + MAC_BYTES) return null
    const head = bytes.subarray(0, HEAD_BYTES)
    if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), this.#mac(quoted, head))) return null
    return {
      payoutRaw: Number(head.readBigUInt64BE(0)),
      expiresMs: Number(head.readBigUInt64BE(8)),
    }
  }

  #mac({ profileId, legs, stakeRaw }: Quoted, head: Buffer): Buffer {
    const said = legs.map(({ marketId, outcome }) => [marketId, outcome])
    const text = JSON.stringify([profileId, stakeRaw, said])
    const mac = createHmac('sha256', this.#key).update(head).update(text)
    return mac.digest().subarray(0, MAC_BYTES)
  }
}
