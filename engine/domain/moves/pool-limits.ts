import type { FeeBps } from '../units.ts'

/** Bounds on pools. The code that checks a bound says what happens. */
export const POOL_LIMITS = {
  /** Fee of a pool in basis points when its market names none: 0.40%, as upstream. */
  feeBpsDefault: 40,
  feeBpsMax: 1000,
  /** Providers of one pool. */
  providersMax: 64,
  /** Approvals that are remembered, one for each account, market and side: in all, of a profile. */
  approvalsMax: 1 << 18,
  approvalsOfProfileMax: 4096,
  /** Trades that no block holds yet, one for each account and market; in all and of one profile. */
  tradesInFlightMax: 1 << 16,
  tradesOfProfileMax: 1024,
  /** Calls of one account on the routes of pools, and the seconds that they count for. */
  callsMax: 10,
  callsSec: 10,
  slippageBpsDefault: 100,
  slippageBpsMax: 1000,
} as const

/** The fee of the pool of a market. */
export function poolFeeBpsOf({ poolFeeBps }: { readonly poolFeeBps?: FeeBps }): FeeBps {
  return poolFeeBps ?? POOL_LIMITS.feeBpsDefault
}
