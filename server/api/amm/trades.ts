// Trades with pools (rules §7.2, §7.3, §7.5).

import { maxSharesRaw, minSharesRaw } from '../../../engine/core/decide/money/pool-shares.ts'
import { moveHashOf } from '../../../engine/core/money/tx-hash.ts'
import { POOL_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { Reject } from '../../../engine/domain/reject-precedence.ts'
import { onBehalfOf } from '../../edge/http/access/on-behalf.ts'
import { route } from '../../edge/http/route.ts'
import { bytes32, slug, uint256Text } from '../../edge/http/schema/fields.ts'
import { integer, means, oneOf, pattern } from '../../edge/http/schema/scalars.ts'
import { object, optional } from '../../edge/http/schema/schema.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { idempotencyKey, requestOf } from '../portfolio/money-call.ts'
import type { Moved, MoveRequest } from '../portfolio/moves-once.ts'
import { auth, COMMON, market, marketOf, ofBody, type Requested, TRADING } from './pool-call.ts'
import type { BeyondLimit, PoolRequest, PoolServices } from './services.ts'

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
