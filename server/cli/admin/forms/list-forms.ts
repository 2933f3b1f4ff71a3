import { LIMITS } from '../../../../engine/domain/limits.ts'
import { readSetting } from '../../../settings/flags.ts'
import { count } from '../../../settings/kinds.ts'
import { bare, type Form, own, post } from '../admin-form.ts'

// The forms of `outcomex admin` for lists that are read page by page.

const LIST_FLAGS = {
  after: own('after', count(0, Number.MAX_SAFE_INTEGER), 0, 'lists: start after this id.'),
  limit: own('limit', count(1, LIMITS.adminListLimitMax), 50, 'lists: greatest number of rows.'),
} as const

/** The form for a page of a list. */
export function listOf(what: 'profiles' | 'balances' | 'markets' | 'solvency'): Form {
  return {
    use: `admin ${what} [--after ID] [--limit N]`,
    flags: Object.values(LIST_FLAGS),
    words: 0,
    fields: { after: '--after', limit: '--limit' },
    table: what,
    call(_words, given) {
      const after = readSetting(LIST_FLAGS.after, given)
      const limit = readSetting(LIST_FLAGS.limit, given)
      return bare('GET', `/admin/${what}?after=${after}&limit=${limit}`)
    },
  }
}

/** Tokens by rising market, and the form that counts them again. */
export const SOLVENCY_FORMS: Readonly<Record<string, Form>> = {
  solvency: { ...listOf('solvency'), table: 'tokens' },
  'count-solvency': {
    ...{ use: 'admin count-solvency', flags: [], words: 0, fields: {} },
    call: () => post('/admin/solvency', {}),
  },
}

/** The form for a list that is short: all of it is shown. */
export function wholeList(name: string, path: string, table?: string): Form {
  const shown = table === undefined ? {} : { table }
  return {
    ...{ use: `admin ${name}`, flags: [], words: 0, fields: {}, ...shown },
    call: () => bare('GET', path),
  }
}
