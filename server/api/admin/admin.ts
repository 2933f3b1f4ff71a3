// The operator's calls (design §7). These four keep exactly these shapes.

import { POOL_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { mayAct } from '../../../engine/domain/operator.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { formatAddress, parseAddress } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { account, address, profileId, scope, slug } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import {
  exactlyOne,
  integer,
  means,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { marketView } from '../../exchange/read-model/market-view.ts'
import { invalid, refuse, roleMissing } from '../../messages/refusal.ts'
import { feeCapBps, rankOf, roleForFields } from '../accounts/profile-fields.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { ANYBODY } from '../markets/archived-markets.ts'
import { market } from '../shapes.ts'
import {
  aboutFields,
  deadline,
  deadlineOf,
  marketOf,
  specIssue,
  title,
  venueFields,
} from './admin-markets.ts'
import type { AdminServices } from './services.ts'
import { freeRaw, givenUsername, RESERVED, rankRequest } from './services.ts'

export const createMarket = route({
  method: 'POST',
  path: '/admin/markets',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a market; ids and addresses have defaults.',
  body: object({
    kind: means(
      oneOf('clob', 'amm'),
      'How shares are traded: in an order book, or against a pool that is funded later.',
    ),
    slug: slug(),
    title: means(title(), 'The question of the market.'),
    ...aboutFields,
    ...venueFields,
    deadline: deadline(),
    adapterAddress: means(
      optional(nullable(address())),
      'Adapter contract of the market; null or absent for none.',
    ),
    poolFeeBps: means(
      optional(integer(0, POOL_LIMITS.feeBpsMax)),
      'Fee of the pool in basis points; 40 by default. Only for kind amm.',
    ),
  }),
  status: 201,
  reply: market(),
  means: 'The market is created. It takes orders, or stays a draft until its pool is funded.',
  links: {
    read: {
      to: 'GET /markets/:addressOrSlug',
      about: 'Reads the market.',
      params: { addressOrSlug: '/slug' },
    },
    edit: {
      to: 'PATCH /admin/markets/:slug',
      about: 'Changes the market.',
      params: { slug: '/slug' },
    },
    resolve: {
      to: 'POST /admin/markets/:slug/resolve',
      about: 'Resolves the market.',
      params: { slug: '/slug' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'SLUG_TAKEN',
    'MARKET_LIMIT',
    'VENUE_LIMIT',
    'CATEGORY_LIMIT',
    'MARKET_NOT_FOUND',
  ],
  example: {
    body: { kind: 'clob', slug: 'rain-tomorrow', title: 'Will it rain tomorrow?', fee: true },
    reply: MARKET_EXAMPLE,
  },
  handle: async ({ body, caller }, services: AdminServices) => {
    const deadlineMs = deadlineOf(body.deadline)
    const issue = specIssue(body, deadlineMs, services)
    if (issue !== null) return invalid(issue)
    if (body.poolFeeBps !== undefined && body.kind !== 'amm') {
      return invalid({ field: 'poolFeeBps', message: 'is only allowed for a market of kind amm' })
    }
    const spec = marketOf(body, deadlineMs, services)
    const made = await services.markets.create(spec, caller.operator.name)
    if (made instanceof Reject) return refuse(made)
    return marketView(made, services.settings.collateral, services.clock())
  },
})

export const putProfile = route({
  method: 'POST',
  path: '/admin/profiles',
  auth: admin('support'),
  rateClass: 'admin',
  about:
    'Creates or edits the profile of an account; rank and cap need role money. An API token for ' +
    'it, which acts for the profile, needs role root.',
  body: object({
    account: account(),
    username: givenUsername(),
    rank: rankRequest(),
    feeCapBps: optional(feeCapBps()),
    apiToken: means(
      optional(
        object({
          scopes: means(optional(list(scope(), 1, 4)), 'Scopes of the token; trading by default.'),
        }),
      ),
      'Requests an API token for the profile; absent for none.',
    ),
  }),
  status: 201,
  reply: object({
    profileId: profileId(),
    account: account(),
    tokenId: means(optional(text()), 'Id of the new API token; absent if none was requested.'),
    secret: means(optional(text()), 'HMAC key in Base64. Store it: it is never shown again.'),
  }),
  means: 'The profile is created or edited, and its token is created if one was requested.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'USERNAME_TAKEN',
    'WALLET_IN_USE',
    'TOKEN_LIMIT',
    'PROFILE_LIMIT',
    'PROFILE_NOT_FOUND',
  ],
  example: {
    body: { account: ACCOUNT, rank: 'Bronze', apiToken: { scopes: ['trading'] } },
    reply: { profileId: 1, account: ACCOUNT, tokenId: '…', secret: '…' },
  },
  handle: async ({ body, caller: { operator } }, { accounts }: AdminServices) => {
    const needed = roleForFields(body)
    if (!mayAct(operator.role, needed)) return roleMissing(needed, operator)
    const bytes = parseAddress(body.account)
    if (bytes === undefined) {
      return invalid({ field: 'account', message: WRONG_CHECKSUM })
    }
    const { username, feeCapBps } = body
    const tokenScopes = body.apiToken === undefined ? null : (body.apiToken.scopes ?? ['trading'])
    const rank = body.rank === undefined || body.rank === null ? body.rank : rankOf(body.rank)
    const change = { account: formatAddress(bytes), username, feeCapBps, rank }
    const made = await accounts.putProfile(change, tokenScopes, operator.name)
    if (made instanceof Reject) return refuse(made)
    const { profile, token } = made
    const minted = token === null ? {} : { tokenId: token.tokenId, secret: token.secret }
    return { profileId: profile.profileId, account: profile.account, ...minted }
  },
})

export const adjustBalance = route({
  method: 'POST',
  path: '/admin/balances',
  auth: admin('money'),
  rateClass: 'admin',
  about:
    'Credits (positive) or debits (negative) the free collateral of a profile. A debit is at ' +
    'most the withdrawable amount.',
  body: object({
    profileId: profileId(),
    collateralRaw: means(
      integer(),
      'Raw collateral to credit, or to debit when negative; not 0. One unit is 1,000,000.',
    ),
  }),
  reply: object({
    profileId: profileId(),
    freeRaw: freeRaw(),
    reservedRaw: means(integer(), RESERVED),
  }),
  means: 'The balance is updated; the reply shows the new balance.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'HELD_BY_WALLETS',
    'PROFILE_NOT_FOUND',
    'INSUFFICIENT_COLLATERAL',
    'SHARES_OWED',
    'NOT_MINED_YET',
    'BALANCE_LIMIT',
  ],
  example: {
    body: { profileId: 1, collateralRaw: 1_000_000_000 },
    reply: { profileId: 1, freeRaw: 1_000_000_000, reservedRaw: 0 },
  },
  handle: async ({ body, caller }, { markets }: AdminServices) => {
    if (body.collateralRaw === 0) {
      return invalid({ field: 'collateralRaw', message: 'must not be 0' })
    }
    const by = caller.operator.name
    const balances = await markets.adjustBalance(body.profileId, body.collateralRaw, by)
    if (balances instanceof Reject) return refuse(balances)
    return { profileId: body.profileId, ...balances }
  },
})

const numerator = () => integer(0, 1_000_000_000)
const byWinner = () =>
  means(
    optional(integer(0, 1)),
    'Outcome that is paid in full: 0 for YES, 1 for NO. Absent for a split.',
  )

export const resolveMarket = route({
  method: 'POST',
  path: '/admin/markets/:slug/resolve',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Resolves a market to a winner or a payout split; its open orders are canceled.',
  params: { slug: slug() },
  body: exactlyOne(
    {
      winningOutcomeIndex: byWinner(),
      payoutNumerators: means(
        optional(list(numerator(), 2, 2)),
        'Payout parts for YES, then for NO: [1, 1] pays each share one half.',
      ),
    },
    'winningOutcomeIndex',
    'payoutNumerators',
  ),
  reply: market(),
  means: 'The market is resolved, and its open orders are canceled.',
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'MARKET_NOT_FOUND',
    'MARKET_RESOLVED',
    'MARKET_OF_GROUP',
    'PAYOUT_INVALID',
    'READ_TIMEOUT',
  ],
  example: {
    params: { slug: 'rain-tomorrow' },
    body: { winningOutcomeIndex: 0 },
    reply: { ...MARKET_EXAMPLE, status: 'RESOLVED', winningOutcomeIndex: 0 },
  },
  handle: async ({ params, body, caller }, services: AdminServices) => {
    const { winningOutcomeIndex: winner, payoutNumerators: split } = body
    if ((winner === undefined) === (split === undefined)) {
      const message = 'Exactly one of winningOutcomeIndex or payoutNumerators is required'
      return invalid({ field: 'winningOutcomeIndex', message })
    }
    const published = await services.archive.bySlug(params.slug, ANYBODY)
    if (published === undefined) return refuse('READ_TIMEOUT')
    if (published === null) return refuse('MARKET_NOT_FOUND')
    const [yes, no] = split ?? [1 - (winner ?? 0), winner ?? 0]
    const by = caller.operator.name
    const resolved = await services.markets.resolve(published, [yes, no], by)
    if (resolved instanceof Reject) return refuse(resolved)
    return marketView(resolved, services.settings.collateral, services.clock())
  },
})
