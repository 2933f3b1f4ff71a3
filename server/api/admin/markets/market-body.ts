// The operator's description of a market, a group or a series.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  type MarketSetting,
  SERIES_SETTINGS,
  type SettingKind,
} from '../../../../engine/domain/markets/market-settings.ts'
import { address, rawAmount, slug } from '../../../edge/http/schema/fields.ts'
import { means } from '../../../edge/http/schema/meaning.ts'
import { firstShown } from '../../../edge/http/schema/printed.ts'
import { boolean, integer, nullable, text } from '../../../edge/http/schema/scalars.ts'
import {
  fieldsBy,
  type Infer,
  list,
  object,
  optional,
  type Schema,
} from '../../../edge/http/schema/schema.ts'
import { line, lines } from '../../../edge/http/schema/visible-text.ts'
import { filterValues } from '../../pages/page-views.ts'

const labels = () => list(line(64, 1), 0, 32)
const propertyValues = () => filterValues(LIMITS.marketPropertiesMax, LIMITS.propertyValuesMax)
export const title = () => line(LIMITS.titleCharactersMax, 1)

const stated = <S extends Schema>(schema: S, row: MarketSetting) =>
  means(optional(schema), row.means)

/** The field of a setting by its kind. */
const FIELD = {
  line: (row: MarketSetting) => stated(line(row.max, 1), row),
  lines: (row: MarketSetting) => stated(lines(row.max), row),
  link: (row: MarketSetting) => stated(line(row.max, 1), row),
  key: (row: MarketSetting) => stated(line(row.max), row),
  labels: (row: MarketSetting) => stated(labels(), row),
  values: (row: MarketSetting) => stated(propertyValues(), row),
  collateral: (row: MarketSetting) => stated(rawAmount(), row),
  shares: (row: MarketSetting) => stated(rawAmount(), row),
  bps: (row: MarketSetting) => stated(integer(0, row.max), row),
  ms: (row: MarketSetting) => stated(integer(0, row.max), row),
  yes: (row: MarketSetting) => stated(boolean(), row),
  allowed: (row: MarketSetting) => stated(boolean(), row),
  address: (row: MarketSetting) => stated(address(), row),
} as const satisfies Readonly<Record<SettingKind, (row: MarketSetting) => Schema>>

/** What may also be changed later. */
export const aboutFields = fieldsBy(EDITED_SETTINGS, FIELD)

export const seriesFields = fieldsBy(SERIES_SETTINGS, FIELD)

export const venueFields = fieldsBy(FIXED_SETTINGS, FIELD)

export const deadline = () =>
  means(
    optional(nullable(firstShown(text(40), integer(0)))),
    'When trading ends, in Unix milliseconds or ISO 8601, in the future; null or absent for never.',
  )

export const namedBody = object({ slug: slug(), title: title(), ...aboutFields, ...venueFields })
export type NamedBody = Infer<typeof namedBody>
