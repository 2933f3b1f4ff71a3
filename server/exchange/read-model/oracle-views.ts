// The public view of the oracle: its reports, and the asset of the slots of a series.

import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import { takesOrders } from '../../../engine/domain/markets/market.ts'
import type { SeriesSpec } from '../../../engine/domain/markets/series.ts'
import type { PriceE8, TimeMs } from '../../../engine/domain/units.ts'

/** A report of the oracle, and the slugs of the slots on it that traded at that time. */
export interface ShownReport {
  readonly symbol: string
  readonly atMs: TimeMs
  readonly priceE8: PriceE8
  readonly slugs: readonly string[]
}

type Reported = Extract<ControlCommand, { readonly kind: 'reportPrice' }>

export function reportBy({ symbol, atMs, priceE8 }: Reported, clearing: Clearing): ShownReport {
  const { series, catalogue } = clearing
  const ofSymbol = [...series.all()].filter((each) => each.symbol === symbol)
  const markets = ofSymbol.flatMap(({ slots }) =>
    [...slots.values()].map((id) => catalogue.byId(id)),
  )
  const slugs = markets.flatMap((market) =>
    market && takesOrders(market.status) ? market.slug : [],
  )
  return { symbol, atMs, priceE8, slugs }
}

/** The asset whose price decides a slot. */
export type SlotAsset = Pick<SeriesSpec, 'symbol' | 'assetName' | 'assetType'>

/** Null for a market that is not a slot, and once the series and all its slots left memory. */
export function assetOf({ slot }: Market, { series }: Clearing): SlotAsset | null {
  const known = slot === undefined ? undefined : series.byId(slot.seriesId)
  if (known === undefined) return null
  const { symbol, assetName, assetType } = known
  return { symbol, assetName, assetType }
}
