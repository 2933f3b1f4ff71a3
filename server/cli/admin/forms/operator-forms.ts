import { LIMITS } from '../../../../engine/domain/limits.ts'
import { ROLES } from '../../../../engine/domain/operator.ts'
import { readSetting, WrongUse } from '../../../settings/flags.ts'
import { count, oneOf, optional, words } from '../../../settings/kinds.ts'
import { type AdminCall, bare, type Form, own, post, wordAs } from '../admin-form.ts'

// The forms of `outcomex admin` that freeze profiles or revoke their proofs, and those for
// operators.

const PROFILE_ID = count(1, Number.MAX_SAFE_INTEGER)

const OPERATOR_FLAGS = {
  reason: own(
    'reason',
    optional(words('TEXT', 'a text')),
    undefined,
    'freeze, unfreeze: the reason, for the audit.',
  ),
  role: own('role', optional(oneOf(...ROLES)), undefined, 'operator add: its role.'),
  operator: own(
    'operator',
    optional(words('NAME', 'the name of an operator')),
    undefined,
    'audit: only acts of this operator.',
  ),
  before: own(
    'before',
    optional(count(1, Number.MAX_SAFE_INTEGER)),
    undefined,
    'audit: only acts before this seq.',
  ),
  limit: own(
    'limit',
    optional(count(1, LIMITS.auditLimitMax)),
    undefined,
    'lists, audit: greatest number of rows; lists have 50 without it.',
  ),
} as const

/** The path of a call about one profile; checks the id. */
function ofProfile(id: string, rest: string): string {
  return `/admin/profiles/${wordAs(PROFILE_ID, id)}/${rest}`
}

function freezing(act: 'freeze' | 'unfreeze'): Form {
  return {
    use: `admin ${act} PROFILE_ID [--reason TEXT]`,
    flags: [OPERATOR_FLAGS.reason],
    words: 1,
    fields: { profileId: 'PROFILE_ID', reason: '--reason' },
    call([id], given) {
      const reason = readSetting(OPERATOR_FLAGS.reason, given)
      return post(ofProfile(id, act), reason === undefined ? {} : { reason })
    },
  }
}

function revoking(what: 'tokens' | 'sessions'): Form {
  return {
    use: `admin revoke-${what} PROFILE_ID`,
    flags: [],
    words: 1,
    fields: { profileId: 'PROFILE_ID' },
    call: ([id]) => bare('DELETE', ofProfile(id, what)),
  }
}

function operatorCall(act: string, name: string, role: string | undefined): AdminCall {
  if (act === 'remove') return bare('DELETE', `/admin/operators/${encodeURIComponent(name)}`)
  if (act !== 'add') throw new WrongUse(`'${act}' must be add or remove`)
  if (role === undefined) throw new WrongUse(`Say what ${name} may do: --role ${ROLES.join('|')}`)
  return post('/admin/operators', { name, role })
}

export const OPERATOR_FORMS: Readonly<Record<string, Form>> = {
  freeze: freezing('freeze'),
  unfreeze: freezing('unfreeze'),
  'revoke-tokens': revoking('tokens'),
  'revoke-sessions': revoking('sessions'),
  'revoke-token': {
    use: 'admin revoke-token PROFILE_ID TOKEN_ID',
    flags: [],
    words: 2,
    fields: { profileId: 'PROFILE_ID', tokenId: 'TOKEN_ID' },
    call: ([id, tokenId]) => bare('DELETE', ofProfile(id, `tokens/${encodeURIComponent(tokenId)}`)),
  },
  operator: {
    use: `admin operator add|remove NAME [--role ${ROLES.join('|')}]`,
    flags: [OPERATOR_FLAGS.role],
    words: 2,
    fields: { name: 'NAME', role: '--role' },
    call: ([act, name], given) => operatorCall(act, name, readSetting(OPERATOR_FLAGS.role, given)),
  },
  operators: {
    use: 'admin operators',
    flags: [],
    words: 0,
    fields: {},
    call: () => bare('GET', '/admin/operators'),
  },
  audit: {
    use: 'admin audit [--operator NAME] [--before SEQ] [--limit N]',
    flags: [OPERATOR_FLAGS.operator, OPERATOR_FLAGS.before, OPERATOR_FLAGS.limit],
    words: 0,
    fields: { operator: '--operator', before: '--before', limit: '--limit' },
    call(_words, given) {
      const query = new URLSearchParams()
      for (const flag of ['operator', 'before', 'limit'] as const) {
        const value = readSetting<string | number | undefined>(OPERATOR_FLAGS[flag], given)
        if (value !== undefined) query.set(flag, String(value))
      }
      return bare('GET', query.size === 0 ? '/admin/audit' : `/admin/audit?${query}`)
    },
  },
}
