import type { ProfileId, Seq } from '../../engine/domain/ids.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { ProofView, SnapshotView } from './proof-view.ts'
import type { CollateralContracts } from './solvency-format.ts'

// Messages between main and the thread that counts obligations.

export interface ProofRequest {
  readonly profileId: ProfileId
  /** In any letter case. */
  readonly account: string
  /** Balances of tokens after this one; -1 = from the first. */
  readonly after: number
  readonly limit: number
}

/** A proof of some balances, and their last token if there are more. */
export interface ProofPage {
  readonly proof: ProofView
  readonly nextAfter: number | null
}

export interface TokensRequest {
  /** Markets with a higher id. */
  readonly after: number
  readonly limit: number
}

/** One token of a snapshot: its issued amount and its holders. Raw decimal text. */
export interface TokenRow {
  readonly token: string
  readonly assetsRaw: string
  readonly obligationsRaw: string
  readonly debtsRaw: string
  readonly differenceRaw: string
}

export interface TokensPage {
  readonly tokens: readonly TokenRow[]
  /** The last market if there are more. */
  readonly nextAfter: number | null
}

/** The public data of a snapshot. */
export interface SolvencySummary {
  readonly snapshot: SnapshotView
  /** The components of the obligations, as raw decimal text. */
  readonly obligations: {
    readonly profilesRaw: string
    readonly systemRaw: string
    readonly sharesRaw: string
  }
  readonly claims: number
  readonly markets: number
  readonly tookMs: number
}

/** Messages from main to the thread. */
export type SolvencyRequest =
  | {
      readonly kind: 'count'
      readonly seq: Seq
      /** Null without a chain, and until it has answered. */
      readonly contracts: CollateralContracts | null
    }
  | ({ readonly kind: 'prove'; readonly id: number } & ProofRequest)
  | ({ readonly kind: 'tokens'; readonly id: number } & TokensRequest)

/** Messages from the thread to main. An answer is null before the first count. */
export type SolvencyMessage<Answer = ProofPage | TokensPage> =
  | { readonly kind: 'counted'; readonly summary: SolvencySummary }
  | { readonly kind: 'uncounted'; readonly reason: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer | null }

export interface SolvencyThreadData {
  readonly folder: KeyedFolder
}
