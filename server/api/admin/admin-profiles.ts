// The operator's view of profiles: ranks, caps, names and the capabilities of partners (design §7).

import { effectiveFeeBps } from '../../../engine/core/accounts/accounts.ts'
import type { FrozenProfile } from '../../../engine/core/accounts/frozen.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { mayAct } from '../../../engine/domain/operator.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { type ShownProfile, shownName } from '../../../persistence/query/read/profiles.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  address,
  displayName,
  isoTime,
  profileId,
  scope,
  shownUsername,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import { boolean, integer, line, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, Refusal, refuse, roleMissing } from '../../messages/refusal.ts'
import {
  allowedScopes,
  effectiveFeeRateBps,
  feeCapBps,
  nameToShow,
  profileSince,
  rankOf,
  roleForFields,
} from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'
import type { RewardFunds } from '../portfolio/rewards.ts'
import { rank, smartWalletOf } from '../shapes.ts'
import { type AdminServices, givenUsername, rankRequest } from './services.ts'

const managedProfile = () =>
  object({
    profileId: profileId(),
    account: account(),
    username: shownUsername(),
    displayName: nameToShow(),
    rank: rank(),
    feeCapBps: feeCapBps(),
    effectiveFeeRateBps: effectiveFeeRateBps(),
    scopes: allowedScopes(),
    isMachine: means(boolean(), 'True for a program; GET /profiles/social omits it.'),
    createdAt: profileSince(),
    frozenAt: means(nullable(isoTime()), 'When the profile was frozen; null when it is not.'),
    frozenReason: means(nullable(text()), 'Why the profile is frozen; null when it is not.'),
  })

function managedView(profile: ShownProfile, frozen: FrozenProfile | undefined) {
  return {
    profileId: profile.profileId,
    account: profile.account,
    username: profile.username,
    displayName: shownName(profile),
    rank: profile.rank,
    feeCapBps: profile.feeCapBps,
    effectiveFeeRateBps: effectiveFeeBps(profile),
    scopes: profile.scopes,
    isMachine: profile.isMachine,
    createdAt: isoText(profile.createdMs),
    frozenAt: frozen === undefined ? null : isoText(frozen.sinceMs),
    frozenReason: frozen?.reason ?? null,
  }
}

const EXAMPLE = {
  profileId: 1,
  account: ACCOUNT,
  username: 'rainmaker',
  displayName: 'rainmaker',
  rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
  feeCapBps: 250,
  effectiveFeeRateBps: 250,
  scopes: ['trading', 'account_creation'] as const,
  isMachine: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  frozenAt: null,
  frozenReason: null,
}

export const managedProfileById = route({
  method: 'GET',
  path: '/admin/profiles/:profileId',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the rank, cap, name and capabilities of one profile, and whether it is frozen.',
  params: { profileId: profileId() },
  reply: managedProfile(),
  means: 'The current profile.',
  rejects: ['PROFILE_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { profileId: 1 }, reply: EXAMPLE },
  handle: async ({ params }, { pipeline, reads }: AdminServices) => {
    const held = pipeline.clearing.frozen.of(params.profileId)
    const profile = await reads.profile(params.profileId)
    if (profile === undefined) return refuse('READ_TIMEOUT')
    return profile === null ? refuse('PROFILE_NOT_FOUND') : managedView(profile, held)
  },
})

export const editManagedProfile = route({
  method: 'PATCH',
  path: '/admin/profiles/:profileId',
  auth: admin('support'),
  rateClass: 'admin',
  about:
    'Edits one profile; rank, cap and capabilities need role money. Capabilities limit the ' +
    'tokens created from then on, not existing tokens.',
  params: { profileId: profileId() },
  body: object({
    username: givenUsername(),
    displayName: optional(displayName()),
    rank: rankRequest(),
    feeCapBps: optional(feeCapBps()),
    scopes: means(
      optional(list(scope(), 0, 4)),
      'Scopes that the profile may give its new tokens.',
    ),
    isMachine: means(
      optional(boolean()),
      'True for the profile of a program: GET /profiles/social omits it, and boards count it ' +
        'as many counterparties.',
    ),
    smartWallet: means(optional(address()), 'Smart wallet of the profile; not the zero address.'),
  }),
  reply: managedProfile(),
  means: 'The edit is durable; the reply shows the edited profile.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'PROFILE_NOT_FOUND',
    'USERNAME_TAKEN',
    'WALLET_IN_USE',
    'READ_TIMEOUT',
  ],
  example: {
    params: { profileId: 1 },
    body: { feeCapBps: 250, scopes: ['trading', 'account_creation'] },
    reply: EXAMPLE,
  },
  handle: async (
    { params, body, caller: { operator } },
    { accounts, pipeline, reads }: AdminServices,
  ) => {
    const needed = roleForFields(body)
    if (!mayAct(operator.role, needed)) return roleMissing(needed, operator)
    const wallet = body.smartWallet === undefined ? undefined : smartWalletOf(body.smartWallet)
    if (wallet instanceof Refusal) return wallet
    const { rank } = body
    const wanted = {
      ...body,
      smartWallet: wallet,
      rank: typeof rank === 'string' || typeof rank === 'number' ? rankOf(rank) : rank,
      displayName: body.displayName?.trim(),
      scopes: body.scopes === undefined ? undefined : [...new Set(body.scopes)],
    }
    // Read before the wait: the edit follows this state, so this state is durable with it.
    const held = pipeline.clearing.frozen.of(params.profileId)
    const edited = await accounts.editProfile(params.profileId, wanted, reads, operator.name)
    return edited instanceof Reject ? refuse(edited) : managedView(edited, held)
  },
})

