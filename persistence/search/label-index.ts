// Index of markets by group and category, updated with each change. Invariant: no set is empty, so
// unused labels cost nothing.

import type { MarketId } from '../../engine/domain/ids.ts'

export interface MarketLabels {
  readonly groupId: number | null
  readonly categories: readonly string[]
}

const NONE: ReadonlySet<MarketId> = new Set()

class Sharers<Label> {
  readonly #markets = new Map<Label, Set<MarketId>>()

  of(label: Label): ReadonlySet<MarketId> {
    return this.#markets.get(label) ?? NONE
  }

  add(label: Label, marketId: MarketId): void {
    const known = this.#markets.get(label)
    if (known === undefined) this.#markets.set(label, new Set([marketId]))
    else known.add(marketId)
  }

  remove(label: Label, marketId: MarketId): void {
    const known = this.#markets.get(label)
    known?.delete(marketId)
    if (known?.size === 0) this.#markets.delete(label)
  }

  clear(): void {
    this.#markets.clear()
  }
}

export class LabelIndex {
  readonly #ofGroup = new Sharers<number>()
  readonly #ofCategory = new Sharers<string>()

  add(marketId: MarketId, { groupId, categories }: MarketLabels): void {
    if (groupId !== null) this.#ofGroup.add(groupId, marketId)
    for (const category of categories) this.#ofCategory.add(category, marketId)
  }

  /** `labels` must be those that were added. */
  remove(marketId: MarketId, { groupId, categories }: MarketLabels): void {
    if (groupId !== null) this.#ofGroup.remove(groupId, marketId)
    for (const category of categories) this.#ofCategory.remove(category, marketId)
  }

  clear(): void {
    this.#ofGroup.clear()
    this.#ofCategory.clear()
  }

  /** The other markets with the same group or category. */
  sharers(marketId: MarketId, { groupId, categories }: MarketLabels): Set<MarketId> {
    const found = new Set(groupId === null ? NONE : this.#ofGroup.of(groupId))
    for (const category of categories) {
      for (const each of this.#ofCategory.of(category)) found.add(each)
    }
    found.delete(marketId)
    return found
  }
}
