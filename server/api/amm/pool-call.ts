// Shared by all pool calls: how they name a market, and their rate limit (rules §7.5).

import { kindOf } from '../../../engine/domain/markets/market.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'
import { eitherOf, hmac, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { parseAddress } from '../../crypto/address.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { Call, Caller } from '../../messages/call.ts'
import { invalid, type Refusal, refuse } from '../../messages/refusal.ts'
import { ownRateRefusal } from '../own-rate.ts'
import { requesterOf } from '../reads/private-reads.ts'
import type { PoolServices } from './services.ts'

const SHAPED_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const MARKET_CHARACTERS_MAX = 255

export const market = () =>
  means(
    text(MARKET_CHARACTERS_MAX, 1),
    'Slug of the market, or the checksummed address of its pool.',
  )
const proofs = () => eitherOf(hmac('trading', 'delegated_signing'), sessionOrIdentity())
/** For calls that move money, or let a pool move it. */
export const auth = () => proofs().forServerWallets()
/** For calls that only read. */
export const readAuth = () => proofs().forSubAccounts()
export const ofBody = (body: { onBehalfOf?: number }) => body.onBehalfOf

export const COMMON: readonly RejectName[] = [
  'OVERLOADED',
  'VALIDATION',
  'RATE_LIMITED',
  'PROFILE_FROZEN',
  'MARKET_NOT_FOUND',
  'MARKET_NOT_POOL',
  'READ_TIMEOUT',
]
export const TRADING: readonly RejectName[] = [
  'POST_ONLY_MODE',
  'CANCEL_ONLY_MODE',
  'TRADING_DISABLED',
  'POOL_CLOSED',
  'POSITION_LIMIT',
  'AMOUNT_TOO_SMALL',
  'CAPACITY',
  'POOL_CAPACITY',
]

export interface Requested {
  readonly owner: number
  readonly caller: Caller
  readonly call: Call
  readonly body: { readonly market: string }
}

/** The market that a call names, or the refusal of the call. */
export async function marketOf(
  requested: Requested,
  services: PoolServices,
): Promise<PublishedMarket | Refusal> {
  const { owner, body } = requested
  const { poolCalls, pipeline, archive } = services
  // Separately per child of a partner: one purchase by the public client takes up to ten calls.
  const tooOften = ownRateRefusal(poolCalls, owner)
  if (tooOften !== null) return tooOften
  if (SHAPED_ADDRESS.test(body.market)) {
    if (parseAddress(body.market) === undefined) {
      return invalid({ field: 'market', message: WRONG_CHECKSUM })
    }
    return pipeline.published.byAddress(body.market) ?? refuse('MARKET_NOT_FOUND')
  }
  const found = await archive.bySlug(body.market, requesterOf(requested))
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  return kindOf(found.market) === 'amm' ? found : refuse('MARKET_NOT_POOL')
}
