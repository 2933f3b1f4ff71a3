import { LIMITS } from '../../../engine/domain/limits.ts'
import { SETTINGS } from '../../config.ts'
import {
  type Environment,
  type Given,
  readSetting,
  type Setting,
  scanEnvironment,
  scanLine,
  WrongUse,
} from '../../settings/flags.ts'
import { address, commaList, count, oneOf, onOff, optional, words } from '../../settings/kinds.ts'
import { nearest } from '../../settings/nearest.ts'
import { parseUnits } from '../decimals.ts'
import { type AdminCall, type Form, own, post, wordAs } from './admin-form.ts'
import { OPERATOR_FLAGS, OPERATOR_FORMS } from './operator-forms.ts'
import { PAGE_FLAGS, PAGE_FORMS } from './page-forms.ts'

// Reads the words of `outcomex admin`: one call of the admin API, in full or in a short form.

export interface AdminLine {
  readonly call: AdminCall
  /** The flags or words of the fields of the call, for refusals. */
  readonly fields: Readonly<Record<string, string>>
  readonly token: string | undefined
  readonly url: string | undefined
  readonly dataDir: string
  /** Whether to print the reply as one line of JSON. */
  readonly isJson: boolean
  /** The list in the reply that is shown as a table; null for none. */
  readonly table: string | null
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PROFILE_ID_MAX = Number.MAX_SAFE_INTEGER

const FLAGS = {
  url: own(
    'url',
    optional(words('URL', 'the address of the server')),
    undefined,
    'Address of the server; else the one in demo.json, else http://127.0.0.1:3000.',
  ),
  fee: own('fee', onOff, false, 'market: takers pay fees.'),
  scopes: own(
    'scopes',
    optional(commaList('A,B', /^[a-z_]+$/, 'scopes like trading,withdrawal')),
    undefined,
    'profile: also make an API token with these scopes.',
  ),
  rank: own('rank', optional(words('RANK', 'a rank like bronze')), undefined, 'profile: its rank.'),
  username: own(
    'username',
    optional(words('NAME', 'a name')),
    undefined,
    'profile: its public name.',
  ),
  from: own(
    'from',
    optional(words('TIME', 'an ISO 8601 instant')),
    undefined,
    'restrict: when it begins; else now.',
  ),
  until: own(
    'until',
    optional(words('TIME', 'an ISO 8601 instant')),
    undefined,
    'restrict: when it ends; else when an operator ends it.',
  ),
  message: own(
    'message',
    optional(words('TEXT', 'a text')),
    undefined,
    'restrict: what the public is told.',
  ),
  after: own('after', count(0, PROFILE_ID_MAX), 0, 'lists: start after this id.'),
  limit: own('limit', count(1, LIMITS.adminListLimitMax), 50, 'lists: greatest number of rows.'),
  json: own('json', onOff, false, 'Print one line of JSON, not a table or a text.'),
} as const

export const ADMIN_ROWS: readonly Setting<unknown>[] = [
  ...Object.values(FLAGS),
  ...Object.values(OPERATOR_FLAGS),
  ...Object.values(PAGE_FLAGS),
  SETTINGS.adminToken,
  SETTINGS.data,
]

/** The form for a page of a list. */
function listOf(what: 'profiles' | 'balances' | 'markets'): Form {
  return {
    use: `admin ${what} [--after ID] [--limit N]`,
    flags: [FLAGS.after, FLAGS.limit],
    words: 0,
    fields: { after: '--after', limit: '--limit' },
    table: what,
    call(_words, given) {
      const after = readSetting(FLAGS.after, given)
      const limit = readSetting(FLAGS.limit, given)
      return { method: 'GET', path: `/admin/${what}?after=${after}&limit=${limit}`, body: '' }
    },
  }
}

/** The form that adds the amount (credit) or subtracts it (debit). */
function adjusting(what: 'credit' | 'debit'): Form {
  return {
    use: `admin ${what} PROFILE_ID AMOUNT`,
    flags: [],
    words: 2,
    fields: { profileId: 'PROFILE_ID', collateralRaw: 'AMOUNT' },
    call([id, units]) {
      const profileId = wordAs(count(1, PROFILE_ID_MAX), id)
      const amountRaw = wordAs(amount, units)
      const collateralRaw = what === 'credit' ? amountRaw : -amountRaw
      return post('/admin/balances', { profileId, collateralRaw })
    },
  }
}

const amount = {
  wants: 'an amount above 0 with at most six decimals, like 100.5',
  read: parseUnits,
}

const PAYOUTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  yes: { winningOutcomeIndex: 0 },
  no: { winningOutcomeIndex: 1 },
  split: { payoutNumerators: [1, 1] },
}

const RESTRICTIONS = oneOf('post_only', 'cancel_only', 'disabled')