const FROZEN = { ...EXAMPLE, frozenAt: '2026-01-02T00:00:00.000Z', frozenReason: 'Stolen key.' }
const why = () =>
  object({
    reason: means(
      optional(line(LIMITS.freezeReasonCharactersMax)),
      'Reason, for the audit log; empty when absent.',
    ),
  })

export const freezeProfile = route({
  method: 'POST',
  path: '/admin/profiles/:profileId/freeze',
  auth: admin('support'),
  rateClass: 'admin',
  about:
    'Cancels all orders of a profile and blocks its trades and withdrawals from then on. ' +
    'The profile may still cancel and read.',
  params: { profileId: profileId() },
  body: why(),
  reply: managedProfile(),
  means: 'The profile is frozen, and its orders are canceled.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'FROZEN_LIMIT', 'READ_TIMEOUT'],
  example: { params: { profileId: 1 }, body: { reason: 'Stolen key.' }, reply: FROZEN },
  handle: async ({ params, body, caller }, { operators, reads }: AdminServices) => {
    // Read before the freeze, so a caller that gets a 503 knows that nothing changed.
    const profile = await reads.profile(params.profileId)
    if (profile === undefined) return refuse('READ_TIMEOUT')
    const { reason = '' } = body
    const frozen = await operators.freeze(params.profileId, reason, caller.operator.name)
    if (frozen instanceof Reject) return refuse(frozen)
    return profile === null ? refuse('PROFILE_NOT_FOUND') : managedView(profile, frozen)
  },
})

export const unfreezeProfile = route({
  method: 'POST',
  path: '/admin/profiles/:profileId/unfreeze',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Lets a frozen profile trade and withdraw again; its canceled orders stay canceled.',
  params: { profileId: profileId() },
  body: why(),
  reply: managedProfile(),
  means: 'The profile may trade and withdraw again.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND', 'FREEZE_CANCELING', 'READ_TIMEOUT'],
  example: { params: { profileId: 1 }, body: { reason: 'It was mine.' }, reply: EXAMPLE },
  handle: async ({ params, body, caller }, { operators, reads }: AdminServices) => {
    // Read before the unfreeze, so a caller that gets a 503 knows that nothing changed.
    const profile = await reads.profile(params.profileId)
    if (profile === undefined) return refuse('READ_TIMEOUT')
    const { reason = '' } = body
    const refused = await operators.unfreeze(params.profileId, reason, caller.operator.name)
    if (refused !== null) return refuse(refused)
    return profile === null ? refuse('PROFILE_NOT_FOUND') : managedView(profile, undefined)
  },
})

// The collateral that pays rewards (rules §11.3).

const funds = () =>
  object({
    balanceRaw: means(integer(0), 'Raw collateral available to pay rewards.'),
    owedRewardsRaw: means(uint256Text(), 'Rewards earned and not yet paid, raw.'),
    owedRebatesRaw: means(uint256Text(), 'Rebates earned and not yet paid, raw.'),
  })

const FUNDS_EXAMPLE = {
  balanceRaw: 1_000_000_000,
  owedRewardsRaw: '34722222',
  owedRebatesRaw: '0',
}

function fundsView({ balanceRaw, owedRewardsRaw, owedRebatesRaw }: RewardFunds) {
  const owed = { owedRewardsRaw: String(owedRewardsRaw), owedRebatesRaw: String(owedRebatesRaw) }
  return { balanceRaw, ...owed }
}

export const showRewards = route({
  method: 'GET',
  path: '/admin/rewards',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the reward funds, and the rewards earned and not yet paid.',
  reply: funds(),
  means: 'The current funds and debts.',
  example: { reply: FUNDS_EXAMPLE },
  handle: async (_input, { rewards }: AdminServices) => fundsView(await rewards.funds()),
})

export const fundRewards = route({
  method: 'POST',
  path: '/admin/rewards',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Deposits (positive) or withdraws (negative) collateral for rewards.',
  body: object({
    collateralRaw: means(
      integer(),
      'Raw collateral to deposit, or to withdraw when negative; not 0. One unit is 1,000,000.',
    ),
  }),
  reply: funds(),
  means: 'The funds are updated; the reply shows their new state.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'HELD_BY_WALLETS',
    'INSUFFICIENT_COLLATERAL',
    'BALANCE_LIMIT',
  ],
  example: { body: { collateralRaw: 1_000_000_000 }, reply: FUNDS_EXAMPLE },
  handle: async ({ body, caller }, { rewards }: AdminServices) => {
    if (body.collateralRaw === 0) {
      return invalid({ field: 'collateralRaw', message: 'must not be 0' })
    }
    const after = await rewards.fund(body.collateralRaw, caller.operator.name)
    return after instanceof Reject ? refuse(after) : fundsView(after)
  },
})
