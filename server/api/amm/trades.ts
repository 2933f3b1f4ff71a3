// Trades with pools (rules §7.2, §7.3, §7.5).

import { maxSharesRaw, minSharesRaw } from '../../../engine/core/decide/money/pool-shares.ts'
import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { POOL_SIDES, type PoolSide } from '../../../engine/domain/moves/move-command.ts'
import { POOL_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { onBehalfOf } from '../../edge/http/access/on-behalf.ts'
import { Reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import {
  address,
  bytes32,
  profileId,
  rawAmount,
  slug,
  uint256Text,
} from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, oneOf, pattern } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, ALLOWANCE_MAX, CONDITIONAL_TOKENS, MARKET_EXAMPLE } from '../examples.ts'
import { idempotencyKey, type Moved, type MoveRequest, requestOf } from '../portfolio/services.ts'
import {
  type Approval,
  type ApprovalRequest,
  auth,
  type BeyondLimit,
  COMMON,
  market,
  marketOf,
  ofBody,
  type PoolRequest,
  type PoolServices,
  type ProviderChange,
  type Requested,
  readAuth,
  TRADING,
} from './services.ts'

const HASH = '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1'
const UINT256_MAX = 2n ** 256n - 1n
const { slippageBpsDefault, slippageBpsMax } = POOL_LIMITS
const amount = (what: string) =>
  means(pattern('^[1-9][0-9]{0,77}$', 'Raw units as decimal text, at least 1.'), what)

const submitted = {
  status: means(oneOf('SUBMITTED'), 'The trade is done; the next block contains it.'),
  market: slug(),
  outcomeIndex: means(integer(0, 1), 'Outcome traded: 0 for YES, 1 for NO.'),
}
const tradeIds = {
  transactionId: means(uint256Text(), 'Seq of the command in the journal, as text.'),
  txHash: means(bytes32(), 'Hash of its transaction on the embedded chain.'),
}
const tradeFields = {
  market: market(),
  outcomeIndex: means(integer(0, 1), 'Outcome to trade: 0 for YES, 1 for NO.'),
  slippageBps: means(
    optional(integer(0, slippageBpsMax)),
    'Margin of expected over minimum shares in the reply, in basis points; 100 by default. It ' +
      'does not protect against other trades; the share limit does.',
  ),
  onBehalfOf: onBehalfOf(),
  idempotencyKey: idempotencyKey(),
}

interface Trade extends Requested {
  readonly body: Requested['body'] & {
    readonly outcomeIndex: number
    readonly slippageBps?: number
    readonly idempotencyKey?: string
  }
}

/** The reply of a trade, or the refusal of one that was not made. */
async function traded<View>(
  input: Trade,
  stated: {
    readonly field: string
    readonly amount: string
    /** The share limit of the request body. */
    readonly limit: { readonly name: string; readonly text: string | undefined }
  },
  services: PoolServices,
  parts: {
    readonly trade: (
      request: MoveRequest,
      wanted: PoolRequest,
    ) => Promise<Moved | BeyondLimit | Reject>
    /** Called with the shares that the trade moved, in raw units. */
    readonly view: (sharesRaw: number, slippageBps: number) => View
  },
) {
  const { body } = input
  const request = requestOf(input, services)
  if (request instanceof Refusal) return request
  if (BigInt(stated.amount) > UINT256_MAX) {
    return invalid({ field: stated.field, message: 'must fit in 256 bits' })
  }
  const { name, text: limit } = stated.limit
  const limitRaw = limit === undefined ? undefined : BigInt(limit)
  if (limitRaw !== undefined && limitRaw > UINT256_MAX) {
    return invalid({ field: name, message: 'must fit in 256 bits' })
  }
  const found = await marketOf(input, services)
  if (found instanceof Refusal) return found
  // No account holds more than a number represents exactly, so the core refuses larger amounts.
  const collateralRaw = Math.min(Number(stated.amount), Number.MAX_SAFE_INTEGER)
  const { outcomeIndex: outcome, slippageBps = slippageBpsDefault } = body
  const { marketId } = found.market
  const wanted = { marketId, outcome, collateralRaw, amount: stated.amount, slippageBps, limitRaw }
  const made = await parts.trade(request, wanted)
  if (made instanceof Reject) return refuse(made)
  if ('computedRaw' in made) {
    const message =
      `The pool now computes ${made.computedRaw} raw shares for this amount, beyond ${name} ` +
      `${limit}; send another ${name}, or omit it.`
    return refuse('POOL_SHARES_BEYOND', { message })
  }
  const { seq, event } = made
  return {
    status: 'SUBMITTED' as const,
    market: found.market.slug,
    outcomeIndex: outcome,
    ...parts.view(Math.abs(event.yesRaw + event.noRaw), slippageBps),
    transactionId: String(seq),
    txHash: moveHashOf(services.settings.chainId, seq),
  }
}

