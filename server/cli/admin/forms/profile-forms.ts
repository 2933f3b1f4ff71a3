import { LIMITS } from '../../../../engine/domain/limits.ts'
import { type Kind, readSetting } from '../../../settings/flags.ts'
import { address, commaList, count, optional, words } from '../../../settings/kinds.ts'
import { bare, type Form, filled, flagNames, own, patch, post, wordAs } from '../admin-form.ts'
import { amount, PROFILE_ID } from '../admin-kinds.ts'
import { listOf } from './list-forms.ts'

// The forms of `outcomex admin` for profiles and their collateral.

const scopes = commaList('A,B', /^[a-z_]+$/, 'scopes like trading,withdrawal')

/** A value, or `none` to take it back. */
function orNone<T>(kind: Kind<T>): Kind<T | null> {
  return {
    shape: `${kind.shape}|none`,
    wants: `${kind.wants}, or none`,
    read: (text) => (text === 'none' ? null : kind.read(text)),
  }
}

const yesNo: Kind<boolean> = {
  shape: 'yes|no',
  wants: 'yes or no',
  read: (text) => (text === 'yes' ? true : text === 'no' ? false : undefined),
}

const SCOPES = own(
  'scopes',
  optional(scopes),
  undefined,
  'profile: also make an API token with these scopes; edit-profile: what its tokens may have.',
)
const NAMED = {
  username: own(
    'username',
    optional(orNone(words('NAME', 'a name'))),
    undefined,
    'profile, edit-profile: its public name.',
  ),
  rank: own(
    'rank',
    optional(orNone(words('RANK', 'a rank like bronze'))),
    undefined,
    'profile, edit-profile: its rank.',
  ),
  feeCapBps: own(
    'fee-cap-bps',
    optional(orNone(count(0, LIMITS.feeBpsMax))),
    undefined,
    'profile, edit-profile: its highest fee rate in basis points.',
  ),
} as const
const EDITED = {
  ...NAMED,
  displayName: own(
    'display-name',
    optional(words('NAME', 'a name')),
    undefined,
    'edit-profile: the name to show.',
  ),
  scopes: SCOPES,
  isMachine: own(
    'machine',
    optional(yesNo),
    undefined,
    'edit-profile: whether a program has it; the social list leaves programs out.',
  ),
  smartWallet: own('smart-wallet', optional(address), undefined, 'edit-profile: its smart wallet.'),
} as const

function profilePath(id: string): string {
  return `/admin/profiles/${wordAs(PROFILE_ID, id)}`
}

/** The form that adds the amount (credit) or subtracts it (debit). */
function adjusting(what: 'credit' | 'debit'): Form {
  return {
    use: `admin ${what} PROFILE_ID AMOUNT`,
    flags: [],
    words: 2,
    fields: { profileId: 'PROFILE_ID', collateralRaw: 'AMOUNT' },
    call([id, units]) {
      const profileId = wordAs(PROFILE_ID, id)
      const amountRaw = wordAs(amount, units)
      const collateralRaw = what === 'credit' ? amountRaw : -amountRaw
      return post('/admin/balances', { profileId, collateralRaw })
    },
  }
}

function showing(use: 'show-profile' | 'balance', pathOf: (id: string) => string): Form {
  return {
    use: `admin ${use} PROFILE_ID`,
    flags: [],
    words: 1,
    fields: { profileId: 'PROFILE_ID' },
    call: ([id]) => bare('GET', pathOf(id)),
  }
}

export const PROFILE_FORMS: Readonly<Record<string, Form>> = {
  profile: {
    use: 'admin profile ADDRESS [--scopes trading,...] [--rank bronze] [--username NAME]',
    flags: [SCOPES, ...Object.values(NAMED)],
    words: 1,
    fields: { account: 'ADDRESS', 'apiToken.scopes': '--scopes', ...flagNames(NAMED) },
    call([account], given) {
      const requested = readSetting(SCOPES, given)
      return post('/admin/profiles', {
        account: wordAs(address, account),
        ...filled(NAMED, given),
        ...(requested === undefined ? {} : { apiToken: { scopes: requested } }),
      })
    },
  },
  'edit-profile': {
    use: 'admin edit-profile PROFILE_ID [--rank RANK|none] [--fee-cap-bps N|none] [FLAGS]',
    flags: Object.values(EDITED),
    words: 1,
    fields: { profileId: 'PROFILE_ID', ...flagNames(EDITED) },
    call: ([id], given) => patch(profilePath(id), filled(EDITED, given)),
  },
  'show-profile': showing('show-profile', profilePath),
  profiles: listOf('profiles'),
  credit: adjusting('credit'),
  debit: adjusting('debit'),
  balance: showing('balance', (id) => `/admin/balances/${wordAs(PROFILE_ID, id)}`),
  balances: listOf('balances'),
}
