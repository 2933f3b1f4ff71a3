import { randomInt } from 'node:crypto'
import { ZERO_ADDRESS } from '../../server/crypto/address.ts'
import { type ClientOrder, signClientOrder } from '../../server/edge/intake/order/client-order.ts'
import { at, textAt } from './json-path.ts'
import type { Trader } from './live-exchange.ts'

// The terms of a market and the signed orders of its traders.

export const DOMAIN_NAME = 'Limitless CTF Exchange'
export const CHAIN_ID = 8453
const BRONZE_BPS = 300
const SALT_STEPS = 2 ** 40

export interface LiveMarket {
  readonly slug: string
  readonly tokens: readonly [yes: string, no: string]
  readonly exchange: string
  /** The fee rate that a Bronze trader signs there. */
  readonly feeBps: number
}

/** The terms of a market from its view. */
export function termsOf(slug: string, view: unknown): LiveMarket {
  const tokens = [textAt(view, 'tokens', 'yes'), textAt(view, 'tokens', 'no')] as const
  const feeBps = at(view, 'metadata', 'fee') === true ? BRONZE_BPS : 0
  return { slug, tokens, exchange: textAt(view, 'venue', 'exchange'), feeBps }
}

export interface OrderRequest {
  readonly side?: 'buy' | 'sell'
  readonly outcome?: 0 | 1
  readonly ticks?: number
  readonly sizeRaw?: number
  /** Unix seconds; absent means never. */
  readonly expirationSec?: number
  readonly feeBps?: number
}

/** An order of a trader, not signed yet. */
export function unsigned(
  trader: Trader,
  market: LiveMarket,
  wanted: OrderRequest = {},
): ClientOrder {
  const { side = 'buy', outcome = 0, ticks = 500, sizeRaw = 10_000_000 } = wanted
  const costRaw = (ticks * sizeRaw) / 1000
  return {
    salt: randomInt(1, SALT_STEPS),
    maker: trader.account,
    signer: trader.account,
    taker: ZERO_ADDRESS,
    tokenId: market.tokens[outcome],
    makerAmount: side === 'buy' ? costRaw : sizeRaw,
    takerAmount: side === 'buy' ? sizeRaw : costRaw,
    expiration: String(wanted.expirationSec ?? 0),
    nonce: 0,
    feeRateBps: wanted.feeBps ?? market.feeBps,
    side: side === 'buy' ? 0 : 1,
    signatureType: 0,
    signature: '',
  }
}

export function signedFor(
  order: ClientOrder,
  trader: Pick<Trader, 'key'>,
  market: LiveMarket,
  domain: { name?: string; chainId?: number; exchange?: string } = {},
): ClientOrder {
  const stated = { name: DOMAIN_NAME, chainId: CHAIN_ID, exchange: market.exchange, ...domain }
  return signClientOrder(order, stated, trader.key)
}

/** The body of POST /orders for one valid order. */
export function orderBody(
  trader: Trader,
  market: LiveMarket,
  wanted: OrderRequest = {},
): Record<string, unknown> {
  return {
    order: signedFor(unsigned(trader, market, wanted), trader, market),
    ownerId: trader.profileId,
    orderType: 'GTC',
    marketSlug: market.slug,
  }
}
