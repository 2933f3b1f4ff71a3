import type { MarketId, ProfileId, Seq } from '../ids.ts'
import type { CallOnce } from '../moves/call-once.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../units.ts'

// Packs: several outcomes in one stake, which pays when all of them win (rules §8).

/** One outcome of a pack, and the price at which it counts for the payout. */
export interface PackLeg {
  readonly marketId: MarketId
  readonly outcome: number
  readonly priceTicks: PriceTicks
}

/** One outcome of a pack that operators curate; it is priced when somebody buys it. */
export type CuratedLeg = Omit<PackLeg, 'priceTicks'>

/** What a leg that was counted gives its pack. */
export interface CountedPack {
  /** The seq of the command that made the pack. */
  readonly packId: Seq
  /** What the pack pays now that it is over; null while other legs decide. */
  readonly paidRaw: CollateralRaw | null
}

export type PackBody =
  /** The owner stakes against the house. The legs carry the prices of the public books. */
  | {
      kind: 'createPack'
      profileId: ProfileId
      stakeRaw: CollateralRaw
      payoutRaw: CollateralRaw
      legs: readonly PackLeg[]
      once?: CallOnce | undefined
      /** The UTC day, counted from 1970, whose bound on the house it counts for (rules §8.4). */
      day?: number
      /** The pack of the list that was bought (rules §8.6); absent for legs of its owner. */
      curatedId?: Seq
    }
  /** A maker sets aside what a stake may win of it. */
  | {
      kind: 'offerPack'
      profileId: ProfileId
      stakeMaxRaw: CollateralRaw
      payoutRaw: CollateralRaw
      expiresMs: TimeMs
      legs: readonly PackLeg[]
    }
  /** A stake on an offer, which is over with it: the maker gets back what the stake can't win. */
  | {
      kind: 'acceptPackOffer'
      /** The seq of the command that made the offer. */
      offerId: Seq
      profileId: ProfileId
      stakeRaw: CollateralRaw
      payoutRaw: CollateralRaw
      once?: CallOnce | undefined
    }
  /** Offers that their makers took back, or whose time is over. */
  | { kind: 'endPackOffers'; offerIds: readonly Seq[] }
  /** A resolved market counts for packs that have a leg of it. */
  | { kind: 'countPacks'; marketId: MarketId; packs: readonly CountedPack[] }
  /**
   * Collateral of the house comes in (positive) or goes out (negative), and operators set what the
   * packs of one day may cost it; null = the default, absent = as before.
   */
  | { kind: 'fundHouse'; collateralRaw: CollateralRaw; dayLossMaxRaw?: CollateralRaw | null }
  | CurationBody

/** What operators do to the list of packs that everybody can buy. */
export type CurationBody =
  /** The pack joins the list under the seq of this command. */
  | { kind: 'curatePack'; name: string; legs: readonly CuratedLeg[] }
  | { kind: 'removeCuratedPack'; packId: Seq }
