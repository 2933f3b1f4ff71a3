import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { ZERO_ADDRESS } from '../../server/crypto/address.ts'
import { at, textAt } from './json-path.ts'
import type { LiveExchange, Trader } from './live-exchange.ts'
import { type LiveMarket, type OrderRequest, unsigned } from './live-orders.ts'
import { partnerMessage } from './live-session.ts'

// Partners of a live exchange and the accounts they act for.

const PATH = '/profiles/partner-accounts'
export const PARTNER_RIGHTS = ['trading', 'account_creation', 'delegated_signing']

/** Another token of the same profile, with these scopes only. */
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
  const made = await live.call(partner, 'POST', PATH, { createServerWallet: true })
  assert.equal(made.status, 201, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  await live.deposit({ profileId }, collateralRaw)
  return { profileId, account: textAt(made.body, 'account') }
}

/** A sub-account that signs for itself, with money and a token for partners. */
export async function ownWallet(
  live: LiveExchange,
  owner: Trader,
  collateralRaw: number,
): Promise<Trader> {
  const key = randomBytes(32)
  const wallet = privateKeyToAccount(`0x${key.toString('hex')}`)
  const message = await partnerMessage(live, owner)
  const headers = {
    'x-account': wallet.address,
    'x-signing-message': `0x${Buffer.from(message).toString('hex')}`,
    'x-signature': await wallet.signMessage({ message }),
  }
  const made = await live.call(owner, 'POST', PATH, {}, { headers })
  assert.equal(made.status, 201, made.text)
  const profileId = Number(at(made.body, 'profileId'))
  await live.deposit({ profileId }, collateralRaw)
  const token = await live.admin('/admin/profiles', {
    account: wallet.address,
    apiToken: { scopes: ['trading', 'delegated_signing'] },
  })
  const [tokenId, secret] = [textAt(token.body, 'tokenId'), textAt(token.body, 'secret')]
  return { key, account: wallet.address, profileId, tokenId, secret }
}

/** An order without a signature, as the public client sends it. */
export function unsignedBody(
  partner: Trader,
  profileId: number,
  venue: LiveMarket,
  wanted: OrderRequest = {},
) {
  const { signature: _none, ...order } = unsigned(partner, venue, { ticks: 100, ...wanted })
  return {
    order: { ...order, maker: ZERO_ADDRESS, signer: ZERO_ADDRESS, feeRateBps: 300 },
    orderType: 'GTC',
    marketSlug: venue.slug,
    ownerId: profileId,
    onBehalfOf: profileId,
  }
}
