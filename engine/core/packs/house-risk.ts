// The largest possible loss of the house: in total, per outcome of a market, and per profile. Books
// price a pack, and a maker can show a price briefly. So no single outcome and no single profile
// may cost the house more than a part of its funds (rules §8.4).
// Invariant: each sum is of payout less stake over the open packs against the house.

import type { MarketId, ProfileId } from '../../domain/ids.ts'
import type { PackLeg } from '../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../domain/packs/pack-limits.ts'
import { addTo } from '../../domain/sums.ts'
import type { CollateralRaw } from '../../domain/units.ts'

/** The data that determines the risk of a pack, created or requested. */
export interface RiskyPack {
  /** null if the owner is unknown. */
  readonly ownerId: ProfileId | null
  readonly stakeRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
  readonly legs: readonly Pick<PackLeg, 'marketId' | 'outcome'>[]
}

const OUTCOMES = 2
const keyOf = (marketId: MarketId, outcome: number) => marketId * OUTCOMES + outcome

export class HouseRisk {
  readonly #ofOutcome = new Map<number, CollateralRaw>()
  readonly #ofOwner = new Map<ProfileId, CollateralRaw>()
  #totalRaw: CollateralRaw = 0

  /** What the house reserved for open packs. */
  get totalRaw(): CollateralRaw {
    return this.#totalRaw
  }

  /** The possible cost of packs that need this outcome. */
  ofOutcomeRaw(marketId: MarketId, outcome: number): CollateralRaw {
    return this.#ofOutcome.get(keyOf(marketId, outcome)) ?? 0
  }

  ofOwnerRaw(ownerId: ProfileId): CollateralRaw {
    return this.#ofOwner.get(ownerId) ?? 0
  }

  made(pack: RiskyPack): void {
    this.#count(pack, pack.payoutRaw - pack.stakeRaw)
  }

  ended(pack: RiskyPack): void {
    this.#count(pack, pack.stakeRaw - pack.payoutRaw)
  }

  #count({ legs, ownerId }: RiskyPack, changeRaw: CollateralRaw): void {
    this.#totalRaw += changeRaw
    if (ownerId !== null) addTo(this.#ofOwner, ownerId, changeRaw)
    for (const { marketId, outcome } of legs) {
      addTo(this.#ofOutcome, keyOf(marketId, outcome), changeRaw)
    }
  }

  /** Whether a house with this much free collateral accepts the pack. */
  takes({ ownerId, stakeRaw, payoutRaw, legs }: RiskyPack, freeRaw: CollateralRaw): boolean {
    const riskRaw = payoutRaw - stakeRaw
    if (riskRaw > freeRaw) return false
    const hasRaw = freeRaw + this.#totalRaw
    const { housePartOfOutcome, housePartOfOwner } = PACK_LIMITS
    const ofOwnerRaw = ownerId === null ? 0 : this.ofOwnerRaw(ownerId)
    if (ofOwnerRaw + riskRaw > Math.floor(hasRaw / housePartOfOwner)) return false
    const outcomeMaxRaw = Math.floor(hasRaw / housePartOfOutcome)
    return legs.every(({ marketId, outcome }) => {
      return this.ofOutcomeRaw(marketId, outcome) + riskRaw <= outcomeMaxRaw
    })
  }
}
