// The profiles of a demo: created and funded once, and signed in at each start.

import { createHash } from 'node:crypto'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { integer, text } from '../edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../edge/http/schema/schema.ts'
import { accountOf } from '../edge/intake/order/client-order.ts'
import { adminCall, DemoClient, type DemoTrader, type Venue } from './demo-client.ts'
import type { OwnServer } from './own-server.ts'

export interface Filling {
  readonly venue: Venue
  /** The server of the admin API. */
  readonly operators: OwnServer
  readonly adminToken: string
  readonly isStopped: () => boolean
}

const knownProfile = compile(
  openObject({ profileId: integer(1), account: text(), tokenId: text(), secret: text() }),
)
const knownTokens = compile(list(openObject({ tokenId: text() })))

/** A key is derived from the admin token, so that a later start finds the same profiles. */
export function keyOf(adminToken: string, name: string): Buffer {
  return createHash('sha256').update(`outcomex demo ${name} ${adminToken}`).digest()
}

/** A profile with a new token. Tokens of earlier starts are revoked, so they never accumulate. */
export async function signIn(filling: Filling, name: string): Promise<DemoTrader> {
  const { venue, adminToken } = filling
  const key = keyOf(adminToken, name)
  const made = await adminCall(filling.operators, adminToken, '/admin/profiles', {
    account: accountOf(key),
    rank: 'Bronze',
    apiToken: { scopes: ['trading', 'withdrawal', 'delegated_signing'] },
  })
  if (!knownProfile.holds(made)) throw new Error('a new profile comes with a token')
  const { profileId, account, tokenId, secret } = made
  const privateKey = `0x${key.toString('hex')}`
  const trader = { profileId, account, privateKey, tokenId, secret }
  const client = new DemoClient(trader, venue)
  const tokens = await client.call('GET', '/auth/api-tokens')
  if (!knownTokens.holds(tokens)) throw new Error('a token list is a list')
  for (const token of tokens) {
    if (token.tokenId !== tokenId) await client.call('DELETE', `/auth/api-tokens/${token.tokenId}`)
  }
  return trader
}

const knownBalance = compile(openObject({ freeRaw: integer() }))

/** Before its first trade a profile has all its collateral or none, so it is never funded twice. */
export async function fund(
  filling: Filling,
  profileId: ProfileId,
  collateralRaw: number,
): Promise<void> {
  const { operators, adminToken } = filling
  const path = `/admin/balances/${profileId}`
  const balance = await adminCall(operators, adminToken, path)
  if (!knownBalance.holds(balance)) throw new Error('a balance is a number')
  if (balance.freeRaw > 0) return
  await adminCall(operators, adminToken, '/admin/balances', { profileId, collateralRaw })
}
