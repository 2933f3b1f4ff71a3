// Hot path. bench/core.bench.ts
// Each profile's gains from unmined trades (rules §6.5): for a sale its collateral, for a purchase
// what its shares may pay beyond their cost. Such proceeds can be traded but not withdrawn. An
// account with this much can cover any failure of these trades, whatever it did with the shares: a
// failed sale takes its collateral back, and a failed purchase returns its cost and takes back
// shares that pay at most one unit each.
// Invariants: a sum is the sum of the account's entries; an entry stays until its trade is in a
// block or reversed. Only the gates use it; no command reads it.

import { assert } from '../../domain/assert.ts'
import type { ProfileId, Seq } from '../../domain/ids.ts'
import type { CollateralRaw } from '../../domain/units.ts'
import { wideDoubles, wideEnough } from '../cells/columns.ts'
import type { Blocks } from './blocks.ts'

export type CapturedUnmined = readonly (readonly [
  tradeSeq: Seq,
  profileId: ProfileId,
  raw: CollateralRaw,
])[]

type Aside = Map<ProfileId, CollateralRaw>

const FIRST_ENTRIES = 1024

export class UnminedProceeds {
  /** By profile id: the sum of its entries. */
  #sumRaw = new Float64Array(FIRST_ENTRIES)
  // One entry per account and result of a trade, in order of the results.
  #seqs = new Float64Array(FIRST_ENTRIES)
  #profiles = new Int32Array(FIRST_ENTRIES)
  #raws = new Float64Array(FIRST_ENTRIES)
  #count = 0
  /** Entries of trades that a block skipped. */
  readonly #aside = new Map<Seq, Aside>()

  /** The profile's gains from unmined trades. */
  of(profileId: ProfileId): CollateralRaw {
    return this.#sumRaw[profileId] ?? 0
  }

  add(tradeSeq: Seq, profileId: ProfileId, raw: CollateralRaw): void {
    if (raw <= 0) return
    if (profileId >= this.#sumRaw.length) this.#sumRaw = wideDoubles(this.#sumRaw, profileId)
    if (this.#count === this.#seqs.length) this.#grow()
    const entry = this.#count++
    this.#seqs[entry] = tradeSeq
    this.#profiles[entry] = profileId
    this.#raws[entry] = raw
    this.#sumRaw[profileId] += raw
  }

  #grow(): void {
    this.#seqs = wideDoubles(this.#seqs, this.#count)
    this.#profiles = wideEnough(this.#profiles, this.#count)
    this.#raws = wideDoubles(this.#raws, this.#count)
  }

  /** A block covers all trades up to its `throughSeq`, except those set aside. */
  mined(blocks: Pick<Blocks, 'throughSeq' | 'isAside'>): void {
    let kept = 0
    for (let entry = 0; entry < this.#count; entry++) {
      const seq = this.#seqs[entry]
      const profileId = this.#profiles[entry]
      const raw = this.#raws[entry]
      if (seq > blocks.throughSeq) {
        this.#seqs[kept] = seq
        this.#profiles[kept] = profileId
        this.#raws[kept++] = raw
      } else if (blocks.isAside(seq)) this.#setAside(seq, profileId, raw)
      else this.#sumRaw[profileId] -= raw
    }
    this.#count = kept
  }

  #setAside(seq: Seq, profileId: ProfileId, raw: CollateralRaw): void {
    const aside: Aside = this.#aside.get(seq) ?? new Map()
    this.#aside.set(seq, aside.set(profileId, (aside.get(profileId) ?? 0) + raw))
  }

  /** A trade that a block skipped was mined later or reversed. */
  ended(tradeSeq: Seq): void {
    for (const [profileId, raw] of this.#aside.get(tradeSeq) ?? []) {
      this.#sumRaw[profileId] -= raw
      assert(this.#sumRaw[profileId] >= 0, 'a sum covers all of its entries')
    }
    this.#aside.delete(tradeSeq)
  }

  /** By trade and profile, independent of the order of the results. */
  capture(): CapturedUnmined {
    const byTrade = new Map<Seq, Aside>()
    for (const [seq, aside] of this.#aside) byTrade.set(seq, new Map(aside))
    for (let entry = 0; entry < this.#count; entry++) {
      const seq = this.#seqs[entry]
      const profileId = this.#profiles[entry]
      const trade: Aside = byTrade.get(seq) ?? new Map()
      byTrade.set(seq, trade.set(profileId, (trade.get(profileId) ?? 0) + this.#raws[entry]))
    }
    const entries = [...byTrade].flatMap(([seq, trade]) => {
      return [...trade].map(([profileId, raw]) => [seq, profileId, raw] as const)
    })
    return entries.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  }

  /** `blocks` are already restored. */
  restore(captured: CapturedUnmined, blocks: Pick<Blocks, 'throughSeq' | 'isAside'>): void {
    assert(this.#count + this.#aside.size === 0, 'only a fresh state is restored')
    for (const [seq, profileId, raw] of captured) this.add(seq, profileId, raw)
    this.mined(blocks)
  }
}
