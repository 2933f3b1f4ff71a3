import type { FeeBps } from '../units.ts'

/** Limits of pools. The code that checks a limit defines the effect. */
export const POOL_LIMITS = {
  /** Default pool fee in basis points: 0.40%, as upstream. */
  feeBpsDefault: 40,
  feeBpsMax: 1000,
  /** Providers of one pool. */
  providersMax: 64,
  /** Remembered approvals, one for each account, market and side: in total, and of one profile. */
  approvalsMax: 1 << 18,
  approvalsOfProfileMax: 4096,
  /** Trades not in a block yet, one for each account and market: in total, and of one profile. */
  tradesInFlightMax: 1 << 16,
  tradesOfProfileMax: 1024,
  /** Calls of one account to the pool routes, and the seconds in which they count. */
  callsMax: 10,
  callsSec: 10,
  slippageBpsDefault: 100,
  slippageBpsMax: 1000,
} as const

/** The fee of a market's pool. */
export function poolFeeBpsOf({ poolFeeBps }: { readonly poolFeeBps?: FeeBps }): FeeBps {
  return poolFeeBps ?? POOL_LIMITS.feeBpsDefault
}
