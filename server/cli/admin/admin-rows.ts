// The names of the lines of `outcomex admin`, and what of them does not follow from their routes:
// fields that are words, values of a form of their own, what is filled in.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { FREQUENCIES, SUB_FREQUENCIES } from '../../../engine/domain/markets/series.ts'
import { PROP_TYPES } from '../../../engine/domain/sports/match.ts'
import { flagOf, type Kind, requiredFlag } from '../../settings/flags.ts'
import { commaList, words } from '../../settings/kinds.ts'
import {
  amount,
  amountOrZero,
  type FlagField,
  flag,
  manyWords,
  switchFlag,
  type Values,
  type WordField,
  word,
} from './admin-fields.ts'

export interface AdminRow {
  /** `POST /admin/markets` */
  readonly call: string
  /** What the line does, when its call does more. */
  readonly about?: string
  /** The list of which the line fills one item. */
  readonly one?: string
  /** The words behind those of the path; a name is a field of the body. */
  readonly words?: readonly (string | WordField)[]
  readonly flags?: readonly FlagField[]
  /** Names of flags that are not those of their fields. */
  readonly called?: Readonly<Record<string, string>>
  /** Fields that the line does not have. */
  readonly omit?: readonly string[]
  /** Fields that the call needs and `finish` fills when they are absent. */
  readonly filled?: readonly string[]
  readonly finish?: (body: Values) => Values
  /** The list of the reply that is shown as a table. */
  readonly table?: string
}

type Rows = Readonly<Record<string, AdminRow>>

const FEE = switchFlag('fee', true, 'fee', 'Takers pay fees.')

/** Parts of a payout: the winner, or numbers with a colon between them. */
const payout: Kind<Values> = {
  shape: 'yes|no|split|A:B',
  wants: 'yes, no, split or two parts like 3:1',
  read(text) {
    if (text === 'yes') return { winningOutcomeIndex: 0 }
    if (text === 'no') return { winningOutcomeIndex: 1 }
    const parts = /^(\d{1,10}):(\d{1,10})$/.exec(text === 'split' ? '1:1' : text)
    return parts === null ? undefined : { payoutNumerators: [Number(parts[1]), Number(parts[2])] }
  },
}

const child: Kind<Values> = {
  shape: 'CHILD="Title"',
  wants: 'the slug of a market and its title, like reds-win="Do the Reds win?"',
  read(text) {
    const at = text.indexOf('=')
    const [slug, title] = [text.slice(0, at), text.slice(at + 1).trim()]
    const isWhole = at > 0 && slug.length <= LIMITS.slugCharactersMax && title !== ''
    return isWhole ? { slug, title } : undefined
  },
}

/** Parts of YES and of NO that an empty pool keeps. */
const hints: Kind<readonly [number, number]> = {
  shape: 'A:B',
  wants: 'two parts like 300:700, each above 0',
  read(text) {
    const parts = /^([1-9]\d{0,8}):([1-9]\d{0,8})$/.exec(text)
    return parts === null ? undefined : [Number(parts[1]), Number(parts[2])]
  },
}

