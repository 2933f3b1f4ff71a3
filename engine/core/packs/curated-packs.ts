// The packs that operators curate, which everybody can buy (rules §8.6). Only commands change them;
// one thread writes. Invariant: no leg of a curated pack is of a resolved market, because the
// resolution of a market removes its packs.

import { assert } from '../../domain/assert.ts'
import type { MarketId, Seq } from '../../domain/ids.ts'
import type { CuratedLeg, CurationBody } from '../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface CuratedPack {
  /** The seq of the command that put it on the list. */
  readonly packId: Seq
  readonly name: string
  readonly madeMs: TimeMs
  readonly legs: readonly CuratedLeg[]
}

export type CapturedCuration = readonly CuratedPack[]

export class CuratedPacks {
  readonly #byId = new Map<Seq, CuratedPack>()
  /** Packs that came or went since the start. It is no state. */
  changes = 0

  get count(): number {
    return this.#byId.size
  }

  byId(packId: Seq): CuratedPack | undefined {
    return this.#byId.get(packId)
  }

  /** Oldest first. */
  all(): Iterable<CuratedPack> {
    return this.#byId.values()
  }

  /** Whether a pack of the list has this name, whatever the case of its letters. */
  hasName(name: string): boolean {
    const lower = name.toLowerCase()
    return [...this.all()].some((pack) => pack.name.toLowerCase() === lower)
  }

  apply(command: CurationBody & { readonly seq: Seq; readonly nowMs: TimeMs }): void {
    if (command.kind === 'curatePack') {
      const { seq: packId, nowMs: madeMs, name, legs } = command
      this.#put({ packId, name, madeMs, legs })
      return
    }
    assert(this.#byId.delete(command.packId), 'a pack that is removed is on the list')
    this.changes++
  }

  #put(pack: CuratedPack): void {
    assert(this.count < PACK_LIMITS.curatedMax, 'the list of packs has a free place')
    this.#byId.set(pack.packId, pack)
    this.changes++
  }

  /** The packs with a leg of a resolved market leave the list. */
  resolved(marketId: MarketId): void {
    for (const { packId, legs } of this.all()) {
      if (!legs.some((leg) => leg.marketId === marketId)) continue
      this.#byId.delete(packId)
      this.changes++
    }
  }

  /** All the state, for the state hash; no fact while the list is empty. */
  *hashedFields(): Iterable<unknown> {
    for (const { packId, name, madeMs, legs } of this.all()) {
      yield ['curated', packId, name, madeMs, legs.map((leg) => [leg.marketId, leg.outcome])]
    }
  }

  /** Oldest first. */
  capture(): CapturedCuration {
    return [...this.all()]
  }

  restore(captured: CapturedCuration): void {
    assert(this.count === 0, 'only a fresh state is restored')
    for (const pack of captured) this.#put(pack)
  }
}