const TRADE_IDS = { transactionId: '4711', txHash: HASH }
const { slug: SLUG } = MARKET_EXAMPLE

export const buyFromPool = route({
  method: 'POST',
  path: '/amm/buy',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'trade',
  about: 'Buys shares of one outcome from the pool of a market.',
  body: object({
    ...tradeFields,
    collateralAmount: amount('Raw collateral to spend, including the fee.'),
    minShares: optional(amount('Minimum raw shares to receive; no minimum when absent.')),
  }),
  status: 201,
  reply: object({
    ...submitted,
    collateralAmount: means(uint256Text(), 'Collateral spent, in raw units.'),
    expectedShares: means(uint256Text(), 'Shares received, in raw units.'),
    minShares: means(
      uint256Text(),
      'The minimum accepted: minShares if given, else from slippageBps; raw units.',
    ),
    ...tradeIds,
  }),
  means: 'The shares are bought, and the next block contains the transaction.',
  rejects: [
    ...COMMON,
    ...TRADING,
    'DUPLICATE_CALL',
    'IDEMPOTENCY_KEY_TAKEN',
    'CALL_LIMIT',
    'POOL_TRADE_RUNNING',
    'APPROVAL_MISSING',
    'POOL_QUOTE_INVALID',
    'POOL_FUNDS_SHORT',
    'POOL_AMOUNT_TOO_SMALL',
    'POOL_SHARES_BEYOND',
  ],
  example: {
    body: { market: SLUG, outcomeIndex: 0, collateralAmount: '10000000' },
    reply: {
      status: 'SUBMITTED',
      market: SLUG,
      outcomeIndex: 0,
      collateralAmount: '10000000',
      expectedShares: '19821776',
      minShares: '19623558',
      ...TRADE_IDS,
    },
  },
  handle: (input, services: PoolServices) => {
    const { collateralAmount, minShares } = input.body
    const limit = { name: 'minShares', text: minShares }
    const stated = { field: 'collateralAmount', amount: collateralAmount, limit }
    return traded(input, stated, services, {
      trade: (request, wanted) => services.pools.buy(request, wanted),
      view: (sharesRaw, slippageBps) => ({
        collateralAmount,
        expectedShares: String(sharesRaw),
        minShares: minShares ?? String(minSharesRaw(sharesRaw, slippageBps)),
      }),
    })
  },
})

export const sellToPool = route({
  method: 'POST',
  path: '/amm/sell',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'trade',
  about: 'Sells shares of one outcome to the pool of a market, for a given amount of collateral.',
  body: object({
    ...tradeFields,
    collateralReturnAmount: amount('Raw collateral to receive, after the fee.'),
    maxShares: optional(amount('Maximum raw shares to give; no maximum when absent.')),
  }),
  status: 201,
  reply: object({
    ...submitted,
    collateralReturnAmount: means(uint256Text(), 'Collateral received, in raw units.'),
    expectedShares: means(uint256Text(), 'Shares given, in raw units.'),
    maxShares: means(
      uint256Text(),
      'The maximum accepted: maxShares if given, else from slippageBps; raw units.',
    ),
    ...tradeIds,
  }),
  means: 'The shares are sold, and the next block contains the transaction.',
  rejects: [
    ...COMMON,
    ...TRADING,
    'DUPLICATE_CALL',
    'IDEMPOTENCY_KEY_TAKEN',
    'CALL_LIMIT',
    'POOL_TRADE_RUNNING',
    'APPROVAL_MISSING',
    'POOL_QUOTE_INVALID',
    'POOL_FUNDS_SHORT',
    'POOL_SHARES_BEYOND',
  ],
  example: {
    body: { market: SLUG, outcomeIndex: 0, collateralReturnAmount: '5000000' },
    reply: {
      status: 'SUBMITTED',
      market: SLUG,
      outcomeIndex: 0,
      collateralReturnAmount: '5000000',
      expectedShares: '9966220',
      maxShares: '10065883',
      ...TRADE_IDS,
    },
  },
  handle: (input, services: PoolServices) => {
    const { collateralReturnAmount, maxShares } = input.body
    const limit = { name: 'maxShares', text: maxShares }
    const stated = { field: 'collateralReturnAmount', amount: collateralReturnAmount, limit }
    return traded(input, stated, services, {
      trade: (request, wanted) => services.pools.sell(request, wanted),
      view: (sharesRaw, slippageBps) => ({
        collateralReturnAmount,
        expectedShares: String(sharesRaw),
        maxShares: maxShares ?? String(maxSharesRaw(sharesRaw, slippageBps)),
      }),
    })
  },
})

