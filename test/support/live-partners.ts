import assert from 'node:assert/strict'
import { ZERO_ADDRESS } from '../../server/auth/address.ts'
import { at, type LiveExchange, type Trader, textAt } from './live-exchange.ts'
import { type LiveMarket, type OrderWish, unsigned } from './live-orders.ts'

// Partners of a live exchange and the accounts they act for.

export const PARTNER_RIGHTS = ['trading', 'account_creation', 'delegated_signing']

/** Another token of the same profile, for these scopes alone. */
export async function tokenOf(
  live: LiveExchange,
  trader: Trader,
  scopes: readonly string[],
): Promise<Trader> {
  const { account } = trader
  const made = await live.admin('/admin/profiles', { account, apiToken: { scopes } })
  assert.equal(made.status, 201, made.text)
  const [tokenId, secret] = [textAt(made.body, 'tokenId'), textAt(made.body, 'secret')]
  return { ...trader, tokenId, secret }
}

export interface SubAccount {
  readonly profileId: number
  readonly account: string
}

/** A server wallet of a partner, with money. */
export async function serverWallet(
  live: LiveExchange,
  partner: Trader,
  collateralRaw: number,
): Promise<SubAccount> {
  const path = '/profiles/partner-accounts'
  const made = await live.call(partner, 'POST', path, { createServerWallet: true })
  assert.equal(made.status, 201, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  if (collateralRaw > 0) await live.admin('/admin/balances', { profileId, collateralRaw })
  return { profileId, account: textAt(made.body, 'account') }
}

/** An order that nobody has signed yet, as the public client sends it. */
export function unsignedBody(
  partner: Trader,
  profileId: number,
  venue: LiveMarket,
  wish: OrderWish = {},
) {
  const { signature: _none, ...order } = unsigned(partner, venue, { ticks: 100, ...wish })
  return {
    order: { ...order, maker: ZERO_ADDRESS, signer: ZERO_ADDRESS, feeRateBps: 300 },
    orderType: 'GTC',
    marketSlug: venue.slug,
    ownerId: profileId,
    onBehalfOf: profileId,
  }
}
