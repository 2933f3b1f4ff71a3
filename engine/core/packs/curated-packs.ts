// Packs curated by operators, which all profiles can buy (rules §8.6). Only commands change them;
// one thread writes. Invariant: no leg of a curated pack is in a resolved market, because the
// resolution removes such packs.

import { assert } from '../../domain/assert.ts'
import type { MarketId, Seq } from '../../domain/ids.ts'
import type { CuratedLeg, CurationBody } from '../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import type { TimeMs } from '../../domain/units.ts'

export interface CuratedPack {
  /** Seq of the command that added it. */
  readonly packId: Seq
  readonly name: string
  readonly madeMs: TimeMs
  readonly legs: readonly CuratedLeg[]
}

export type CapturedCuration = readonly CuratedPack[]

export class CuratedPacks {
  readonly #byId = new Map<Seq, CuratedPack>()
  /** Packs added or removed since the start. Not part of the state. */
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

  /** Whether a pack of the list has this name, ignoring case. */
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
    assert(this.#byId.delete(command.packId), 'a removed pack is on the list')
    this.changes++
  }

  #put(pack: CuratedPack): void {
    assert(this.count < PACK_LIMITS.curatedMax, 'the list of packs is not full')
    this.#byId.set(pack.packId, pack)
    this.changes++
  }

  /** Removes packs with a leg in a resolved market. */
  resolved(marketId: MarketId): void {
    for (const { packId, legs } of this.all()) {
      if (!legs.some((leg) => leg.marketId === marketId)) continue
      this.#byId.delete(packId)
      this.changes++
    }
  }

  /** The full state, for the state hash; empty if the list is empty. */
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