const FORMS: Readonly<Record<string, Form>> = {
  ...OPERATOR_FORMS,
  ...PAGE_FORMS,
  market: {
    use: 'admin market SLUG "Title" [--fee]',
    flags: [FLAGS.fee],
    words: 2,
    fields: { slug: 'SLUG', title: 'the title', fee: '--fee' },
    call([slug, title], given) {
      const fee = readSetting(FLAGS.fee, given)
      return post('/admin/markets', { kind: 'clob', slug, title, ...(fee ? { fee } : {}) })
    },
  },
  profile: {
    use: 'admin profile ADDRESS [--scopes trading,...] [--rank bronze] [--username NAME]',
    flags: [FLAGS.scopes, FLAGS.rank, FLAGS.username],
    words: 1,
    fields: {
      account: 'ADDRESS',
      username: '--username',
      rank: '--rank',
      'apiToken.scopes': '--scopes',
    },
    call([account], given) {
      const scopes = readSetting(FLAGS.scopes, given)
      const rank = readSetting(FLAGS.rank, given)
      const username = readSetting(FLAGS.username, given)
      return post('/admin/profiles', {
        account: wordAs(address, account),
        ...(username === undefined ? {} : { username }),
        ...(rank === undefined ? {} : { rank }),
        ...(scopes === undefined ? {} : { apiToken: { scopes } }),
      })
    },
  },
  profiles: listOf('profiles'),
  balances: listOf('balances'),
  markets: listOf('markets'),
  credit: adjusting('credit'),
  debit: adjusting('debit'),
  resolve: {
    use: 'admin resolve SLUG yes|no|split',
    flags: [],
    words: 2,
    fields: { slug: 'SLUG' },
    call([slug, winner]) {
      const payout = Object.hasOwn(PAYOUTS, winner) ? PAYOUTS[winner] : undefined
      if (payout === undefined) throw new WrongUse(`'${winner}' must be yes, no or split`)
      return post(`/admin/markets/${encodeURIComponent(slug)}/resolve`, payout)
    },
  },
  restrict: {
    use: `admin restrict ${RESTRICTIONS.shape} [--from TIME] [--until TIME] [--message TEXT]`,
    flags: [FLAGS.from, FLAGS.until, FLAGS.message],
    words: 1,
    fields: { startsAt: '--from', endsAt: '--until', publicMessage: '--message' },
    call([mode], given) {
      const startsAt = readSetting(FLAGS.from, given)
      const endsAt = readSetting(FLAGS.until, given)
      const publicMessage = readSetting(FLAGS.message, given)
      return post('/admin/trading-modes', {
        mode: wordAs(RESTRICTIONS, mode),
        ...(startsAt === undefined ? {} : { startsAt }),
        ...(endsAt === undefined ? {} : { endsAt }),
        ...(publicMessage === undefined ? {} : { publicMessage }),
      })
    },
  },
  unrestrict: {
    use: 'admin unrestrict WINDOW_ID',
    flags: [],
    words: 1,
    fields: { windowId: 'WINDOW_ID' },
    call([id]) {
      const windowId = wordAs(count(1, PROFILE_ID_MAX), id)
      return { method: 'DELETE', path: `/admin/trading-modes/${windowId}`, body: '' }
    },
  },
}

export const ADMIN_USES = [
  'admin METHOD PATH [JSON]',
  ...Object.values(FORMS).map(({ use }) => use),
]

function fullCall(method: string, rest: readonly string[], given: readonly Given[]): AdminCall {
  refuseForeignFlags([], given, 'admin METHOD PATH [JSON]')
  const [path, body = '', extra] = rest
  if (path === undefined || !path.startsWith('/') || extra !== undefined) {
    throw new WrongUse(`Write: outcomex admin ${method} /admin/... ['{"json": true}']`)
  }
  if (body === '') return { method, path, body }
  try {
    JSON.parse(body)
    // The text is sent unchanged: a number past 2^53 must reach the server's own check.
    return { method, path, body }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new WrongUse(`The body is not JSON (${why}); put it in single quotes`)
  }
}

function refuseForeignFlags(
  own: readonly Setting<unknown>[],
  given: readonly Given[],
  use: string,
): void {
  for (const form of Object.values(FORMS)) {
    for (const { flag } of form.flags) {
      const isForeign = own.every((each) => each.flag !== flag)
      if (isForeign && given.some((each) => each.flag === flag)) {
        throw new WrongUse(`--${flag} has no meaning here; write: outcomex ${use}`)
      }
    }
  }
}

type Asked = Pick<AdminLine, 'call' | 'fields' | 'table'>

function askedOf(given: readonly Given[], [first, ...rest]: readonly string[]): Asked {
  if (first === undefined)
    throw new WrongUse(`Write: outcomex ${ADMIN_USES.join('\n       outcomex ')}`)
  const method = first.toUpperCase()
  if (METHODS.includes(method)) {
    return { call: fullCall(method, rest, given), fields: {}, table: null }
  }
  const form = Object.hasOwn(FORMS, first) ? FORMS[first] : undefined
  if (form === undefined) {
    const near = nearest(first, [...Object.keys(FORMS), ...METHODS])
    const hint = near === undefined ? 'see --help' : `did you mean ${near}?`
    throw new WrongUse(`There is no admin command '${first}'; ${hint}`)
  }
  refuseForeignFlags(form.flags, given, form.use)
  if (rest.length !== form.words) throw new WrongUse(`Write: outcomex ${form.use}`)
  return { call: form.call(rest, given), fields: form.fields, table: form.table ?? null }
}

/** Reads the command line into a call; a wrong use throws a sentence. */
export function readAdminLine(args: readonly string[], env: Environment): AdminLine {
  const line = scanLine(args, ADMIN_ROWS)
  const given = [...scanEnvironment(env, ADMIN_ROWS), ...line.given]
  return {
    ...askedOf(given, line.words),
    isJson: readSetting(FLAGS.json, given),
    token: readSetting(SETTINGS.adminToken, given),
    url: readSetting(FLAGS.url, given),
    dataDir: readSetting(SETTINGS.data, given),
  }
}
