// What transactions touch: wallets, by their profiles, and markets and groups.

import type { MarketId, ProfileId } from '../../../../engine/domain/ids.ts'
import type { SignedTrade } from '../../../../persistence/query/read/orders/signed-trades.ts'
import type { WalletJob } from './chain-messages.ts'

/** Names of what a transaction touches. */
export interface Touches {
  /** No other transaction that waits may touch these. */
  readonly changes: readonly string[]
  /** Others may use these too, and none may change them. */
  readonly uses: readonly string[]
}

export function nameOf(marketId: MarketId): string {
  return `market ${marketId}`
}

function ownerName(profileId: ProfileId): string {
  return `profile ${profileId}`
}

/** Trades move what their owners have, and need their markets registered and not paid out. */
export function touchesOf(trades: readonly SignedTrade[]): Touches {
  const owners = trades.flatMap(({ taker, makers }) => [taker, ...makers.map(({ order }) => order)])
  return {
    changes: owners.map(({ accountId }) => ownerName(accountId)),
    uses: trades.flatMap(({ marketId, group }) => {
      return group === null ? [nameOf(marketId)] : [nameOf(marketId), group.negRiskId]
    }),
  }
}

export function touchesOfJob({ work }: WalletJob): Touches {
  if (work.kind === 'approve') return { changes: [ownerName(work.profileId)], uses: [] }
  const { owner, marketId, negRiskId } = work.move
  return { changes: [ownerName(owner)], uses: [nameOf(marketId), negRiskId] }
}
