import type { MarketId } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { query } from '../query.ts'

// Slots of a series around one of them (rules §10.3). Each result is a range of an index.

const BY_KEY = `
SELECT series_id AS seriesId, symbol, frequency, sub_frequency AS subFrequency,
  stable_slug AS stableSlug
FROM series WHERE symbol = ? AND frequency = ? AND sub_frequency = ?
ORDER BY series_id DESC LIMIT 1`
const BY_STABLE_SLUG = `
SELECT series_id AS seriesId, symbol, frequency, sub_frequency AS subFrequency,
  stable_slug AS stableSlug
FROM series WHERE stable_slug = ? ORDER BY series_id DESC LIMIT 1`
const BY_ID = `
SELECT series_id AS seriesId, symbol, frequency, sub_frequency AS subFrequency,
  stable_slug AS stableSlug
FROM series WHERE series_id = ?`
const SLOT = 'market_id AS marketId, slug, start_ms AS startMs, end_ms AS endMs, state'
const BY_SLUG = `SELECT series_id AS seriesId, ${SLOT} FROM slots WHERE slug = ?`
const BEHIND = `SELECT ${SLOT} FROM slots WHERE series_id = ? AND start_ms < ?
ORDER BY start_ms DESC LIMIT ?`
const AHEAD = `SELECT ${SLOT} FROM slots WHERE series_id = ? AND start_ms >= ?
ORDER BY start_ms LIMIT ?`

export interface SeriesRow {
  readonly seriesId: number
  readonly symbol: string
  readonly frequency: string
  /** '' = none. */
  readonly subFrequency: string
  readonly stableSlug: string
}

export interface SlotRow {
  readonly marketId: MarketId
  readonly slug: string
  readonly startMs: TimeMs
  readonly endMs: TimeMs
  /** Index into SLOT_STATES. */
  readonly state: number
}

export type SeriesParams =
  | { readonly slug: string }
  | { readonly stableSlug: string }
  | { readonly symbol: string; readonly frequency: string; readonly subFrequency: string }

export interface TimelineParams {
  readonly series: SeriesParams
  readonly nowMs: TimeMs
  readonly before: number
  readonly after: number
}

export interface TimelineAnswer {
  readonly series: SeriesRow
  /** The requested slot, or the current one; null before the first slot. */
  readonly anchor: SlotRow | null
  readonly current: SlotRow | null
  readonly next: SlotRow | null
  /** By ascending start, including the anchor. */
  readonly batch: readonly SlotRow[]
}

const OPEN = 1

/** The timeline; null if there is no such series. */
export const timeline = query({
  name: 'timeline',
  prepare: (db) => ({
    byKey: db.prepare<[string, string, string], SeriesRow>(BY_KEY),
    byStableSlug: db.prepare<[string], SeriesRow>(BY_STABLE_SLUG),
    byId: db.prepare<[number], SeriesRow>(BY_ID),
    bySlug: db.prepare<[string], SlotRow & { readonly seriesId: number }>(BY_SLUG),
    behind: db.prepare<[number, number, number], SlotRow>(BEHIND),
    ahead: db.prepare<[number, number, number], SlotRow>(AHEAD),
  }),
  run: (statements, { series: params, nowMs, before, after }: TimelineParams) => {
    const { byKey, byStableSlug, byId, bySlug, behind, ahead } = statements
    const named = 'slug' in params ? bySlug.get(params.slug) : undefined
    const series =
      'slug' in params
        ? byId.get(named?.seriesId ?? 0)
        : 'stableSlug' in params
          ? byStableSlug.get(params.stableSlug)
          : byKey.get(params.symbol, params.frequency, params.subFrequency)
    if (series === undefined) return null
    const { seriesId } = series
    // The slot before the newest started one may still be open briefly.
    const begun = behind.all(seriesId, nowMs + 1, 2)
    const current =
      begun.find(({ state }) => state === OPEN) ??
      begun.find(({ endMs }) => endMs > nowMs) ??
      ahead.get(seriesId, nowMs + 1, 1) ??
      begun[0] ??
      null
    const next = current === null ? null : (ahead.get(seriesId, current.startMs + 1, 1) ?? null)
    const anchor = named ?? current
    const fromMs = anchor?.startMs ?? 0
    const batch = [
      ...behind.all(seriesId, fromMs, before).reverse(),
      ...ahead.all(seriesId, fromMs, anchor === null ? 0 : after + 1),
    ]
    return { series, anchor, current, next, batch }
  },
})
