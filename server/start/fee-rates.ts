// Checks the shares of fees at a start: makers of a market and the referrers of its takers together
// get at most the whole fee (rules §3.2).

import type { Clearing } from '../../engine/core/clearing.ts'
import { BPS, type FeeBps } from '../../engine/domain/units.ts'

interface Named {
  readonly what: string
  readonly rebateBps: FeeBps
  /** The call that changes it. */
  readonly call: string
}

/** Series that continue and markets that are not resolved, because they will still have trades. */
function* rebatesOf({ catalogue, series }: Clearing): Iterable<Named> {
  for (const { seriesId, stableSlug, isEnded, rebateBps = 0 } of series.all()) {
    const call = `PATCH /admin/series/${seriesId}`
    if (!isEnded) yield { what: `Series ${stableSlug}`, rebateBps, call }
  }
  for (const { slug, status, rebateBps = 0 } of catalogue.rewarded) {
    const call = `PATCH /admin/markets/${slug}`
    if (status !== 'RESOLVED') yield { what: `Market ${slug}`, rebateBps, call }
  }
}

/** Why the exchange may not start with this referral share; null when it may. */
export function feeRatesRefusal(clearing: Clearing, referralBps: FeeBps): string | null {
  for (const { what, rebateBps, call } of rebatesOf(clearing)) {
    if (rebateBps + referralBps <= BPS) continue
    return (
      `${what} has rebateBps ${rebateBps}, and --referral-bps is ${referralBps}: together they ` +
      `may not exceed ${BPS}. Start with --referral-bps ${BPS - rebateBps} or less; to give more ` +
      `to referrers, lower rebateBps first (${call}).`
    )
  }
  return null
}
