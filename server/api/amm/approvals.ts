// Approvals that let pools move an account's tokens (rules §7.5).

import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import { assert } from '../../../engine/domain/assert.ts'
import type { MarketId } from '../../../engine/domain/ids.ts'
import { POOL_SIDES, type PoolSide } from '../../../engine/domain/moves/move-command.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { onBehalfOf } from '../../edge/http/access/on-behalf.ts'
import { Reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { address, bytes32, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import { boolean, means, oneOf } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'
import { ALLOWANCE_MAX, CONDITIONAL_TOKENS } from '../chain-contracts.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import {
  auth,
  COMMON,
  market,
  marketOf,
  ofBody,
  type Requested,
  readAuth,
  TRADING,
} from './pool-call.ts'
import type { Approval, ApprovalRequest, PoolServices } from './services.ts'

const POOL = '0x63A2C6b4Ce8F3cBD7D0Af0D6dB1e7c4c6D0f7a11'
const HASH = '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1'
const { slug: SLUG } = MARKET_EXAMPLE

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
