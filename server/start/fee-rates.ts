// Which parts of fees a start may give: makers of a market and those who referred its takers get
// the whole fee together at most (rules §3.2).

import type { Clearing } from '../../engine/core/clearing.ts'
import { BPS, type FeeBps } from '../../engine/domain/units.ts'

interface Named {
  readonly what: string
  readonly rebateBps: FeeBps
  /** The call that changes it. */
  readonly call: string
}

/** Those whose trades are yet to come: series that go on, and markets that are not resolved. */
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

/** Why the exchange may not start with this part for those who refer; null when it may. */
export function feeRatesRefusal(clearing: Clearing, referralBps: FeeBps): string | null {
  for (const { what, rebateBps, call } of rebatesOf(clearing)) {
    if (rebateBps + referralBps <= BPS) continue
    return (
      `${what} has rebateBps ${rebateBps}, and --referral-bps is ${referralBps}: together they ` +
      `may not exceed ${BPS}. Start with --referral-bps ${BPS - rebateBps} or less; to give more ` +
      `to those who refer, lower rebateBps first (${call}).`
    )
  }
  return null
}