// Approvals that let pools move an account's tokens (rules §7.5).

const POOL = '0x63A2C6b4Ce8F3cBD7D0Af0D6dB1e7c4c6D0f7a11'

const approvalBody = object({
  market: market(),
  side: means(oneOf(...POOL_SIDES), 'BUY to approve collateral, SELL to approve shares.'),
  onBehalfOf: onBehalfOf(),
})
const approvalReply = object({
  status: means(
    oneOf('missing', 'submitted', 'confirmed'),
    'Status of the approval; it takes effect with the block that contains it.',
  ),
  confirmed: means(boolean(), 'True when trades of this side are possible.'),
  market: slug(),
  marketAddress: means(address(), 'Address of the pool.'),
  side: means(oneOf(...POOL_SIDES), 'The requested side.'),
  walletAddress: means(address(), 'Account of the profile that approves.'),
  tokenAddress: means(address(), 'Contract of the approved token.'),
  spenderOrOperator: means(address(), 'The pool, which may move the token.'),
  currentAllowance: means(
    optional(uint256Text()),
    'For BUY: raw collateral that the pool may move now.',
  ),
  isApprovedForAll: means(
    optional(boolean()),
    'For SELL: whether the pool may move shares of the account.',
  ),
  transactionId: means(
    optional(uint256Text()),
    'Seq of the command that approved, as text; absent until there is one.',
  ),
  txHash: means(optional(bytes32()), 'Hash of its transaction; absent until there is one.'),
})

const APPROVAL_EXAMPLE = {
  body: { market: SLUG, side: 'BUY' as const },
  reply: {
    status: 'confirmed' as const,
    confirmed: true,
    market: SLUG,
    marketAddress: POOL,
    side: 'BUY' as const,
    walletAddress: ACCOUNT,
    tokenAddress: MARKET_EXAMPLE.collateralToken.address,
    spenderOrOperator: POOL,
    currentAllowance: ALLOWANCE_MAX,
    transactionId: '4711',
    txHash: HASH,
  },
}

function approvalView(
  { status, seq }: Approval,
  owner: number,
  { side, shown }: { readonly side: PoolSide; readonly shown: PublishedMarket },
  { pipeline, settings }: PoolServices,
) {
  const walletAddress = pipeline.clearing.accounts.accountOf(owner)
  assert(walletAddress !== undefined, 'the approving profile has an account')
  const confirmed = status === 'confirmed'
  const pool = shown.market.poolAddress ?? ''
  const isBuy = side === 'BUY'
  return {
    status,
    confirmed,
    market: shown.market.slug,
    marketAddress: pool,
    side,
    walletAddress,
    tokenAddress: isBuy ? settings.collateral.address : CONDITIONAL_TOKENS,
    spenderOrOperator: pool,
    ...(isBuy ? { currentAllowance: confirmed ? ALLOWANCE_MAX : '0' } : {}),
    ...(isBuy ? {} : { isApprovedForAll: confirmed }),
    ...(seq === 0 ? {} : { transactionId: String(seq), txHash: moveHashOf(settings.chainId, seq) }),
  }
}

interface Approving extends Requested {
  readonly body: Requested['body'] & { readonly side: PoolSide }
}

async function approval(
  input: Approving,
  services: PoolServices,
  find: (wanted: ApprovalRequest) => Promise<Approval | Reject>,
) {
  const shown = await marketOf(input, services)
  if (shown instanceof Refusal) return shown
  const { owner, caller, body } = input
  const { marketId }: { marketId: MarketId } = shown.market
  const found = await find({ marketId, owner, callerId: caller.profileId, side: body.side })
  if (found instanceof Reject) return refuse(found)
  return { found, view: approvalView(found, owner, { side: body.side, shown }, services) }
}

export const checkPoolApproval = route({
  method: 'POST',
  path: '/amm/allowances/check',
  auth: readAuth(),
  onBehalfIn: ofBody,
  rateClass: 'trade',
  about: 'Returns whether the pool of a market may move tokens of the account.',
  body: approvalBody,
  reply: approvalReply,
  means: 'The status of the approval.',
  rejects: COMMON,
  example: APPROVAL_EXAMPLE,
  handle: async (input, services: PoolServices) => {
    const reported = await approval(input, services, (wanted) => services.pools.approval(wanted))
    return reported instanceof Refusal ? reported : reported.view
  },
})

