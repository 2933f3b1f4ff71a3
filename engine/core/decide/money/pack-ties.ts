// Finds dependent markets, so that no pack contains two of them (rules §8.1). The house multiplies
// the prices of legs, which requires that they are independent.

import { slotMsOf } from '../../../domain/markets/series.ts'
import type { Clearing } from '../../clearing.ts'
import type { Market } from '../../markets/catalogue.ts'

/** Whether two markets share a group, a match, a time window or a key. */
export function areCorrelated(clearing: Clearing, a: Market, b: Market): boolean {
  const { matches } = clearing
  const ofMatch = matches.byMarket(a.marketId)
  if (ofMatch !== undefined && matches.byMarket(b.marketId)?.slug === ofMatch.slug) return true
  if (overlap(clearing, a, b)) return true
  const keys = keysOf(clearing, a)
  return keysOf(clearing, b).some((key) => keys.includes(key))
}

/** Whether both are slots with overlapping windows: symbols often move together. */
function overlap({ series }: Clearing, a: Market, b: Market): boolean {
  if (a.slot === undefined || b.slot === undefined) return false
  const endOf = ({ seriesId, startMs }: typeof a.slot) =>
    startMs + slotMsOf(series.existing(seriesId))
  return a.slot.startMs < endOf(b.slot) && b.slot.startMs < endOf(a.slot)
}

/**
 * The keys of a market: its own, its group's or its series', and the built-in ones: a group is a
 * key by itself, and a series has its symbol. So an operator who sets the key `BTC` on a market
 * links it to all series of that symbol.
 */
function keysOf({ catalogue, series }: Clearing, market: Market): string[] {
  const { groupId, slot, correlationKey } = market
  const group = groupId === undefined ? undefined : catalogue.byId(groupId)
  const ofSeries = slot === undefined ? undefined : series.existing(slot.seriesId)
  const automatic = groupId === undefined ? [] : [`group ${groupId}`]
  const keys = [correlationKey, group?.correlationKey, ofSeries?.correlationKey, ofSeries?.symbol]
  return [...automatic, ...keys.flatMap((key) => (key === undefined || key === '' ? [] : [key]))]
}
