// Gates of the rare commands: tokens, wallets, markets, balances. Each returns the refusal, or null
// when the command may be stamped.

import type { Scope } from '../../domain/command.ts'
import type { ProfileId } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type MarketSpec, STATUS_CHANGES } from '../../domain/market.ts'
import { REJECT, type Reject } from '../../domain/reject-precedence.ts'
import type { Profile } from '../accounts/accounts.ts'
import type { Clearing } from '../clearing.ts'
import { type Market, venueAddresses } from '../markets/catalogue.ts'
import { decideActing } from './operators.ts'
import { decideCategories } from './pages.ts'

/** Why no more tokens may be made, for this profile (undefined while new) or at all; or null. */
export function decideMint({ accounts }: Clearing, profile: Profile | undefined): Reject | null {
  if (accounts.tokenCount >= LIMITS.tokensMax) return REJECT.TOKEN_LIMIT
  if (profile === undefined) return null
  const count = accounts.tokensOf(profile.profileId).length
  return count >= LIMITS.tokensPerProfileMax ? REJECT.TOKEN_LIMIT : null
}

/** Delegated signing needs trading beside it (rules §12.1). */
export function decideToken(
  clearing: Clearing,
  profile: Profile,
  scopes: readonly Scope[],
): Reject | null {
  // A new token would outlive the freeze, and tokens serve only trading, withdrawals and new
  // accounts.
  const reject = decideActing(clearing, profile.profileId) ?? decideMint(clearing, profile)
  if (reject !== null) return reject
  if (scopes.includes('delegated_signing') && !scopes.includes('trading')) {
    return REJECT.SCOPE_NEEDS_TRADING
  }
  return scopes.every((scope) => profile.scopes.includes(scope)) ? null : REJECT.SCOPE_NOT_ALLOWED
}

/** Only its own profile revokes a token. For other profiles the token does not exist. */
export function decideRevoke(
  clearing: Clearing,
  profileId: ProfileId,
  tokenId: string,
): Reject | null {
  const token = clearing.accounts.tokenById(tokenId)
  return token?.profileId === profileId ? null : REJECT.TOKEN_UNKNOWN
}

/** Why the profile may not add the address to its withdrawal addresses, or null. */
export function decideWithdrawalAddress(
  clearing: Clearing,
  profileId: ProfileId,
  address: string,
): Reject | null {
  const frozen = decideActing(clearing, profileId)
  if (frozen !== null) return frozen
  const { withdrawalAddresses } = clearing.accounts
  if (withdrawalAddresses.find(profileId, address) !== undefined) {
    return REJECT.WITHDRAWAL_ADDRESS_LISTED
  }
  const count = withdrawalAddresses.of(profileId).length
  return count >= LIMITS.withdrawalAddressesPerProfileMax ? REJECT.WITHDRAWAL_ADDRESS_LIMIT : null
}

/**
 * Whether a market may be made that takes one of the first `booksMax` books. Slugs of markets that
 * left memory are in the read tables: the caller asks there.
 */
export function decideMarket(
  { catalogue }: Clearing,
  spec: MarketSpec,
  booksMax: number = LIMITS.booksMax,
): Reject | null {
  if (catalogue.bySlug(spec.slug) !== undefined) return REJECT.SLUG_TAKEN
  const isFull = catalogue.lastId >= LIMITS.marketsEverMax || catalogue.freeBook(booksMax) === 0
  if (isFull) return REJECT.MARKET_LIMIT
  const fresh = new Set(venueAddresses(spec).filter((each) => !catalogue.venues.has(each)))
  const venues =
    catalogue.venues.size + fresh.size > LIMITS.venueAddressesMax ? REJECT.VENUE_LIMIT : null
  return venues ?? decideCategories(catalogue, spec.categories)
}

export function decideResolve(market: Market, payoutNumerators: readonly number[]): Reject | null {
  if (!STATUS_CHANGES[market.status].includes('RESOLVED')) return REJECT.MARKET_RESOLVED
  const whole = payoutNumerators.every((each) => Number.isSafeInteger(each) && each >= 0)
  const sum = payoutNumerators.reduce((total, each) => total + each, 0)
  const valid = payoutNumerators.length === 2 && whole && sum > 0 && Number.isSafeInteger(sum)
  return valid ? null : REJECT.PAYOUT_INVALID
}

/** Whether nothing needs the market any more: it may leave memory (design §10). */
export function mayArchive({ blocks }: Clearing, market: Market): boolean {
  const isOver = market.status === 'RESOLVED' && market.book === 0 && market.rowCount === 0
  return isOver && blocks.holdsAllThrough(market.lastTradeSeq)
}

/** The sum of all funds must stay exact. A debit takes free collateral only. */
export function decideAdjust(
  clearing: Clearing,
  profileId: ProfileId,
  collateralRaw: number,
): Reject | null {
  if (clearing.accounts.byId(profileId) === undefined) return REJECT.PROFILE_NOT_FOUND
  if (collateralRaw > 0) {
    const fundedRaw = clearing.ledger.fundedRaw + collateralRaw
    return Number.isSafeInteger(fundedRaw) ? null : REJECT.BALANCE_LIMIT
  }
  const freeRaw = clearing.ledger.collateralFreeRaw[profileId]
  return freeRaw >= -collateralRaw ? null : REJECT.INSUFFICIENT_COLLATERAL
}