const MARKETS: Rows = {
  market: {
    call: 'POST /admin/markets',
    words: ['slug', 'title'],
    flags: [FEE],
    filled: ['kind'],
    finish: (body) => ({ kind: 'clob', ...body }),
  },
  'edit-market': { call: 'PATCH /admin/markets/:slug' },
  lock: { call: 'POST /admin/markets/:slug/lock' },
  unlock: { call: 'POST /admin/markets/:slug/unlock' },
  flag: {
    call: 'PUT /admin/markets/:slug/flag',
    about: 'Flags a market: it trades and shows no book.',
    omit: ['isFlagged'],
    finish: () => ({ isFlagged: true }),
  },
  unflag: {
    call: 'PUT /admin/markets/:slug/flag',
    about: 'Takes the flag of a market away.',
    omit: ['isFlagged'],
    finish: () => ({ isFlagged: false }),
  },
  resolve: {
    call: 'POST /admin/markets/:slug/resolve',
    words: [
      word(
        ['winningOutcomeIndex', 'payoutNumerators'],
        'The winner, or parts of YES and NO.',
        payout,
        (body) => body,
      ),
    ],
  },
  group: {
    call: 'POST /admin/groups',
    words: ['slug', 'title', manyWords('markets', 'Two markets or more.', child, 2)],
    flags: [FEE],
  },
  'resolve-group': { call: 'POST /admin/groups/:slug/resolve', words: ['winner'] },
  markets: { call: 'GET /admin/markets', table: 'markets' },
  'fund-pool': {
    call: 'POST /admin/markets/:slug/liquidity',
    words: ['profileId', 'collateralRaw'],
    flags: [
      flag(
        ['hints'],
        flagOf<readonly [number, number] | undefined>(
          'hints',
          hints,
          undefined,
          'Parts of YES and NO that an empty pool keeps.',
        ),
        (parts) => ({ hints: parts }),
      ),
    ],
  },
  'drain-pool': { call: 'POST /admin/markets/:slug/liquidity/remove', words: ['profileId'] },
}

interface Every {
  readonly frequency: string
  readonly subFrequency?: string
}

const WHOLE_ONES = FREQUENCIES.filter((each) => each === 'daily' || each === 'weekly')

