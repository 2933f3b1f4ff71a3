import { SETTINGS } from '../config.ts'
import { parseUnits } from './decimals.ts'
import {
  type Environment,
  type Given,
  readSetting,
  type Setting,
  scanEnvironment,
  scanLine,
  WrongUse,
} from './flags.ts'
import { address, commaList, count, oneOf, onOff, optional, words } from './kinds.ts'
import { nearest } from './nearest.ts'

// The words of `outcomex admin`: one call of the admin API, in full or in one of five short forms.

export interface AdminCall {
  readonly method: string
  readonly path: string
  /** JSON text, '' for none. */
  readonly body: string
}

export interface AdminLine {
  readonly call: AdminCall
  readonly token: string | undefined
  readonly url: string | undefined
  readonly dataDir: string
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PROFILE_ID_MAX = Number.MAX_SAFE_INTEGER

function own<T>(flag: string, kind: Setting<T>['kind'], fallback: T, help: string): Setting<T> {
  return { flag, kind, fallback, help }
}

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
} as const

export const ADMIN_ROWS = [...Object.values(FLAGS), SETTINGS.adminToken, SETTINGS.data]

interface Form {
  /** As shown when its words are wrong. */
  readonly use: string
  /** Flags that belong to this form alone. */
  readonly flags: readonly Setting<unknown>[]
  readonly words: number
  readonly call: (words: readonly string[], given: readonly Given[]) => AdminCall
}

function post(path: string, body: Readonly<Record<string, unknown>>): AdminCall {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

function wordAs<T>(kind: { wants: string; read(text: string): T | undefined }, text: string): T {
  const value = kind.read(text)
  if (value === undefined) throw new WrongUse(`'${text}' must be ${kind.wants}`)
  return value
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
  market: {
    use: 'admin market SLUG "Title" [--fee]',
    flags: [FLAGS.fee],
    words: 2,
    call([slug, title], given) {
      const fee = readSetting(FLAGS.fee, given)
      return post('/admin/markets', { kind: 'clob', slug, title, ...(fee ? { fee } : {}) })
    },
  },
  profile: {
    use: 'admin profile ADDRESS [--scopes trading,...] [--rank bronze] [--username NAME]',
    flags: [FLAGS.scopes, FLAGS.rank, FLAGS.username],
    words: 1,
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
  credit: {
    use: 'admin credit PROFILE_ID AMOUNT',
    flags: [],
    words: 2,
    call([id, units]) {
      const profileId = wordAs(count(1, PROFILE_ID_MAX), id)
      return post('/admin/balances', { profileId, collateralRaw: wordAs(amount, units) })
    },
  },
  resolve: {
    use: 'admin resolve SLUG yes|no|split',
    flags: [],
    words: 2,
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
    // Sent as it was written: a number past 2^53 must reach the server's own check.
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

function callOf(given: readonly Given[], [first, ...rest]: readonly string[]): AdminCall {
  if (first === undefined)
    throw new WrongUse(`Write: outcomex ${ADMIN_USES.join('\n       outcomex ')}`)
  const method = first.toUpperCase()
  if (METHODS.includes(method)) return fullCall(method, rest, given)
  const form = Object.hasOwn(FORMS, first) ? FORMS[first] : undefined
  if (form === undefined) {
    const near = nearest(first, [...Object.keys(FORMS), ...METHODS])
    const hint = near === undefined ? 'see --help' : `did you mean ${near}?`
    throw new WrongUse(`There is no admin command '${first}'; ${hint}`)
  }
  refuseForeignFlags(form.flags, given, form.use)
  if (rest.length !== form.words) throw new WrongUse(`Write: outcomex ${form.use}`)
  return form.call(rest, given)
}

/** What the command line asks for; a wrong use throws a sentence. */
export function readAdminLine(args: readonly string[], env: Environment): AdminLine {
  const line = scanLine(args, ADMIN_ROWS)
  const given = [...scanEnvironment(env, ADMIN_ROWS), ...line.given]
  return {
    call: callOf(given, line.words),
    token: readSetting(SETTINGS.adminToken, given),
    url: readSetting(FLAGS.url, given),
    dataDir: readSetting(SETTINGS.data, given),
  }
}
