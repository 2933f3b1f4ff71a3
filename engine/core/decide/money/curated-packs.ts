// Gates of curated packs and their purchases (rules §8.6). A pack is priced at purchase, so the
// buyer states the minimum payout and a deadline.

import type { Seq } from '../../../domain/ids.ts'
import type { CuratedLeg, PackBody } from '../../../domain/packs/pack-command.ts'
import { PACK_LIMITS } from '../../../domain/packs/pack-limits.ts'
import { REJECT, type Reject } from '../../../domain/reject-precedence.ts'
import { dayOf } from '../../../domain/rewards/reward-time.ts'
import type { CollateralRaw, TimeMs } from '../../../domain/units.ts'
import type { Clearing } from '../../clearing.ts'
import { decideCall } from './moves.ts'
import { journaled, marketIssues, type PackIssue, type PricedPack } from './pack-price.ts'
import { gatePackCount, hasMostPacks, type Staking } from './packs.ts'

/** All issues with the markets of these legs, which must stay open at least until then. */
export function curationIssues(
  clearing: Clearing,
  legs: readonly { readonly marketId: CuratedLeg['marketId'] | undefined }[],
  untilMs: TimeMs,
): PackIssue[] {
  const markets = legs.map(({ marketId }) => {
    return marketId === undefined ? undefined : clearing.catalogue.byId(marketId)
  })
  return marketIssues(clearing, legs, markets, untilMs)
}

/** Why a pack with this name and these market issues cannot join the list, or null. */
export function gateCuration(
  { packs: { curated } }: Clearing,
  name: string,
  issues: readonly PackIssue[],
): Reject | null {
  if (issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE
  if (curated.hasName(name)) return REJECT.CURATED_NAME_TAKEN
  return curated.count < PACK_LIMITS.curatedMax ? null : REJECT.CURATED_LIMIT
}

export function decideCuratedRemoval({ packs }: Clearing, packId: Seq): PackBody | Reject {
  if (packs.curated.byId(packId) === undefined) return REJECT.PACK_NOT_FOUND
  return { kind: 'removeCuratedPack', packId }
}

export interface Purchase extends Staking {
  readonly curatedId: Seq
  /** The minimum payout that the pack must be able to reach. */
  readonly payoutMinRaw: CollateralRaw
  readonly deadlineMs: TimeMs
}

/** `priced` is the pack at current prices, for this buyer and stake. */
export function decidePurchase(
  clearing: Clearing,
  { curatedId, payoutMinRaw, deadlineMs, ...staking }: Purchase,
  { issues, payoutRaw, legs }: PricedPack,
  nowMs: TimeMs,
): PackBody | Reject {
  const restricted = decideCall(clearing, staking) ?? gatePackCount(clearing)
  if (restricted !== null) return restricted
  if (clearing.packs.curated.byId(curatedId) === undefined) return REJECT.PACK_NOT_FOUND
  if (deadlineMs <= nowMs) return REJECT.INTENT_EXPIRED
  if (hasMostPacks(clearing, staking.profileId)) return REJECT.PACK_LIMIT
  if (issues.length > 0) return REJECT.PACK_NOT_ELIGIBLE
  if (payoutRaw < payoutMinRaw) return REJECT.PRICE_DRIFTED
  const day = dayOf(nowMs)
  return { kind: 'createPack', ...staking, payoutRaw, legs: journaled(legs), day, curatedId }
}