export const approvePool = route({
  method: 'POST',
  path: '/amm/allowances/approve',
  auth: auth(),
  onBehalfIn: ofBody,
  rateClass: 'trade',
  about: 'Lets the pool of a market move tokens of the account, from the next block on.',
  body: approvalBody,
  reply: approvalReply,
  means: 'The approval already existed.',
  others: { 202: 'The approval is submitted; the next block confirms it.' },
  rejects: [...COMMON, ...TRADING, 'APPROVAL_LIMIT'],
  example: APPROVAL_EXAMPLE,
  handle: async (input, services: PoolServices) => {
    const reported = await approval(input, services, (wanted) => services.pools.approve(wanted))
    if (reported instanceof Refusal) return reported
    return reported.found.status === 'confirmed' ? reported.view : new Reply(202, reported.view, [])
  },
})

// The operator's calls on pool providers (rules §7.4).

const HINT_MAX = 1_000_000_000

const changed = object({
  profileId: profileId(),
  liquidityRaw: means(rawAmount(), 'The pool share that was added or removed, in raw units.'),
  sharesRaw: means(list(rawAmount(), 2, 2), 'Raw shares that the provider received: YES, then NO.'),
  feesRaw: means(rawAmount(), 'Raw fee collateral that the provider received.'),
})

function shown(profile: number, made: ProviderChange | Reject) {
  if (made instanceof Reject) return refuse(made)
  const { liquidityRaw, sharesRaw, feesRaw } = made
  return { profileId: profile, liquidityRaw, sharesRaw: [...sharesRaw], feesRaw }
}

const REJECTS = [
  'OVERLOADED',
  'VALIDATION',
  'MARKET_NOT_FOUND',
  'MARKET_RESOLVED',
  'PROFILE_NOT_FOUND',
  'CAPACITY',
] as const

export const fundPool = route({
  method: 'POST',
  path: '/admin/markets/:slug/liquidity',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Adds collateral of a profile to a pool; the first funding opens its market.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    collateralRaw: means(rawAmount(1), 'Raw collateral to add. One unit is 1,000,000.'),
    hints: means(
      optional(list(integer(1, HINT_MAX), 2, 2)),
      'For an empty pool: parts of YES and NO to keep; the larger is cheaper. Equal by default.',
    ),
  }),
  status: 201,
  reply: changed,
  means: 'The profile is a provider; it owns the shares that the pool did not keep.',
  rejects: [
    ...REJECTS,
    'MARKET_NOT_POOL',
    'MARKET_STATUS',
    'INSUFFICIENT_COLLATERAL',
    'POOL_QUOTE_INVALID',
    'PROVIDER_LIMIT',
  ],
  example: {
    params: { slug: 'rain-tomorrow' },
    body: { profileId: 1, collateralRaw: 1_000_000_000, hints: [300, 700] },
    reply: { profileId: 1, liquidityRaw: 1e9, sharesRaw: [571_428_572, 0], feesRaw: 0 },
  },
  handle: async ({ params, body, caller }, { pipeline, pools }: PoolServices) => {
    const { profileId: profile, collateralRaw, hints = [1, 1] } = body
    const published = pipeline.published.bySlug(params.slug)
    if (published === undefined) return refuse('MARKET_NOT_FOUND')
    if (pipeline.clearing.accounts.byId(profile) === undefined) return refuse('PROFILE_NOT_FOUND')
    const request = { profileId: profile, collateralRaw, hints: [hints[0], hints[1]] as const }
    return shown(profile, await pools.fund(published, request, caller.operator.name))
  },
})

export const drainPool = route({
  method: 'POST',
  path: '/admin/markets/:slug/liquidity/remove',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Withdraws the share of a profile from the pool of a market, with its fees.',
  params: { slug: slug() },
  body: object({
    profileId: profileId(),
    liquidityRaw: means(
      optional(rawAmount(1)),
      'The pool share to withdraw, in raw units; the whole share of the profile by default.',
    ),
  }),
  reply: changed,
  means: 'The profile now owns the shares and the fees.',
  rejects: [...REJECTS, 'LIQUIDITY_SHORT'],
  example: {
    params: { slug: 'rain-tomorrow' },
    body: { profileId: 1 },
    reply: {
      profileId: 1,
      liquidityRaw: 1e9,
      sharesRaw: [990_138_224, 1_009_960_000],
      feesRaw: 40_000,
    },
  },
  handle: async ({ params, body, caller }, { pipeline, pools }: PoolServices) => {
    const published = pipeline.published.bySlug(params.slug)
    if (published === undefined) return refuse('MARKET_NOT_FOUND')
    if (pipeline.clearing.accounts.byId(body.profileId) === undefined) {
      return refuse('PROFILE_NOT_FOUND')
    }
    return shown(body.profileId, await pools.drain(published, body, caller.operator.name))
  },
})
