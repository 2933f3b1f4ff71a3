// Partner accounts (rules §12.1).

import type { ProfileId } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { ApprovalStatus } from '../../../engine/domain/moves/move-command.ts'
import { REJECT } from '../../../engine/domain/reject-precedence.ts'
import { profiles, shownName } from '../../../persistence/query/read/profiles.ts'
import { hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { subAccount } from '../../auth/delegation.ts'
import { proveWallet } from '../../auth/session.ts'
import { parseAddress } from '../../crypto/address.ts'
import { route } from '../../edge/http/route.ts'
import { account, address, displayName, profileId } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { boolean, defaulted, integer, means, oneOf, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { type Call, type Caller, header } from '../../messages/call.ts'
import { invalid, Refusal, refuse, refusedOr } from '../../messages/refusal.ts'
import { ACCOUNT, CONDITIONAL_TOKENS, MARKET_EXAMPLE } from '../examples.ts'
import { requesterOf } from '../reads/private-reads.ts'
import { message } from '../shapes.ts'
import type { Allowances, Refused } from './accounts.ts'
import { nameToShow } from './profile-fields.ts'
import type { AccountServices } from './services.ts'

const PROOF_HEADERS = ['x-account', 'x-signing-message', 'x-signature'] as const

/** The wallet that the headers prove, or undefined. */
function provenWallet(call: Call, caller: Caller, { pipeline, signing }: AccountServices) {
  const missing = PROOF_HEADERS.filter((name) => header(call, name) === '')
  if (missing.length > 0) {
    return invalid(...missing.map((field) => ({ field, message: 'is a required header' })))
  }
  const [account, signingMessage, signature] = PROOF_HEADERS.map((name) => header(call, name))
  if (account.toLowerCase() === caller.account.toLowerCase()) return refuse('OWN_ADDRESS')
  return proveWallet(
    { account, signingMessage, signature },
    {
      signing,
      purpose: { kind: 'sub-account', partnerId: caller.profileId },
      nowMs: pipeline.sequencer.nowMs(),
      isNonceBurned: (nonce) => pipeline.clearing.accounts.isNonceBurned(nonce),
    },
  )
}

export const createPartnerAccount = route({
  method: 'POST',
  path: '/profiles/partner-accounts',
  auth: hmac('account_creation'),
  rateClass: 'auth',
  about: 'Creates a sub-account of the caller, with a server wallet or for a wallet that signed.',
  headers: {
    'x-account': 'Address of the wallet. All three are required unless createServerWallet is true.',
    'x-signing-message':
      'The signed message, of purpose sub-account for this partner: text, or 0x-hex of its UTF-8.',
    'x-signature': 'The EIP-191 signature, 0x-hex.',
  },
  body: object({
    displayName: optional(displayName()),
    createServerWallet: means(
      optional(boolean()),
      'True for a wallet that the exchange keeps and signs with; otherwise the headers prove one.',
    ),
  }),
  status: 201,
  reply: object({ profileId: profileId(), account: account() }),
  means: 'The sub-account is created, and the caller may act for it.',
  links: {
    allowances: {
      to: 'GET /profiles/partner-accounts/:profileId/allowances',
      about: 'Reads the approvals of the sub-account.',
      params: { profileId: '/profileId' },
    },
    profile: {
      to: 'GET /profiles/:account',
      about: 'Reads the profile of the sub-account.',
      params: { account: '/account' },
    },
  },
  rejects: [
    'OVERLOADED',
    'CHAIN_SILENT',
    'OWN_ADDRESS',
    'ACCOUNT_UNPROVEN',
    'VALIDATION',
    'PROFILE_NOT_FOUND',
    'PROFILE_FROZEN',
    'ACCOUNT_TAKEN',
    'SUB_ACCOUNT_LIMIT',
    'PROFILE_LIMIT',
  ],
  example: {
    body: { displayName: 'Desk 1', createServerWallet: true },
    reply: { profileId: 2, account: ACCOUNT },
  },
  handle: async ({ body, caller, call }, services: AccountServices) => {
    const { partners, pipeline } = services
    const name = body.displayName?.trim()
    const partner = pipeline.clearing.accounts.byId(caller.profileId)
    if (partner === undefined) return refuse('PROFILE_NOT_FOUND')
    if (body.createServerWallet === true) {
      const made = await partners.createServerWallet(partner, name)
      return refusedOr(made, created)
    }
    const proven = provenWallet(call, caller, services)
    if (proven instanceof Refusal) return proven
    // The nonce may be burned by a proof that is not durable yet.
    if (proven === undefined) return refuse(await pipeline.refused(REJECT.ACCOUNT_UNPROVEN))
    const made = await partners.createOwnWallet(partner, proven, name)
    return refusedOr(made, created)
  },
})

function created(made: { profileId: ProfileId; account: string }) {
  return { profileId: made.profileId, account: made.account }
}

const listed = () =>
  object({ profileId: profileId(), account: account(), displayName: nameToShow() })

export const listPartnerAccounts = route({
  method: 'GET',
  path: '/profiles/partner-accounts',
  auth: hmac('account_creation'),
  rateClass: 'private',
  about: "Lists the caller's sub-accounts by page, oldest first, or the one with an address.",
  query: {
    account: means(optional(address()), 'Address of the one sub-account to list.'),
    page: means(defaulted(optional(integer(1, 2_147_483_647)), 1), 'Page to list, counted from 1.'),
    limit: means(
      defaulted(optional(integer(1)), LIMITS.subAccountsPageMax),
      `Maximum sub-accounts per page; values above ${LIMITS.subAccountsPageMax} are capped.`,
    ),
  },
  reply: object({
    data: means(list(listed()), 'Sub-accounts of this page, oldest first.'),
    page: means(integer(1), 'Number of this page, counted from 1.'),
    limit: means(integer(1, LIMITS.subAccountsPageMax), 'Maximum sub-accounts per page.'),
    hasMore: means(boolean(), 'True when there is another page.'),
  }),
  means: 'One page of sub-accounts; empty if there are none.',
  example: {
    reply: {
      data: [{ profileId: 2, account: ACCOUNT, displayName: 'Desk 1' }],
      page: 1,
      limit: 25,
      hasMore: false,
    },
  },
  rejects: ['READ_TIMEOUT'],
  handle: async ({ query, caller, call }, { partners, reads }: AccountServices) => {
    const { account, page = 1 } = query
    if (account !== undefined && parseAddress(account) === undefined) {
      return invalid({ field: 'account', message: WRONG_CHECKSUM })
    }
    const limit = Math.min(query.limit ?? LIMITS.subAccountsPageMax, LIMITS.subAccountsPageMax)
    const { ids, hasMore } = await partners.list(caller.profileId, { account, page, limit })
    const rows = await reads.read(profiles, ids, requesterOf({ caller, call }))
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const data = rows.flatMap((row) => {
      return row === null ? [] : { ...created(row), displayName: shownName(row) }
    })
    return { data, page, limit, hasMore }
  },
})

const target = () =>
  object({
    type: means(
      oneOf('USDC_ALLOWANCE', 'CTF_APPROVAL'),
      'Type of approval: to spend collateral, or to move conditional tokens.',
    ),
    tokenAddress: means(address(), 'Contract of the approved token.'),
    spenderOrOperator: means(address(), 'Contract that may move the token.'),
    label: means(text(), 'Description of the approval.'),
    requiredFor: means(oneOf('BUY', 'SELL'), 'Side of the orders that need the approval.'),
    confirmed: means(boolean(), 'True when the status is confirmed.'),
    status: means(
      oneOf('confirmed', 'missing', 'submitted', 'failed'),
      'Progress of the approval; a submitted one waits for the next block.',
    ),
    retryable: means(boolean(), 'True when a retry would submit it.'),
    errorCode: means(optional(oneOf('PRIVY_SUBMISSION_FAILED')), 'Error code; only when failed.'),
    errorMessage: means(optional(text()), 'Error message; only when failed.'),
  })

const approvals = (what: string) => means(integer(0), `How many approvals ${what}.`)

const allowancesReply = () =>
  object({
    profileId: means(profileId(), 'Id of the sub-account.'),
    partnerProfileId: means(profileId(), 'Id of the partner that owns it.'),
    chainId: means(integer(0), 'Id of the chain of the wallet.'),
    walletAddress: means(address(), 'Address of the server wallet.'),
    ready: means(boolean(), 'True when every approval is confirmed.'),
    summary: means(
      object({
        total: approvals('the wallet needs'),
        confirmed: approvals('are confirmed'),
        missing: approvals('were never submitted'),
        submitted: approvals('wait for the next block'),
        failed: approvals('failed'),
      }),
      'Approvals by status.',
    ),
    targets: means(list(target()), 'Every approval that the wallet needs.'),
  })

const { exchange: VENUE } = MARKET_EXAMPLE.venue
const ALLOWANCES_EXAMPLE = {
  profileId: 2,
  partnerProfileId: 1,
  chainId: 8453,
  walletAddress: ACCOUNT,
  ready: true,
  summary: { total: 1, confirmed: 1, missing: 0, submitted: 0, failed: 0 },
  targets: [
    {
      type: 'CTF_APPROVAL' as const,
      tokenAddress: CONDITIONAL_TOKENS,
      spenderOrOperator: VENUE,
      label: `Conditional tokens for ${VENUE}`,
      requiredFor: 'SELL' as const,
      confirmed: true,
      status: 'confirmed' as const,
      retryable: false,
    },
  ],
}

/** The remaining fields of a target by status. Upstream clients know the code. */
const STATED = {
  confirmed: { confirmed: true, retryable: false },
  submitted: { confirmed: false, retryable: false },
  missing: { confirmed: false, retryable: true },
  failed: {
    confirmed: false,
    retryable: true,
    errorCode: 'PRIVY_SUBMISSION_FAILED' as const,
    errorMessage: 'The chain rejected the approval; retry it.',
  },
}

/**
 * Packs need no approval here, but partner clients require this one to be confirmed before they buy
 * a pack.
 */
function vaultOf({ exchangeAddress, collateral }: AccountServices['settings']) {
  return {
    type: 'USDC_ALLOWANCE' as const,
    tokenAddress: collateral.address,
    spenderOrOperator: exchangeAddress,
    label: 'parlay-treasury-vault',
    requiredFor: 'BUY' as const,
    status: 'confirmed' as const,
    ...STATED.confirmed,
  }
}

/** Each spender needs two approvals: collateral for buys, conditional tokens for sells. */
function targetsOf({ spenders }: Allowances, { settings, pipeline }: AccountServices) {
  const tokens = pipeline.mining?.port.conditionalTokens ?? CONDITIONAL_TOKENS
  return spenders.flatMap(({ address: spender, status }) => {
    const state = { spenderOrOperator: spender, status, ...STATED[status] }
    const usdc = { type: 'USDC_ALLOWANCE' as const, tokenAddress: settings.collateral.address }
    const ctf = { type: 'CTF_APPROVAL' as const, tokenAddress: tokens }
    return [
      { ...usdc, ...state, label: `Collateral for ${spender}`, requiredFor: 'BUY' as const },
      {
        ...ctf,
        ...state,
        label: `Conditional tokens for ${spender}`,
        requiredFor: 'SELL' as const,
      },
    ]
  })
}

function allowancesView(found: Allowances | Refused, services: AccountServices) {
  const { settings } = services
  if ('reject' in found) {
    const { reject, retryAfterSec } = found
    const soon = reject === REJECT.ALLOWANCE_RETRY_TOO_SOON
    const extra = soon ? { retryAfterSeconds: retryAfterSec } : undefined
    return refuse(reject, extra, retryAfterSec)
  }
  const targets = [vaultOf(settings), ...targetsOf(found, services)]
  const count = (status: ApprovalStatus) => targets.filter((each) => each.status === status).length
  const confirmed = count('confirmed')
  return {
    profileId: found.profileId,
    partnerProfileId: found.partnerId,
    chainId: settings.chainId,
    walletAddress: found.account,
    ready: confirmed === targets.length,
    summary: {
      total: targets.length,
      confirmed,
      missing: count('missing'),
      submitted: count('submitted'),
      failed: count('failed'),
    },
    targets,
  }
}

const subAccountId = () => means(profileId(), 'Id of a sub-account of the caller.')

export const partnerAllowances = route({
  method: 'GET',
  path: '/profiles/partner-accounts/:profileId/allowances',
  auth: hmac('account_creation', 'delegated_signing'),
  rateClass: 'private',
  about: "Returns the approvals that a sub-account's server wallet needs to trade, with status.",
  params: { profileId: subAccountId() },
  reply: allowancesReply(),
  means: 'The status of every approval.',
  rejects: ['NOT_SUB_ACCOUNT', 'NO_SERVER_WALLET'],
  example: { params: { profileId: 2 }, reply: ALLOWANCES_EXAMPLE },
  handle: async ({ params, caller }, services: AccountServices) => {
    const owner = subAccount(caller, services.pipeline.clearing, params.profileId)
    if (owner instanceof Refusal) return owner
    return allowancesView(await services.partners.allowances(owner), services)
  },
})

export const retryPartnerAllowances = route({
  method: 'POST',
  path: '/profiles/partner-accounts/:profileId/allowances/retry',
  auth: hmac('account_creation', 'delegated_signing'),
  rateClass: 'auth',
  about: "Submits the missing approvals of a sub-account's server wallet; a block confirms them.",
  params: { profileId: subAccountId() },
  body: object({}),
  reply: allowancesReply(),
  means: 'The missing and failed approvals are submitted.',
  refusalFields: {
    ALLOWANCE_RETRY_TOO_SOON: {
      fields: { retryAfterSeconds: means(integer(1), 'Seconds to wait before the next retry.') },
      example: { retryAfterSeconds: 7 },
    },
  },
  rejects: [
    'OVERLOADED',
    'NOT_SUB_ACCOUNT',
    'NO_SERVER_WALLET',
    'PROFILE_FROZEN',
    'ALLOWANCE_RETRY_RUNNING',
    'ALLOWANCE_RETRY_TOO_SOON',
  ],
  example: { params: { profileId: 2 }, body: {}, reply: ALLOWANCES_EXAMPLE },
  handle: async ({ params, caller }, services: AccountServices) => {
    const owner = subAccount(caller, services.pipeline.clearing, params.profileId)
    if (owner instanceof Refusal) return owner
    return allowancesView(
      await services.partners.retryAllowances(caller.profileId, owner),
      services,
    )
  },
})

export const leavePartner = route({
  method: 'DELETE',
  path: '/profiles/me/partner',
  auth: sessionOrIdentity(),
  rateClass: 'auth',
  about: "Leaves the caller's partner, which can then no longer act for the caller.",
  reply: message(),
  means: 'The caller no longer has a partner; its orders, balances and tokens stay.',
  rejects: ['OVERLOADED', 'NO_PARTNER', 'PARTNER_REQUIRED'],
  example: { reply: { message: 'You have left the partner' } },
  handle: async ({ caller }, { partners }: AccountServices) => {
    const refused = await partners.leave(caller.profileId)
    return refused === null ? { message: 'You have left the partner' } : refuse(refused)
  },
})
