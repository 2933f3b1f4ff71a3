// The withdrawal addresses of a profile (rules §12.1).

import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { identity } from '../../auth/auth-scheme.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { address, isoTime, profileId } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { line, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse, refusedOr } from '../../messages/refusal.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import type { AccountServices } from './services.ts'

/** The empty body of a 204 reply. */
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
  about: "Adds an address to the caller's withdrawal list.",
  body: object({
    address: means(address(), 'Address to add; not the zero address.'),
    label: means(
      optional(line(LIMITS.withdrawalLabelCharactersMax)),
      'Label of the address; empty by default.',
    ),
  }),
  status: 201,
  reply: object({
    id: means(text(), 'Id of this list entry.'),
    profileId: means(profileId(), 'Id of the profile that owns the list.'),
    destinationAddress: means(address(), 'Address that withdrawals may go to.'),
    label: means(text(), 'Label of the address; empty for none.'),
    createdAt: means(isoTime(), 'When the address was added.'),
    deletedAt: means(nullable(isoTime()), 'When it was removed from the list; null while listed.'),
  }),
  means: 'The address is on the list.',
  links: {
    remove: {
      to: 'DELETE /portfolio/withdrawal-addresses/:address',
      about: 'Removes the address from the list.',
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
  about: 'Removes an address from the withdrawal list; the reply has no body.',
  params: { address: means(address(), 'Address to remove from the list.') },
  status: 204,
  reply: nothing(),
  means: 'The address is removed from the list.',
  rejects: ['OVERLOADED', 'WITHDRAWAL_ADDRESS_UNKNOWN'],
  example: { params: { address: ACCOUNT }, reply: null },
  handle: async ({ params, caller }, { accounts }: AccountServices) => {
    const refused = await accounts.removeWithdrawalAddress(caller.profileId, params.address)
    return refused === null ? null : refuse(refused)
  },
})
