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
import { onOff, optional, words } from '../../settings/kinds.ts'
import { nearest } from '../../settings/nearest.ts'
import { type AdminCall, type Form, own } from './admin-form.ts'
import { SOLVENCY_FORMS } from './forms/list-forms.ts'
import { MARKET_FORMS } from './forms/market-forms.ts'
import { OPERATOR_FORMS } from './forms/operator-forms.ts'
import { PACK_FORMS } from './forms/pack-forms.ts'
import { PAGE_FORMS } from './forms/page-forms.ts'
import { POOL_FORMS } from './forms/pool-forms.ts'
import { PROFILE_FORMS } from './forms/profile-forms.ts'
import { REWARD_FORMS } from './forms/reward-forms.ts'
import { SERIES_FORMS } from './forms/series-forms.ts'
import { SPORT_FORMS } from './forms/sport-forms.ts'
import { TRADING_FORMS } from './forms/trading-forms.ts'

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

const FLAGS = {
  url: own(
    'url',
    optional(words('URL', 'the address of the server')),
    undefined,
    'Address of the server; else the one in demo.json, else http://127.0.0.1:3000.',
  ),
  json: own('json', onOff, false, 'Print one line of JSON, not a table or a text.'),
} as const

const FORMS: Readonly<Record<string, Form>> = {
  ...MARKET_FORMS,
  ...POOL_FORMS,
  ...REWARD_FORMS,
  ...PACK_FORMS,
  ...SERIES_FORMS,
  ...SPORT_FORMS,
  ...PROFILE_FORMS,
  ...TRADING_FORMS,
  ...OPERATOR_FORMS,
  ...PAGE_FORMS,
  ...SOLVENCY_FORMS,
}

/** Each flag once, though several forms may take it. */
const FORM_FLAGS = new Map(
  Object.values(FORMS).flatMap(({ flags }) => flags.map((row) => [row.flag, row] as const)),
)

export const ADMIN_ROWS: readonly Setting<unknown>[] = [
  ...Object.values(FLAGS),
  ...FORM_FLAGS.values(),
  SETTINGS.adminToken,
  SETTINGS.data,
]

/** What may follow `admin`. */
export const ADMIN_WORDS = [...Object.keys(FORMS), ...METHODS]

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

type Requested = Pick<AdminLine, 'call' | 'fields' | 'table'>

function requestedOf(given: readonly Given[], [first, ...rest]: readonly string[]): Requested {
  if (first === undefined)
    throw new WrongUse(`Write: outcomex ${ADMIN_USES.join('\n       outcomex ')}`)
  const method = first.toUpperCase()
  if (METHODS.includes(method)) {
    return { call: fullCall(method, rest, given), fields: {}, table: null }
  }
  const form = Object.hasOwn(FORMS, first) ? FORMS[first] : undefined
  if (form === undefined) {
    const near = nearest(first, ADMIN_WORDS)
    const hint = near === undefined ? 'see --help' : `did you mean ${near}?`
    throw new WrongUse(`There is no admin command '${first}'; ${hint}`)
  }
  refuseForeignFlags(form.flags, given, form.use)
  const isWhole = form.more === true ? rest.length >= form.words : rest.length === form.words
  if (!isWhole) throw new WrongUse(`Write: outcomex ${form.use}`)
  return { call: form.call(rest, given), fields: form.fields, table: form.table ?? null }
}

/** Reads the command line into a call; a wrong use throws a sentence. */
export function readAdminLine(args: readonly string[], env: Environment): AdminLine {
  const line = scanLine(args, ADMIN_ROWS)
  const given = [...scanEnvironment(env, ADMIN_ROWS, line.given), ...line.given]
  return {
    ...requestedOf(given, line.words),
    isJson: readSetting(FLAGS.json, given),
    token: readSetting(SETTINGS.adminToken, given),
    url: readSetting(FLAGS.url, given),
    dataDir: readSetting(SETTINGS.data, given),
  }
}
