// The market spec of a slot, derived from its series and its start.

import type { Series } from '../../../engine/core/markets/series-table.ts'
import type { MarketAbout, MarketSpec } from '../../../engine/domain/markets/market.ts'
import { SLOT_FIELDS } from '../../../engine/domain/markets/market-settings.ts'
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

/** The fields that the market of a slot takes from its series; absent fields stay absent. */
function slotFieldsOf(series: Series): Omit<MarketAbout, 'title'> {
  const { description, categories, tags } = series
  const about: Partial<MarketAbout> = series
  const fields = SLOT_FIELDS.filter((field) => about[field] !== undefined)
  const kept = Object.fromEntries(fields.map((field) => [field, about[field]]))
  return { description, categories, tags, ...kept }
}

/** Returns the function that the slot clock calls; the ids of tokens depend on the collateral. */
export function slotSpecOf(collateralAddress: string): SlotSpecOf {
  return (series: Series, startMs: TimeMs): MarketSpec => {
    const { seriesId, slugPrefix, exchangeAddress, takerDelayMs } = series
    const slug = slotSlug(slugPrefix, startMs)
    const deadlineMs = startMs + slotMsOf(series)
    return {
      slug,
      slot: { seriesId, startMs },
      title: `${series.title}: ${minuteText(startMs)} to ${minuteText(deadlineMs)} UTC`,
      ...slotFieldsOf(series),
      properties: { ticker: [series.symbol], ...series.properties },
      deadlineMs,
      feeEnabled: series.feeEnabled,
      ...marketIds(slug, exchangeAddress, collateralAddress),
      exchangeAddress,
      adapterAddress: null,
      minSizeRaw: series.minSizeRaw,
      maxSpread: series.maxSpread,
      ...(takerDelayMs === undefined ? {} : { takerDelayMs }),
    }
  }
}
