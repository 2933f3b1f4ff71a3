// The market spec of a slot, derived from its series and its start.

import type { Series } from '../../../engine/core/markets/series-table.ts'
import type { MarketSpec } from '../../../engine/domain/markets/market.ts'
import { slotMsOf } from '../../../engine/domain/markets/series.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import type { SlotSpecOf } from '../../exchange/jobs/slot-clock.ts'
import { marketIds } from './condition-ids.ts'

const MS_PER_SEC = 1000

/** The slug of the slot that begins at this time (rules §10.1). */
export function slotSlug(slugPrefix: string, startMs: TimeMs): string {
  return `${slugPrefix}-${startMs / MS_PER_SEC}`
}

/** 2026-11-22 14:05 */
function minuteText(atMs: TimeMs): string {
  return new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')
}

/** Returns the function that the slot clock calls; the ids of tokens depend on the collateral. */
export function slotSpecOf(collateralAddress: string): SlotSpecOf {
  return (series: Series, startMs: TimeMs): MarketSpec => {
    const { seriesId, slugPrefix, exchangeAddress, takerDelayMs, imageUrl, logo } = series
    const { dailyRewardRaw, rebateBps, noDelayedCancel } = series
    const slug = slotSlug(slugPrefix, startMs)
    const deadlineMs = startMs + slotMsOf(series)
    return {
      slug,
      slot: { seriesId, startMs },
      title: `${series.title}: ${minuteText(startMs)} to ${minuteText(deadlineMs)} UTC`,
      description: series.description,
      categories: series.categories,
      tags: series.tags,
      properties: { ticker: [series.symbol], ...series.properties },
      deadlineMs,
      feeEnabled: series.feeEnabled,
      ...marketIds(slug, exchangeAddress, collateralAddress),
      exchangeAddress,
      adapterAddress: null,
      minSizeRaw: series.minSizeRaw,
      maxSpread: series.maxSpread,
      ...(takerDelayMs === undefined ? {} : { takerDelayMs }),
      ...(imageUrl === undefined ? {} : { imageUrl }),
      ...(logo === undefined ? {} : { logo }),
      ...(dailyRewardRaw === undefined ? {} : { dailyRewardRaw }),
      ...(rebateBps === undefined ? {} : { rebateBps }),
      ...(noDelayedCancel === undefined ? {} : { noDelayedCancel }),
    }
  }
}
