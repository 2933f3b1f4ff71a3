import { LIMITS } from '../../../../engine/domain/limits.ts'
import { POOL_LIMITS } from '../../../../engine/domain/moves/pool-limits.ts'
import { readSetting } from '../../../settings/flags.ts'
import { address, count, oneOf, onOff, optional, words } from '../../../settings/kinds.ts'
import { type Form, filled, flagNames, own, patch, post, put, wordAs } from '../admin-form.ts'
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

/** What may be said of a market, a group or a series, and changed later. */
export const ABOUT_FLAGS = {
  description: own(
    'description',
    optional(anyText),
    undefined,
    "markets: how the question is decided; '' for none.",
  ),
  categories: own(
    'categories',
    optional(labelsOrNone),
    undefined,
    "markets: their topics; '' for none.",
  ),
  tags: own('tags', optional(labelsOrNone), undefined, "markets: further labels; '' for none."),
  properties: own(
    'properties',
    optional(propertyValues),
    undefined,
    "markets: values of their properties, for filters; '' for none.",
  ),
  imageUrl: own(
    'image',
    optional(words('URL', 'a link')),
    undefined,
    'markets: link to a picture.',
  ),
  logo: own('logo', optional(words('URL', 'a link')), undefined, 'markets: link to a small one.'),
  dailyRewardRaw: own(
    'daily-reward',
    optional(amountOrNone),
    undefined,
    'markets: collateral a day for orders near the middle.',
  ),
  rebateBps: own(
    'rebate-bps',
    optional(count(0, BPS_MAX)),
    undefined,
    "markets: part of the takers' fees for makers, in basis points.",
  ),
  delayedCancel: own(
    'delayed-cancel',
    optional(trueOrFalse),
    undefined,
    'markets: whether owners may cancel orders that the taker delay holds; else true.',
  ),
} as const

/** The shorter title of a market or a group; slots have theirs from their series. */
const SHORT_TITLE = {
  proxyTitle: own(
    'short-title',
    optional(words('TITLE', 'a title')),
    undefined,
    'markets: a shorter title.',
  ),
} as const

/** What may be said once, when markets are made. */
export const VENUE_FLAGS = {
  takerDelayMs: own(
    'taker-delay',
    optional(count(0, LIMITS.takerDelayMsMax, 'MS')),
    undefined,
    'new markets: how long takers wait, in milliseconds.',
  ),
  minSizeRaw: own(
    'min-size',
    optional(amount),
    undefined,
    'new markets: least shares of an order that counts in the midpoint; else 50.',
  ),
  exchangeAddress: own(
    'exchange',
    optional(address),
    undefined,
    'new markets: the contract of their orders; else that of the settings.',
  ),
} as const

export const FEE = own('fee', onOff, false, 'new markets: takers pay fees.')

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

const NEW = { ...ABOUT_FLAGS, ...SHORT_TITLE, ...VENUE_FLAGS, ...DEADLINE } as const
const EDITED = { ...TITLE, ...ABOUT_FLAGS, ...SHORT_TITLE } as const
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
    flags: [KIND, FEE, ...Object.values(OF_OWN)],
    words: 2,
    fields: {
      kind: '--kind',
      slug: 'SLUG',
      title: 'the title',
      fee: '--fee',
      ...flagNames(OF_OWN),
    },
    call([slug, title], given) {
      const kind = readSetting(KIND, given)
      const fee = readSetting(FEE, given) ? { fee: true } : {}
      return post('/admin/markets', { kind, slug, title, ...fee, ...filled(OF_OWN, given) })
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
    flags: [FEE, ...Object.values(OF_GROUP)],
    words: 4,
    more: true,
    fields: {
      ...{ slug: 'SLUG', title: 'the title', markets: child.shape, fee: '--fee' },
      ...flagNames(OF_GROUP),
    },
    call([slug, title, ...children], given) {
      const fee = readSetting(FEE, given) ? { fee: true } : {}
      const markets = children.map((word) => wordAs(child, word))
      return post('/admin/groups', { slug, title, ...fee, ...filled(OF_GROUP, given), markets })
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
