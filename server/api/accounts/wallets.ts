// The addresses that withdrawals may go to (rules §12.1).

import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { identity } from '../../auth/auth-scheme.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { address, isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { nullable, text } from '../../edge/http/schema/scalars.ts'
import { object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { line } from '../../edge/http/schema/visible-text.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse, refusedOr } from '../../messages/refusal.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import type { AccountServices } from './services.ts'

/** The empty body of a reply whose status, 204, says all. */
const nothing = () => schemaOf<null>({ type: 'null' })

function viewOf(added: WithdrawalAddress) {
  return {
    id: added.addressId,
    profileId: added.profileId,
    destinationAddress: added.address,
    label: added.label,
    createdAt: isoText(added.createdMs),
    deletedAt: null,
  }
}

export const addWithdrawalAddress = route({
  method: 'POST',
  path: '/portfolio/withdrawal-addresses',
  auth: identity(),
  rateClass: 'auth',
  about: "Lists an address to which the caller's money may be withdrawn.",
  body: object({
    address: means(address(), 'Address to list; not the zero address.'),
    label: means(
      optional(line(LIMITS.withdrawalLabelCharactersMax)),
      'Name of the address for its owner; empty when absent.',
    ),
  }),
  status: 201,
  reply: object({
    id: means(text(), 'Id of this entry of the list.'),
    profileId: means(profileId(), 'Number of the profile whose list it is.'),
    destinationAddress: means(address(), 'Address that withdrawals may go to.'),
    label: means(text(), 'Name that its owner gave the address; empty for none.'),
    createdAt: means(isoTime(), 'When the address was listed.'),
    deletedAt: means(nullable(isoTime()), 'When it was taken off the list; null while listed.'),
  }),
  means: 'The address is on the list.',
  links: {
    remove: {
      to: 'DELETE /portfolio/withdrawal-addresses/:address',
      about: 'Takes the address off the list.',
      params: { address: '/destinationAddress' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'PROFILE_FROZEN',
    'WITHDRAWAL_ADDRESS_LISTED',
    'WITHDRAWAL_ADDRESS_LIMIT',
  ],
  example: {
    body: { address: ACCOUNT, label: 'Cold storage' },
    reply: viewOf({
      addressId: ORDER_ID,
      profileId: 1,
      address: ACCOUNT,
      label: 'Cold storage',
      createdMs: Date.UTC(2026, 0, 1),
    }),
  },
  handle: async ({ body, caller }, { accounts }: AccountServices) => {
    const bytes = parseAddress(body.address)
    if (bytes === undefined) {
      return invalid({ field: 'address', message: WRONG_CHECKSUM })
    }
    const destination = formatAddress(bytes)
    if (destination === ZERO_ADDRESS) {
      return invalid({ field: 'address', message: 'must not be the zero address' })
    }
    const added = await accounts.addWithdrawalAddress(
      caller.profileId,
      destination,
      body.label ?? '',
    )
    return refusedOr(added, viewOf)
  },
})

export const removeWithdrawalAddress = route({
  method: 'DELETE',
  path: '/portfolio/withdrawal-addresses/:address',
  auth: identity(),
  rateClass: 'auth',
  about: 'Takes an address off the withdrawal list; the reply has no body.',
  params: { address: means(address(), 'Address to take off the list.') },
  status: 204,
  reply: nothing(),
  means: 'The address is off the list.',
  rejects: ['OVERLOADED', 'WITHDRAWAL_ADDRESS_UNKNOWN'],
  example: { params: { address: ACCOUNT }, reply: null },
  handle: async ({ params, caller }, { accounts }: AccountServices) => {
    const refused = await accounts.removeWithdrawalAddress(caller.profileId, params.address)
    return refused === null ? null : refuse(refused)
  },
})
