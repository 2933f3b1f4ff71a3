// Gates of pack commands (rules §8.4). A quote lists all issues of a pack at once. The gates read
// the books passed by their caller, free balances, and state that main alone changes (invariant 2
// of design §1).

import type { ProfileId, Seq } from '../../../domain/ids.ts'
import type { CallOnce } from '../../../domain/moves/move-command.ts'
import type { PackBody } from '../../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../domain/packs/pack-limits.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { dayOf } from '../../../domain/rewards/reward-time.ts'
import { SHARED_TABLES } from '../../../domain/shared-tables.ts'
import type { CollateralRaw, PriceTicks, TimeMs } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import { decideCall } from './moves.ts'
import { houseTakes, isActive, journaled, type PackIssue, type PricedPack } from './pack-price.ts'

const { stakeMinRaw } = PACK_LIMITS

export interface Staking {
  readonly profileId: ProfileId
  readonly stakeRaw: CollateralRaw
  readonly once?: CallOnce | undefined
}

/** The terms of a quote. */
export interface QuotedPack {
  readonly payoutRaw: CollateralRaw
  /** By leg: the prices behind the payout. */
  readonly prices: readonly PriceTicks[]
  readonly expiresMs: TimeMs
  /** Whether a pack was created from it. */
  readonly isUsed: boolean
}

/**
 * `priced` is the pack at current prices; `quoted` is null if the pack has no quote. The created
 * pack has the quoted terms: a price seen only at creation raises nothing, not even the remainder
 * of a void leg.
 */
export function decidePack(
  clearing: Clearing,
  staking: Staking,
  priced: PricedPack,
  quoted: QuotedPack | null,
  nowMs: TimeMs,
): PackBody | Reject {
  const restricted = decideCall(clearing, staking) ?? gatePackCount(clearing)
  if (restricted !== null) return restricted
  if (quoted === null) return REJECT.QUOTE_INVALID
  if (quoted.isUsed) return REJECT.QUOTE_USED
  if (quoted.expiresMs <= nowMs) return REJECT.QUOTE_EXPIRED
  if (hasMostPacks(clearing, staking.profileId)) return REJECT.PACK_LIMIT
  const { issues, payoutRaw: paysRaw } = priced
  const { profileId: ownerId, stakeRaw } = staking
  const { payoutRaw, prices } = quoted
  // A pack that would now pay more pays the quoted amount, so its price is checked against that.
  const isOver = ({ code }: PackIssue) =>
    payoutRaw <= paysRaw &&
    (code === 'MULTIPLIER_TOO_HIGH' ||
      (code === 'HOUSE_CAPACITY' &&
        houseTakes(clearing, { ownerId, stakeRaw, payoutRaw }, priced.legs, nowMs)))
  if (!issues.every(isOver)) return REJECT.PACK_NOT_ELIGIBLE
  if (paysRaw < payoutRaw) return REJECT.QUOTE_CHANGED
  const legs = journaled(priced.legs).map((leg, at) => ({ ...leg, priceTicks: prices[at] }))
  return { kind: 'createPack', ...staking, payoutRaw, legs, day: dayOf(nowMs) }
}

export function gatePackCount({ packs }: Clearing): Reject | null {
  return packs.count < PACK_LIMITS.packsMax ? null : REJECT.PACK_CAPACITY
}

/** Whether the profile is at its limit of open packs. */
export function hasMostPacks({ packs }: Clearing, profileId: ProfileId): boolean {
  return packs.owners.boundOf(SHARED_TABLES.packs, profileId) !== null
}

interface Offering {
  readonly profileId: ProfileId
  readonly stakeMaxRaw: CollateralRaw
  readonly payoutRaw: CollateralRaw
}

/** `priced` gives the prices that apply if a leg is void. Its depth does not matter to a maker. */
export function decideOffer(
  clearing: Clearing,
  offering: Offering,
  priced: PricedPack,
  nowMs: TimeMs,
): PackBody | Reject {
  const { packs, ledger } = clearing
  const { profileId, stakeMaxRaw, payoutRaw: paysRaw } = offering
  const restricted = decideCall(clearing, { profileId })
  if (restricted !== null) return restricted
  const bound = packs.makers.boundOf(SHARED_TABLES.offers, profileId)
  if (bound === 'table') return REJECT.PACK_CAPACITY
  const [freeRaw, asideRaw] = [ledger.freeRaw(profileId), paysRaw - stakeMaxRaw]
  if (freeRaw < asideRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, asideRaw)
  if (priced.issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE
  if (bound !== null) return REJECT.OFFER_LIMIT
  const expiresMs = nowMs + PACK_LIMITS.offerMs
  return { kind: 'offerPack', ...offering, expiresMs, legs: journaled(priced.legs) }
}

/** The payout of a stake on the offer: its part, rounded down in favour of the maker. */
export function offeredRaw(
  offer: { readonly stakeMaxRaw: CollateralRaw; readonly payoutRaw: CollateralRaw },
  stakeRaw: CollateralRaw,
): CollateralRaw {
  return Number((BigInt(offer.payoutRaw) * BigInt(stakeRaw)) / BigInt(offer.stakeMaxRaw))
}

/** `closeMs` is how long before its market's deadline a leg closes. */
export function decideAccept(
  clearing: Clearing,
  offerId: Seq,
  staking: Staking,
  { nowMs, closeMs }: { readonly nowMs: TimeMs; readonly closeMs: number },
): PackBody | Reject {
  const { packs, ledger, catalogue, modes, frozen } = clearing
  const { profileId, stakeRaw } = staking
  const restricted = decideCall(clearing, staking)
  if (restricted !== null) return restricted
  const closed = modes.count === 0 ? null : modes.orderReject(false, nowMs)
  if (closed !== null) return closed
  const full = gatePackCount(clearing)
  if (full !== null) return full
  const freeRaw = ledger.freeRaw(profileId)
  if (freeRaw < stakeRaw) return REJECT.INSUFFICIENT_COLLATERAL.short(freeRaw, stakeRaw)
  if (hasMostPacks(clearing, profileId)) return REJECT.PACK_LIMIT
  const offer = packs.offer(offerId)
  if (offer === undefined || offer.expiresMs <= nowMs) return REJECT.OFFER_NOT_FOUND
  if (frozen.isFrozen(offer.makerId)) return REJECT.OFFER_NOT_FOUND
  if (offer.makerId === profileId) return REJECT.OWN_OFFER
  const areOpen = offer.legs.every(({ marketId }) => {
    const market = catalogue.byId(marketId)
    return market !== undefined && isActive(market, nowMs + closeMs)
  })
  if (!areOpen) return REJECT.OFFER_NOT_FOUND
  if (stakeRaw < stakeMinRaw) return REJECT.STAKE_TOO_LOW
  if (stakeRaw > offer.stakeMaxRaw) return REJECT.STAKE_TOO_HIGH
  const paysRaw = offeredRaw(offer, stakeRaw)
  // The part is rounded down, so a small stake on an offer with a low payout can win nothing.
  if (paysRaw <= stakeRaw) return REJECT.STAKE_TOO_LOW
  return { kind: 'acceptPackOffer', offerId, ...staking, payoutRaw: paysRaw }
}

export function decideEndOffer(
  { packs }: Clearing,
  offerId: Seq,
  makerId: ProfileId,
): PackBody | Reject {
  const offer = packs.offer(offerId)
  if (offer === undefined || offer.makerId !== makerId) return REJECT.OFFER_NOT_FOUND
  return { kind: 'endPackOffers', offerIds: [offerId] }
}
