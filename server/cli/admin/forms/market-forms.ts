import {
  EDITED_SETTINGS,
  FIXED_SETTINGS,
  type MarketSetting,
  SERIES_SETTINGS,
  type SettingKind,
} from '../../../../engine/domain/markets/market-settings.ts'
import { POOL_LIMITS } from '../../../../engine/domain/moves/pool-limits.ts'
import { type Kind, readSetting } from '../../../settings/flags.ts'
import { address, count, oneOf, onOff, optional, words } from '../../../settings/kinds.ts'
import {
  type FlagFields,
  type Form,
  filled,
  flagNames,
  own,
  patch,
  post,
  put,
  wordAs,
} from '../admin-form.ts'
import {
  amount,
  amountOrNone,
  anyText,
  child,
  labelsOrNone,
  payout,
  propertyValues,
} from '../admin-kinds.ts'
import { listOf } from './list-forms.ts'

// The forms of `outcomex admin` for markets and groups.

const BPS_MAX = 10_000
const trueOrFalse = { ...onOff, shape: 'true|false' }

/** How the value of a setting is read, by its kind. */
const READ: Readonly<Record<SettingKind, (row: MarketSetting) => Kind<unknown>>> = {
  line: () => words('TITLE', 'a title'),
  lines: () => anyText,
  link: () => words('URL', 'a link'),
  key: () => anyText,
  labels: () => labelsOrNone,
  values: () => propertyValues,
  collateral: () => amountOrNone,
  shares: () => amount,
  bps: ({ max }) => count(0, max),
  ms: ({ max }) => count(0, max, 'MS'),
  yes: () => onOff,
  allowed: () => trueOrFalse,
  address: () => address,
}

function flagsOf(rows: readonly MarketSetting[]): FlagFields {
  const flags = rows.map((row) => {
    return [row.name, own(row.flag, optional(READ[row.kind](row)), undefined, row.help)] as const
  })
  return Object.fromEntries(flags)
}

/** What may be set of a market, a group or a series, and changed later. */
const ABOUT_FLAGS = flagsOf(EDITED_SETTINGS)
export const SERIES_FLAGS = flagsOf(SERIES_SETTINGS)

/** What is set once, when markets are made. */
export const VENUE_FLAGS = flagsOf(FIXED_SETTINGS)

const DEADLINE = {
  deadline: own(
    'deadline',
    optional(words('TIME', 'an ISO 8601 instant')),
    undefined,
    'market, group: when trading ends; else never.',
  ),
} as const
export const TITLE = {
  title: own(
    'title',
    optional(words('TITLE', 'a title')),
    undefined,
    'edit-market, edit-series: the new title.',
  ),
} as const
const KIND = own('kind', oneOf('clob', 'amm'), 'clob', 'market: traded by a book or by a pool.')

const NEW = { ...ABOUT_FLAGS, ...VENUE_FLAGS, ...DEADLINE } as const
const EDITED = { ...TITLE, ...ABOUT_FLAGS } as const
const POOL_FEE = {
  poolFeeBps: own(
    'pool-fee-bps',
    optional(count(0, POOL_LIMITS.feeBpsMax)),
    undefined,
    'market of kind amm: fee of its pool, in basis points; else 40.',
  ),
} as const
const CONVERT_FEE = {
  convertFeeBps: own(
    'convert-fee-bps',
    optional(count(0, BPS_MAX)),
    undefined,
    'group: fee of a conversion, in basis points.',
  ),
} as const
const OF_OWN = { ...NEW, ...POOL_FEE } as const
const OF_GROUP = { ...NEW, ...CONVERT_FEE } as const

const marketPath = (slug: string, act = '') => `/admin/markets/${encodeURIComponent(slug)}${act}`

function locking(act: 'lock' | 'unlock'): Form {
  return {
    use: `admin ${act} SLUG`,
    flags: [],
    words: 1,
    fields: { slug: 'SLUG' },
    call: ([slug]) => ({ method: 'POST', path: marketPath(slug, `/${act}`), body: '' }),
  }
}

function flagging(act: 'flag' | 'unflag'): Form {
  return {
    use: `admin ${act} SLUG`,
    flags: [],
    words: 1,
    fields: { slug: 'SLUG' },
    call: ([slug]) => put(marketPath(slug, '/flag'), { isFlagged: act === 'flag' }),
  }
}

export const MARKET_FORMS: Readonly<Record<string, Form>> = {
  market: {
    use: 'admin market SLUG "Title" [--kind clob|amm] [--fee] [--deadline TIME] [FLAGS of markets]',
    flags: [KIND, ...Object.values(OF_OWN)],
    words: 2,
    fields: {
      kind: '--kind',
      slug: 'SLUG',
      title: 'the title',
      ...flagNames(OF_OWN),
    },
    call([slug, title], given) {
      const kind = readSetting(KIND, given)
      return post('/admin/markets', { kind, slug, title, ...filled(OF_OWN, given) })
    },
  },
  'edit-market': {
    use: 'admin edit-market SLUG [--title TITLE] [FLAGS of markets]',
    flags: Object.values(EDITED),
    words: 1,
    fields: { slug: 'SLUG', ...flagNames(EDITED) },
    call: ([slug], given) => patch(marketPath(slug), filled(EDITED, given)),
  },
  lock: locking('lock'),
  unlock: locking('unlock'),
  flag: flagging('flag'),
  unflag: flagging('unflag'),
  resolve: {
    use: `admin resolve SLUG ${payout.shape}`,
    flags: [],
    words: 2,
    fields: { slug: 'SLUG', payoutNumerators: payout.shape },
    call: ([slug, winner]) => post(marketPath(slug, '/resolve'), wordAs(payout, winner)),
  },
  group: {
    use: `admin group SLUG "Title" ${child.shape} ${child.shape} ... [--fee] [FLAGS of markets]`,
    flags: Object.values(OF_GROUP),
    words: 4,
    more: true,
    fields: {
      slug: 'SLUG',
      title: 'the title',
      markets: child.shape,
      ...flagNames(OF_GROUP),
    },
    call([slug, title, ...children], given) {
      const markets = children.map((word) => wordAs(child, word))
      return post('/admin/groups', { slug, title, ...filled(OF_GROUP, given), markets })
    },
  },
  'resolve-group': {
    use: 'admin resolve-group SLUG CHILD',
    flags: [],
    words: 2,
    fields: { slug: 'SLUG', winner: 'CHILD' },
    call: ([slug, winner]) => post(`/admin/groups/${encodeURIComponent(slug)}/resolve`, { winner }),
  },
  markets: listOf('markets'),
}
