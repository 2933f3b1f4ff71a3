// Profile fields shared by replies to the owner, a partner or an operator.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { scope } from '../../edge/http/schema/profile-fields.ts'
import { integer, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list } from '../../edge/http/schema/schema.ts'

export function nameToShow() {
  return means(text(), 'Name to show: the display name, else the username, else the account.')
}

export function profileSince() {
  return means(isoTime(), 'When the profile was created.')
}

export function feeCapBps() {
  return means(
    nullable(integer(0, LIMITS.feeBpsMax)),
    'Maximum fee rate of the profile in basis points, whatever its rank; null for no cap.',
  )
}

export function effectiveFeeRateBps() {
  return means(
    nullable(integer(0, LIMITS.feeBpsMax)),
    'Fee rate to sign in basis points: the lower of rank and cap. Null without a rank: the ' +
      'profile cannot place orders in markets with fees.',
  )
}

export function scopes() {
  return means(list(scope()), 'Scopes of the API token; each one allows one kind of call.')
}

export function allowedScopes() {
  return means(list(scope()), 'Scopes that the profile may give its API tokens.')
}

export const tradeWalletOption = () =>
  means(
    nullable(oneOf('eoa', 'smartWallet')),
    'Wallet that the owner uses for orders: account or smart wallet; null if not chosen.',
  )
