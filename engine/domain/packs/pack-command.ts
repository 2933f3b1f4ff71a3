import type { MarketId, ProfileId, Seq } from '../ids.ts'
import type { CallOnce } from '../moves/move-command.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../units.ts'

// Packs: one stake on several outcomes, which pays if all of them win (rules §8).

/** One outcome of a pack, and the price it contributes to the payout. */
export interface PackLeg {
  readonly marketId: MarketId
  readonly outcome: number
  readonly priceTicks: PriceTicks
}

/** One outcome of a curated pack. It is priced at purchase. */
export type CuratedLeg = Omit<PackLeg, 'priceTicks'>

/** The effect of a counted leg on its pack. */
export interface CountedPack {
  /** The seq of the command that created the pack. */
  readonly packId: Seq
  /** The payout once the pack is over; null while other legs are open. */
  readonly paidRaw: CollateralRaw | null
}

export type PackBody =
  /** A stake against the house. The legs carry prices of the public books. */
  | {
      kind: 'createPack'
      profileId: ProfileId
      stakeRaw: CollateralRaw
      payoutRaw: CollateralRaw
      legs: readonly PackLeg[]
      once?: CallOnce | undefined
      /** The UTC day, counted from 1970, whose house limit the pack uses (rules §8.4). */
      day?: number
      /** The curated pack that was bought (rules §8.6); absent if the owner chose the legs. */
      curatedId?: Seq
    }
  /** A maker reserves the amount that a stake may win. */
  | {
      kind: 'offerPack'
      profileId: ProfileId
      stakeMaxRaw: CollateralRaw
      payoutRaw: CollateralRaw
      expiresMs: TimeMs
      legs: readonly PackLeg[]
    }
  /** A stake on an offer, which ends the offer. The maker gets back what the stake cannot win. */
  | {
      kind: 'acceptPackOffer'
      /** The seq of the command that created the offer. */
      offerId: Seq
      profileId: ProfileId
      stakeRaw: CollateralRaw
      payoutRaw: CollateralRaw
      once?: CallOnce | undefined
    }
  /** Ends offers that their makers withdrew or that expired. */
  | { kind: 'endPackOffers'; offerIds: readonly Seq[] }
  /** Applies a resolved market to packs with a leg in it. */
  | { kind: 'countPacks'; marketId: MarketId; packs: readonly CountedPack[] }
  /**
   * Adds collateral to the house (positive) or withdraws it (negative), and sets the house limit of
   * the packs of one day; null = the default, absent = unchanged.
   */
  | { kind: 'fundHouse'; collateralRaw: CollateralRaw; dayLossMaxRaw?: CollateralRaw | null }
  | CurationBody

/** Operator changes to the list of curated packs. */
export type CurationBody =
  /** Adds the pack to the list, under the seq of this command. */
  | { kind: 'curatePack'; name: string; legs: readonly CuratedLeg[] }
  | { kind: 'removeCuratedPack'; packId: Seq }