/** The length of a slot in one word, like minutes_5, hours_1 or daily. */
const every: Kind<Every> = {
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

const SERIES: Rows = {
  series: {
    call: 'POST /admin/series',
    words: ['stableSlug', 'title'],
    flags: [
      FEE,
      flag(
        ['frequency', 'subFrequency'],
        requiredFlag<Every | undefined>(
          'every',
          every,
          undefined,
          `Length of a slot: ${every.wants}.`,
        ),
        ({ ...body }) => body,
      ),
    ],
    filled: ['slugPrefix', 'assetName'],
    finish: (body) => ({ slugPrefix: body.stableSlug, assetName: body.symbol, ...body }),
  },
  'edit-series': { call: 'PATCH /admin/series/:seriesId' },
  'end-series': { call: 'DELETE /admin/series/:seriesId' },
  'all-series': { call: 'GET /admin/series', table: 'series' },
  price: { call: 'POST /admin/oracle/prices', one: 'reports', words: ['symbol', 'price'] },
}

/** A word for collateral that is put in, or taken out. */
function collateral(sign: 1 | -1): WordField {
  return word(['collateralRaw'], 'In whole units.', amount, (raw) => ({
    collateralRaw: sign * raw,
  }))
}

function funding(whose: 'rewards' | 'house', sign: 1 | -1): AdminRow {
  const what = whose === 'rewards' ? 'pays rewards' : 'covers packs'
  return {
    call: `POST /admin/${whose}`,
    about: `${sign > 0 ? 'Puts in' : 'Takes out'} collateral that ${what}.`,
    words: [collateral(sign)],
    omit: ['dayLossMaxRaw'],
  }
}

/** Null for the default of the exchange. */
const amountOrDefault: Kind<number | null> = {
  shape: `${amountOrZero.shape}|default`,
  wants: `${amountOrZero.wants}, or default`,
  read: (text) => (text === 'default' ? null : amountOrZero.read(text)),
}

const MONEY: Rows = {
  credit: {
    call: 'POST /admin/balances',
    about: 'Adds to the free collateral of a profile.',
    words: ['profileId', collateral(1)],
  },
  debit: {
    call: 'POST /admin/balances',
    about: 'Takes from the free collateral of a profile what it could withdraw, at most.',
    words: ['profileId', collateral(-1)],
  },
  balance: { call: 'GET /admin/balances/:profileId' },
  balances: { call: 'GET /admin/balances', table: 'balances' },
  'fund-rewards': funding('rewards', 1),
  'drain-rewards': funding('rewards', -1),
  rewards: { call: 'GET /admin/rewards' },
  'fund-house': funding('house', 1),
  'drain-house': funding('house', -1),
  'house-day-loss': {
    call: 'POST /admin/house',
    about: 'Sets what packs of one day may cost the house.',
    words: [
      word(['dayLossMaxRaw'], 'What packs of a day may cost.', amountOrDefault, (raw) => ({
        dayLossMaxRaw: raw,
      })),
    ],
    omit: ['collateralRaw'],
  },
  house: { call: 'GET /admin/house' },
  solvency: { call: 'GET /admin/solvency', table: 'tokens' },
  'count-solvency': { call: 'POST /admin/solvency', finish: () => ({}) },
}

const SIDES: readonly string[] = ['yes', 'no']

const leg: Kind<Values> = {
  shape: 'MARKET=yes|no',
  wants: 'the slug of a market and the outcome that must win, like rain-tomorrow=yes',
  read(text) {
    const at = text.lastIndexOf('=')
    const [marketSlug, outcomeIndex] = [text.slice(0, at), SIDES.indexOf(text.slice(at + 1))]
    return at > 0 && outcomeIndex >= 0 ? { marketSlug, outcomeIndex } : undefined
  },
}

const PACKS: Rows = {
  packs: { call: 'GET /admin/packs' },
  pack: {
    call: 'POST /admin/packs',
    words: ['name', manyWords('legs', 'What must win.', leg, 2)],
  },
  'remove-pack': { call: 'DELETE /admin/packs/:id' },
}

const market: Kind<Values> = {
  shape: 'MARKET',
  wants: `the slug of a market, or slug=WHAT with ${PROP_TYPES.join(', ')}`,
  read(text) {
    const [slug, what, more] = text.split('=')
    if (what === undefined) return { slug }
    const esportsPropType = PROP_TYPES.find((each) => each === what)
    const isWhole = esportsPropType !== undefined && more === undefined
    return isWhole ? { slug, esportsPropType } : undefined
  },
}

function sideFlag(name: 'home' | 'away'): FlagField {
  const row = requiredFlag<string | undefined>(
    name,
    words('NAME', 'a name'),
    undefined,
    `The ${name} side.`,
  )
  return flag([name], row, (text) => ({ [name]: { name: text } }))
}

const points: Kind<{ readonly home: number; readonly away: number }> = {
  shape: 'HOME:AWAY',
  wants: 'two numbers like 2:1',
  read(text) {
    const parts = /^(\d{1,4}):(\d{1,4})$/.exec(text)
    return parts === null ? undefined : { home: Number(parts[1]), away: Number(parts[2]) }
  },
}

/** What an event of each sport calls the points of both sides. */
function scored({ homeScore, awayScore, ...event }: Values): Values {
  const eventId = `shell-${event.sequence}`
  const { sportType } = event
  if (sportType === 'esports') {
    return { eventId, ...event, matchScore: { home: homeScore, away: awayScore } }
  }
  return sportType === 'cricket'
    ? { eventId, ...event, homeRuns: homeScore, awayRuns: awayScore }
    : { eventId, ...event, homeScore, awayScore }
}

const SPORTS: Rows = {
  match: {
    call: 'PUT /admin/sports/matches/:slug',
    words: ['title', manyWords('markets', `Or MARKET=${PROP_TYPES.join('|')}.`, market, 1)],
    flags: [sideFlag('home'), sideFlag('away')],
    called: { startsAt: 'starts' },
  },
  'remove-match': { call: 'DELETE /admin/sports/matches/:slug' },
  score: {
    call: 'POST /admin/sports/scores',
    one: 'events',
    words: [
      'sportType',
      'fixtureId',
      word(
        ['homeScore', 'awayScore', 'homeRuns', 'awayRuns', 'matchScore'],
        'The points of both sides.',
        points,
        ({ home, away }) => ({ homeScore: home, awayScore: away }),
      ),
    ],
    flags: [switchFlag('isFinished', true, 'finished', 'The match is over.')],
    called: { eventId: 'event' },
    filled: ['eventId'],
    finish: scored,
  },
}

const scopes = commaList('A,B', /^[a-z_]+$/, 'scopes like trading,withdrawal')

const PROFILES: Rows = {
  profile: {
    call: 'POST /admin/profiles',
    words: ['account'],
    flags: [
      flag(
        ['apiToken'],
        flagOf<readonly string[] | undefined>(
          'scopes',
          scopes,
          undefined,
          'Also make an API token with these scopes.',
        ),
        (list) => ({ apiToken: { scopes: list } }),
      ),
    ],
  },
  'edit-profile': { call: 'PATCH /admin/profiles/:profileId' },
  'show-profile': { call: 'GET /admin/profiles/:profileId' },
  profiles: { call: 'GET /admin/profiles', table: 'profiles' },
  freeze: { call: 'POST /admin/profiles/:profileId/freeze' },
  unfreeze: { call: 'POST /admin/profiles/:profileId/unfreeze' },
  'revoke-tokens': { call: 'DELETE /admin/profiles/:profileId/tokens' },
  'revoke-sessions': { call: 'DELETE /admin/profiles/:profileId/sessions' },
  'revoke-token': { call: 'DELETE /admin/profiles/:profileId/tokens/:tokenId' },
}

const TRADING: Rows = {
  restrict: {
    call: 'POST /admin/trading-modes',
    words: ['mode'],
    called: { startsAt: 'from', endsAt: 'until' },
  },
  unrestrict: { call: 'DELETE /admin/trading-modes/:windowId' },
  restrictions: { call: 'GET /admin/trading-modes' },
  settlement: { call: 'GET /admin/settlement', called: { limit: 'trades' } },
  'settlement-fault': { call: 'POST /admin/settlement/faults', words: ['outcome'] },
  operators: { call: 'GET /admin/operators' },
  nodes: { call: 'GET /admin/cluster' },
  'hand-over': { call: 'POST /admin/cluster/hand-over' },
  'remove-node': { call: 'DELETE /admin/cluster/nodes/:node' },
  'copy-node': { call: 'GET /admin/cluster/copy' },
  'copied-file': { call: 'GET /admin/cluster/copy/file' },
  audit: { call: 'GET /admin/audit' },
}

const values = commaList('A,B', /^[^,=]{1,64}$/, 'values like BTC,ETH')
const OPTIONS = flag(
  ['options'],
  flagOf<readonly string[] | undefined>('options', values, undefined, 'Values to add.'),
  (list) => ({ options: list.map((value) => ({ value })) }),
)

const PAGES: Rows = {
  page: {
    call: 'POST /admin/market-pages',
    words: ['slug', 'name'],
    flags: [switchFlag('inNavigation', false, 'hidden', 'Keep it out of the tree of pages.')],
  },
  'edit-page': { call: 'PUT /admin/market-pages/:id' },
  'remove-page': { call: 'DELETE /admin/market-pages/:id' },
  pages: { call: 'GET /admin/market-pages' },
  property: {
    call: 'POST /admin/property-keys',
    words: ['slug', 'name'],
    flags: [
      OPTIONS,
      switchFlag('type', 'multi-select', 'multi', 'A market may have several of its values.'),
    ],
  },
  'edit-property': { call: 'PUT /admin/property-keys/:id', flags: [OPTIONS] },
  'remove-property': { call: 'DELETE /admin/property-keys/:id' },
  properties: { call: 'GET /admin/property-keys' },
}

/** The lines under their headings. A route without a row gets a line of its own name. */
export const ADMIN_ROWS: Readonly<Record<string, Rows>> = {
  'Markets:': MARKETS,
  'Series and prices:': SERIES,
  'Collateral:': MONEY,
  'Profiles:': PROFILES,
  'Trading, operators:': TRADING,
  'Packs:': PACKS,
  'Sports:': SPORTS,
  'Pages and properties:': PAGES,
}
