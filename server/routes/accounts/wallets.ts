// Where money may go (api-spec "Portfolio", domain §12.1).

import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Reject } from '../../../engine/domain/reject.ts'
import { formatAddress, parseAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { identity } from '../../http/auth-scheme.ts'
import { invalid, refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { address, isoTime, profileId } from '../../http/schema/fields.ts'
import { nullable, text } from '../../http/schema/scalars.ts'
import { object, optional, schemaOf } from '../../http/schema/schema.ts'
import { ACCOUNT, ORDER_ID } from '../examples.ts'
import type { Services } from '../services.ts'

const iso = (ms: number) => new Date(ms).toISOString()

/** The body of a reply that says all by its status, 204. */
const nothing = () => schemaOf<null>({ type: 'null' })

function viewOf(added: WithdrawalAddress) {
  return {
    id: added.addressId,
    profileId: added.profileId,
    destinationAddress: added.address,
    label: added.label,
    createdAt: iso(added.createdMs),
    deletedAt: null,
  }
}

export const addWithdrawalAddress = route({
  method: 'POST',
  path: '/portfolio/withdrawal-addresses',
  auth: identity(),
  lane: 'auth',
  about: "Lists an address to which the caller's money may be withdrawn.",
  body: object({
    address: address(),
    label: optional(text(LIMITS.withdrawalLabelCharactersMax)),
  }),
  status: 201,
  reply: object({
    id: text(),
    profileId: profileId(),
    destinationAddress: address(),
    label: text(),
    createdAt: isoTime(),
    deletedAt: nullable(isoTime()),
  }),
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
  handle: async ({ body, caller }, { accounts }: Services) => {
    const bytes = parseAddress(body.address)
    if (bytes === undefined) {
      return invalid({ field: 'address', message: 'has a wrong EIP-55 checksum' })
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
    return added instanceof Reject ? refuse(added) : viewOf(added)
  },
})

export const removeWithdrawalAddress = route({
  method: 'DELETE',
  path: '/portfolio/withdrawal-addresses/:address',
  auth: identity(),
  lane: 'auth',
  about: 'Takes an address off that list; the reply has no body.',
  params: { address: address() },
  status: 204,
  reply: nothing(),
  rejects: ['OVERLOADED', 'WITHDRAWAL_ADDRESS_UNKNOWN'],
  example: { params: { address: ACCOUNT }, reply: null },
  handle: async ({ params, caller }, { accounts }: Services) => {
    const refused = await accounts.removeWithdrawalAddress(caller.profileId, params.address)
    return refused === null ? null : refuse(refused)
  },
})
