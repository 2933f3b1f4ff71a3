// What main replicated to the intake, and the refusals that the intake must then give: the checks
// of rules §1.8 that come before those of the sequencer.

import type { RejectName } from '../../engine/domain/reject-precedence.ts'
import type { CoreIntake, ProfileEntry, TokenEntry } from '../../server/edge/intake/core-intake.ts'
import type { MarketEntry } from '../../server/edge/intake/directory.ts'

/** A call as a client signs it, and the faults of its signature. */
export interface SimCall {
  readonly tokenId: string
  readonly isStale: boolean
  readonly isForged: boolean
}

export interface SimOrder {
  readonly actorId: number
  readonly slug: string
  readonly tokenId: string
  /** The amounts of the order are not whole steps. */
  readonly isOdd: boolean
}

type Refusal = RejectName | null

export class Replicated {
  readonly tokens = new Map<string, TokenEntry>()
  readonly profiles = new Map<number, ProfileEntry>()
  readonly markets = new Map<string, MarketEntry>()

  /** Notes what the pool receives from now on. */
  listen(intake: CoreIntake): void {
    const addToken = intake.addToken.bind(intake)
    intake.addToken = (token) => {
      this.tokens.set(token.tokenId, token)
      addToken(token)
    }
    const revokeToken = intake.revokeToken.bind(intake)
    intake.revokeToken = (tokenId) => {
      this.tokens.delete(tokenId)
      revokeToken(tokenId)
    }
    const putProfile = intake.putProfile.bind(intake)
    intake.putProfile = (profile) => {
      if (profile !== null) this.profiles.set(profile.profileId, profile)
      putProfile(profile)
    }
    const addMarket = intake.addMarket.bind(intake)
    intake.addMarket = (market) => {
      this.markets.set(market.slug, market)
      addMarket(market)
    }
    const archiveMarket = intake.archiveMarket.bind(intake)
    intake.archiveMarket = (slug) => {
      this.markets.delete(slug)
      archiveMarket(slug)
    }
  }

  refusalOfCall({ tokenId, isStale, isForged }: SimCall): Refusal {
    const token = this.tokens.get(tokenId)
    if (token === undefined) return 'API_KEY_INVALID'
    if (isStale) return 'TIMESTAMP_INVALID'
    if (isForged) return 'HMAC_INVALID'
    return token.scopes.includes('trading') ? null : 'SCOPE_MISSING_TRADING'
  }

  /** The refusal of an order that a server wallet is to sign. */
  refusalOfOrder({ tokenId: apiKey }: SimCall, order: SimOrder): Refusal {
    const token = this.tokens.get(apiKey)
    if (token?.scopes.includes('delegated_signing') !== true)
      return 'SCOPE_MISSING_DELEGATED_SIGNING'
    const profile = this.profiles.get(order.actorId)
    if (profile?.partnerId !== token.profileId) return 'NOT_SUB_ACCOUNT'
    const market = this.markets.get(order.slug)
    if (market === undefined) return 'MARKET_NOT_FOUND'
    if (market.poolAddress !== undefined) return 'ORDERBOOK_OF_POOL'
    const tokens = [market.yesTokenId, market.noTokenId]
    if (!tokens.includes(order.tokenId)) return 'TOKEN_NOT_IN_MARKET'
    if (order.isOdd) return 'AMOUNTS_INVALID'
    if (profile.keyBase64 === '') return 'NO_SERVER_WALLET'
    return profile.approved.includes(market.exchangeAddress) ? null : 'ALLOWANCE_MISSING'
  }
}
