import { LIMITS } from '../../../../engine/domain/limits.ts'
import { FREQUENCIES, SUB_FREQUENCIES } from '../../../../engine/domain/markets/series.ts'
import { type Kind, readSetting, WrongUse } from '../../../settings/flags.ts'
import { count, optional, words } from '../../../settings/kinds.ts'
import { bare, type Form, filled, flagNames, own, patch, post, wordAs } from '../admin-form.ts'
import { wholeList } from './list-forms.ts'
import { SERIES_FLAGS, TITLE, VENUE_FLAGS } from './market-forms.ts'

// The forms of `outcomex admin` for series of recurring markets, and for the reports of an oracle.

interface Every {
  readonly frequency: string
  readonly subFrequency?: string
}

const WHOLE_ONES = FREQUENCIES.filter((each) => each === 'daily' || each === 'weekly')

/** The length of a slot in one word, like minutes_5, hours_1 or daily. */
const everyKind: Kind<Every> = {
  shape: 'LENGTH',
  wants: 'minutes_1, minutes_5 to minutes_55, hours_1 to hours_6, daily or weekly',
  read(text) {
    const whole = WHOLE_ONES.find((each) => each === text)
    if (whole !== undefined) return { frequency: whole }
    const subFrequency = SUB_FREQUENCIES.find((each) => each === text)
    if (subFrequency === undefined) return undefined
    return { frequency: text.startsWith('minutes_') ? 'minutely' : 'hourly', subFrequency }
  },
}

const SYMBOL = own(
  'symbol',
  optional(words('SYMBOL', 'a symbol like BTC')),
  undefined,
  'series: the asset, as the oracle names it.',
)
const EVERY = own('every', optional(everyKind), undefined, 'series: length of a slot.')
const PREFIX = own(
  'prefix',
  optional(words('SLUG', 'a slug')),
  undefined,
  'series: start of the slugs of its slots; else the stable slug.',
)
const ASSET = own(
  'asset',
  optional(words('NAME', 'a name')),
  undefined,
  'series: name of the asset; else its symbol.',
)
const OF_SERIES = {
  assetType: own(
    'asset-type',
    optional(words('TYPE', 'a kind of asset')),
    undefined,
    'series: kind of asset; else crypto.',
  ),
  slotsAhead: own(
    'ahead',
    optional(count(1, LIMITS.slotsAheadMax)),
    undefined,
    'series: how many slots exist ahead of the current one; else 24.',
  ),
  strikePrice: own(
    'strike',
    optional(words('PRICE', 'a price like 95000.5')),
    undefined,
    'series: price at the start of the slot that has begun; it begins with that slot.',
  ),
  ...SERIES_FLAGS,
  ...VENUE_FLAGS,
} as const
const AT = {
  atMs: own(
    'at-ms',
    optional(count(0, Number.MAX_SAFE_INTEGER, 'MS')),
    undefined,
    'price: when it was seen, Unix milliseconds; else now.',
  ),
} as const

const EDITED = { ...TITLE, ...SERIES_FLAGS } as const

const seriesPath = (id: string) => `/admin/series/${wordAs(count(1, Number.MAX_SAFE_INTEGER), id)}`

export const SERIES_FORMS: Readonly<Record<string, Form>> = {
  series: {
    use: 'admin series STABLE_SLUG "Title" --symbol BTC --every LENGTH [--strike PRICE] [FLAGS]',
    flags: [SYMBOL, EVERY, PREFIX, ASSET, ...Object.values(OF_SERIES)],
    words: 2,
    fields: {
      stableSlug: 'STABLE_SLUG',
      title: 'the title',
      symbol: '--symbol',
      subFrequency: '--every',
      frequency: '--every',
      slugPrefix: '--prefix',
      assetName: '--asset',
      ...flagNames(OF_SERIES),
    },
    call([stableSlug, title], given) {
      const symbol = readSetting(SYMBOL, given)
      const every = readSetting(EVERY, given)
      if (symbol === undefined) throw new WrongUse('Say which asset: --symbol BTC')
      if (every === undefined)
        throw new WrongUse(`Say how long a slot is: --every ${everyKind.wants}`)
      const slugPrefix = readSetting(PREFIX, given) ?? stableSlug
      const assetName = readSetting(ASSET, given) ?? symbol
      const fixed = { stableSlug, title, symbol, ...every, slugPrefix, assetName }
      return post('/admin/series', { ...fixed, ...filled(OF_SERIES, given) })
    },
  },
  'edit-series': {
    use: 'admin edit-series SERIES_ID [--title TITLE] [FLAGS of markets]',
    flags: Object.values(EDITED),
    words: 1,
    fields: { seriesId: 'SERIES_ID', ...flagNames(EDITED) },
    call: ([id], given) => patch(seriesPath(id), filled(EDITED, given)),
  },
  'end-series': {
    use: 'admin end-series SERIES_ID',
    flags: [],
    words: 1,
    fields: { seriesId: 'SERIES_ID' },
    call: ([id]) => bare('DELETE', seriesPath(id)),
  },
  'all-series': wholeList('all-series', '/admin/series', 'series'),
  price: {
    use: 'admin price SYMBOL PRICE [--at-ms MS]',
    flags: Object.values(AT),
    words: 2,
    fields: { 'reports.0.symbol': 'SYMBOL', 'reports.0.price': 'PRICE', reports: 'the price' },
    call([symbol, price], given) {
      return post('/admin/oracle/prices', { reports: [{ symbol, price, ...filled(AT, given) }] })
    },
  },
}
