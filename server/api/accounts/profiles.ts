// Profiles as seen and edited by their owners (rules §12.2).

import { effectiveFeeBps } from '../../../engine/core/accounts/accounts.ts'
import type { WithdrawalAddress } from '../../../engine/core/accounts/withdrawal-addresses.ts'
import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { type ShownProfile, shownName } from '../../../persistence/query/read/profiles.ts'
import { eitherOf, hmac, identity, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { formatAddress, isAddress, parseAddress, ZERO_ADDRESS } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import {
  address,
  biography,
  displayName,
  isoTime,
  profileId,
  username,
  webAddress,
} from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { line, means, nothing, nullable, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, type Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import type { OwnPlace } from '../boards/services.ts'
import { ACCOUNT, ORDER_ID, TRADER_EXAMPLE } from '../examples.ts'
import { type OwnReferrals, referralCodeOf } from '../referrals/referrals.ts'
import { profile } from '../shapes.ts'
import type { AccountServices } from './services.ts'

/** Fields for which this exchange has no source yet. See server/docs/api.md. */
const NOT_KEPT = {
  isCreator: false,
  isOnboarded: true,
  embeddedAccount: null,
  points: 0,
  accumulativePoints: 0,
  enrolledInPointsProgram: null,
  isCaptain: false,
} as const

const PROFILE_EXAMPLE = {
  ...TRADER_EXAMPLE,
  xHandle: null,
  hasTraded: true,
  tradeWalletOption: null,
  tradeWalletChoosen: false,
  mode: 'simple' as const,
  rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
  effectiveFeeRateBps: 300,
  createdAt: '2026-01-01T00:00:00.000Z',
  partner: null,
  referralCode: '1Y',
  referralData: [],
  referredUsersCount: 0,
  leaderboardPosition: 12,
  isTop100: true,
  ...NOT_KEPT,
}

/** The part of a profile that its owner does not set. */
interface Own extends OwnReferrals, OwnPlace {
  readonly partner: { readonly id: ProfileId; readonly displayName: string } | null
}

function profileView(owner: ShownProfile, own: Own) {
  const { tradeWalletOption } = owner
  return {
    id: owner.profileId,
    account: owner.account,
    username: owner.username,
    displayName: shownName(owner),
    bio: owner.bio,
    client: owner.client,
    pfpUrl: owner.pfpUrl,
    smartWallet: owner.smartWallet,
    socialUrl: owner.socialUrl,
    xHandle: owner.xHandle,
    hasTraded: owner.hasTraded,
    tradeWalletOption,
    tradeWalletChoosen: tradeWalletOption !== null,
    mode: owner.mode ?? ('simple' as const),
    rank: owner.rank,
    effectiveFeeRateBps: effectiveFeeBps(owner),
    createdAt: isoText(owner.createdMs),
    referralCode: referralCodeOf(owner.profileId),
    ...own,
    ...NOT_KEPT,
  }
}

type ProfileView = ReturnType<typeof profileView>

/** Undefined when the read times out. */
async function partnerOf(
  profileId: ProfileId,
  { partners, reads }: AccountServices,
): Promise<Own['partner'] | undefined> {
  const partnerId = await partners.partnerOf(profileId)
  const partner = partnerId === 0 ? null : await reads.profile(partnerId)
  return partner && { id: partnerId, displayName: shownName(partner) }
}

/** Undefined when the read times out. */
async function ownOf(profileId: ProfileId, services: AccountServices): Promise<Own | undefined> {
  const [referred, place, partner] = await Promise.all([
    services.referrals.own(profileId),
    services.boards.own(profileId),
    partnerOf(profileId, services),
  ])
  if (referred === undefined || place === undefined || partner === undefined) return undefined
  return { ...referred, ...place, partner }
}

/** Reads a profile that is at least as new as anything published when the call arrived. */
async function shown(
  profileId: ProfileId,
  services: AccountServices,
): Promise<ProfileView | Refusal> {
  const owner = await services.reads.profile(profileId)
  if (owner === null) return refuse('PROFILE_NOT_FOUND')
  const own = await ownOf(profileId, services)
  if (owner === undefined || own === undefined) return refuse('READ_TIMEOUT')
  return profileView(owner, own)
}

const walletChoice = () =>
  means(
    optional(nullable(oneOf('eoa', 'smartWallet'))),
    'Wallet to use for orders: the account or its proven smart wallet.',
  )

type Edit = Parameters<AccountServices['accounts']['editProfile']>[1]

/** Absent fields stay. */
async function edited(profileId: ProfileId, edit: Edit, services: AccountServices) {
  const { accounts, reads } = services
  // Read before the edit, so a caller that gets a 503 knows that nothing changed.
  const own = await ownOf(profileId, services)
  if (own === undefined) return refuse('READ_TIMEOUT')
  const wanted = { ...edit, displayName: edit.displayName?.trim() }
  return refusedOr(await accounts.editProfile(profileId, wanted, reads), (owner) =>
    profileView(owner, own),
  )
}

export const ownProfile = route({
  method: 'GET',
  path: '/profiles/me',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: "Returns the caller's private profile with the fee rate to sign.",
  reply: profile(),
  means: 'The current profile of the caller.',
  rejects: ['PROFILE_NOT_FOUND', 'READ_TIMEOUT'],
  example: { reply: PROFILE_EXAMPLE },
  handle: ({ caller }, services: AccountServices) => shown(caller.profileId, services),
})

export const editOwnProfile = route({
  method: 'PATCH',
  path: '/profiles/me',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'auth',
  about: "Edits the caller's profile; absent fields stay, null clears a field.",
  body: object({
    username: means(
      optional(nullable(username())),
      'Unique name; it is trimmed and starts with a letter.',
    ),
    displayName: optional(displayName()),
    bio: means(
      optional(nullable(biography())),
      `Text about the owner, at most ${LIMITS.bioCharactersMax} characters.`,
    ),
    pfpUrl: means(optional(nullable(webAddress())), 'https link to the picture of the profile.'),
    socialUrl: means(optional(nullable(webAddress())), 'https link to a page of the owner.'),
    mode: means(optional(oneOf('simple', 'advanced')), 'Layout of the trading page.'),
    tradeWalletOption: walletChoice(),
  }),
  reply: profile(),
  means: 'The edit is durable; the reply shows the edited profile.',
  rejects: [
    'OVERLOADED',
    'PROFILE_NOT_FOUND',
    'USERNAME_TAKEN',
    'SMART_WALLET_REQUIRED',
    'READ_TIMEOUT',
  ],
  example: {
    body: { username: 'rainmaker', bio: 'I trade the weather.' },
    reply: {
      ...PROFILE_EXAMPLE,
      username: 'rainmaker',
      displayName: 'rainmaker',
      bio: 'I trade the weather.',
    },
  },
  handle: ({ body, caller }, services: AccountServices) => {
    const username = body.username?.trim() ?? body.username
    return edited(caller.profileId, { ...body, username }, services)
  },
})

export const putOwnProfile = route({
  method: 'PUT',
  path: '/profiles',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'auth',
  about: "Edits two fields of the caller's profile; command lines in other languages use it.",
  body: object({ tradeWalletOption: walletChoice(), displayName: optional(displayName()) }),
  reply: profile(),
  means: 'The edit is durable; the reply shows the edited profile.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'SMART_WALLET_REQUIRED', 'READ_TIMEOUT'],
  example: {
    body: { tradeWalletOption: 'eoa' },
    reply: { ...PROFILE_EXAMPLE, tradeWalletOption: 'eoa', tradeWalletChoosen: true },
  },
  handle: ({ body, caller }, services: AccountServices) => edited(caller.profileId, body, services),
})

export const profileByAccount = route({
  method: 'GET',
  path: '/profiles/:account',
  auth: eitherOf(hmac(), sessionOrIdentity()),
  rateClass: 'private',
  about: 'Returns the private profile of an account to its owner.',
  params: {
    account: means(address(), 'Address of the account, which must be that of the caller.'),
  },
  reply: profile(),
  means: 'The current profile of the account.',
  rejects: ['PROFILE_NOT_FOUND', 'FORBIDDEN', 'READ_TIMEOUT'],
  example: { params: { account: ACCOUNT }, reply: PROFILE_EXAMPLE },
  handle: async ({ params, caller }, services: AccountServices) => {
    if (!isAddress(params.account)) {
      return invalid({ field: 'account', message: WRONG_CHECKSUM })
    }
    const { pipeline } = services
    const owner = pipeline.clearing.accounts.byAddress(params.account)
    if (owner?.profileId === caller.profileId) return shown(owner.profileId, services)
    await pipeline.durable()
    return refuse(owner === undefined ? 'PROFILE_NOT_FOUND' : 'FORBIDDEN')
  },
})

// The withdrawal addresses of a profile (rules §12.1).

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
