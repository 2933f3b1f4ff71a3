// Orders of the visitor: amounts by rules §1.5 and rules §1.6, signed as EIP-712 typed data.

import { Refused } from './api.ts'
import { type Amounts, amountsOf, type OrderRequest } from './order-amounts.ts'
import type { ExchangeInfo, MarketView, UserOrder } from './shapes.ts'
import type { Trader } from './trader.ts'

/** The fields of a struct, as Solidity writes them. */
function fieldsOf(struct: string) {
  return struct.split(', ').map((field) => {
    const [type = '', name = ''] = field.split(' ')
    return { name, type }
  })
}

const ORDER_TYPE = fieldsOf(
  'uint256 salt, address maker, address signer, address taker, uint256 tokenId, ' +
    'uint256 makerAmount, uint256 takerAmount, uint256 expiration, uint256 nonce, ' +
    'uint256 feeRateBps, uint8 side, uint8 signatureType',
)
const DOMAIN_TYPE = fieldsOf(
  'string name, string version, uint256 chainId, address verifyingContract',
)

const NOBODY = '0x0000000000000000000000000000000000000000'

/** Salts are about now in microseconds, so that no two of one account are equal. */
function newSalt(): number {
  return Date.now() * 1000 + Math.floor(Math.random() * 1000)
}

export interface Placed {
  readonly order: { readonly id: string }
  readonly execution: {
    readonly matched: boolean
    readonly settlementStatus: string
    readonly totalsRaw: Readonly<
      Record<'contractsGross' | 'usdGross' | 'contractsFee' | 'usdFee', string>
    >
  }
}

interface Unsigned extends Amounts {
  readonly tokenId: string
  readonly side: 0 | 1
  readonly account: string
  readonly expirationSec: number
  readonly feeRateBps: number
}

function orderOf({ tokenId, side, account, makerAmount, takerAmount, ...rest }: Unsigned) {
  return {
    salt: newSalt(),
    maker: account,
    signer: account,
    taker: NOBODY,
    tokenId,
    makerAmount,
    takerAmount,
    expiration: rest.expirationSec,
    nonce: 0,
    feeRateBps: rest.feeRateBps,
    side,
    signatureType: 0,
  }
}

export interface OrderParams {
  readonly request: OrderRequest
  /** The last second of the order, in Unix seconds; 0 for no end. */
  readonly expirationSec: number
}

/** Signs and sends an order. After a change of its fee rate it is signed once more. */
export async function placeOrder(
  trader: Trader,
  info: ExchangeInfo,
  market: MarketView,
  params: OrderParams,
): Promise<Placed> {
  try {
    return await sendOrder(trader, info, market, { ...params, feeRateBps: null })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'FEE_RATE_MISMATCH') throw error
    const expected: unknown = Reflect.get(Object(error.body), 'expectedFeeRateBps')
    return sendOrder(trader, info, market, { ...params, feeRateBps: Number(expected) })
  }
}

async function sendOrder(
  trader: Trader,
  info: ExchangeInfo,
  { slug, tokens, venue, metadata }: MarketView,
  { request, expirationSec, feeRateBps }: OrderParams & { readonly feeRateBps: number | null },
): Promise<Placed> {
  const amounts = amountsOf(request)
  const profile = trader.profile.value
  if (typeof amounts === 'string') throw new Error(amounts)
  if (profile === null || tokens === undefined || venue === undefined)
    throw new Error('Log in first.')
  const signer = await trader.signer()
  const order = orderOf({
    ...amounts,
    tokenId: request.outcome === 0 ? tokens.yes : tokens.no,
    side: request.isBuy ? 0 : 1,
    account: profile.account,
    expirationSec,
    feeRateBps: feeRateBps ?? (metadata.fee ? (profile.effectiveFeeRateBps ?? 0) : 0),
  })
  const { domainName, domainVersion, chainId } = info.chain
  const typed = {
    domain: {
      name: domainName,
      version: domainVersion,
      chainId,
      verifyingContract: venue.exchange,
    },
    types: { EIP712Domain: DOMAIN_TYPE, Order: ORDER_TYPE },
    primaryType: 'Order',
    message: order,
  }
  // The session is checked while the wallet signs: nothing is sent for a session that is over.
  const [signature] = await Promise.all([signer.signTyped(typed), trader.confirm()])
  return trader.signed('POST', '/orders', {
    order: { ...order, signature },
    ownerId: profile.id,
    orderType: request.type,
    marketSlug: slug,
    ...request.flags,
  })
}

export function cancelOrder(trader: Trader, orderId: string): Promise<unknown> {
  return trader.signed('DELETE', `/orders/${encodeURIComponent(orderId)}`)
}

export function openOrdersOf(trader: Trader, slug: string): Promise<readonly UserOrder[]> {
  return trader.signed('GET', `/markets/${encodeURIComponent(slug)}/user-orders`)
}
