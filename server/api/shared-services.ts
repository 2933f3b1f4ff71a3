import type { AuthState } from '../auth/guard.ts'
import type { CookieNaming } from '../auth/session-names.ts'
import type { Rates } from '../edge/http/access/rate-limit.ts'
import type { Pipeline } from '../exchange/pipeline.ts'
import type { CollateralToken } from '../exchange/read-model/market-view.ts'
import type { ArchivedMarkets } from './markets/archived-markets.ts'
import type { PrivateReads } from './reads/private-reads.ts'
import type { SlicedWork } from './reads/sliced-work.ts'

/** What routes of several topics need. */
export interface SharedServices {
  readonly pipeline: Pipeline
  readonly reads: PrivateReads
  /** Long replies, and calls with a high cost: a few milliseconds per event-loop tick. */
  readonly slices: SlicedWork
  readonly archive: ArchivedMarkets
  readonly auth: AuthState
  /** Wall clock in Unix ms, which tests move. The time of a command is its own `nowMs`. */
  readonly clock: () => number
  readonly settings: {
    readonly headerPrefixes: readonly string[]
    readonly collateral: CollateralToken
    /** The venue of the markets that name none. */
    readonly exchangeAddress: string
    /** Words of paths, which no market may have as its slug. */
    readonly reservedSlugs: ReadonlySet<string>
    /** Whether trades settle on an EVM chain, by the contract of that venue. */
    readonly isOnChain: boolean
    /** What is published of that chain; undefined without one. */
    readonly confirmations: number | undefined
    readonly explorerUrl: string | undefined
    /** Whether browsers reach the exchange by TLS. */
    readonly isSecure: boolean
    readonly cookies: CookieNaming
    readonly chainId: number
    /** The name in the EIP-712 domain of orders. */
    readonly domainName: string
    /** Rates of the limits by address and by profile; null for none. */
    readonly rates: { readonly address: Rates; readonly profile: Rates } | null
    /** Least time from one block of trades to the next; null when trades are never mined. */
    readonly blockMs: number | null
    readonly orderMemoryDays: number
    /** The part of fees for those who referred the takers, in basis points. */
    readonly referralBps: number
    /** Whether anybody may ask how often an account was right. */
    readonly accuracy: boolean
    readonly version: string
  }
}
