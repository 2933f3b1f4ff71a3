import type { Clearing } from '../../../../engine/core/clearing.ts'
import { type AccountId, type MarketId, SYSTEM_ACCOUNTS } from '../../../../engine/domain/ids.ts'

// What accounts, markets and shares are called in lines of the state.

const SYSTEM_NAMES = ['fees', 'burned', 'vault', 'pools', 'rewards', 'house', 'packs'] as const
const OUTCOMES = ['YES', 'NO'] as const

export function nameOf(account: AccountId): string {
  const system = SYSTEM_ACCOUNTS.indexOf(account)
  return system === -1 ? `profile ${account}` : `account ${SYSTEM_NAMES[system]}`
}

/** A market may have left memory while something still names it. */
export function slugOf({ catalogue }: Clearing, marketId: MarketId): string {
  return catalogue.byId(marketId)?.slug ?? `market ${marketId}`
}

export function tokenOf(clearing: Clearing, marketId: MarketId, outcome: number): string {
  return `${OUTCOMES[outcome]} of ${slugOf(clearing, marketId)}`
}
