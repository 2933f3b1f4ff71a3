import type { ProfileId, Seq } from '../../engine/domain/ids.ts'
import type { RejectName } from '../../engine/domain/reject-precedence.ts'

// Where trades are settled (design §5): the port that the pipeline knows, whatever stands behind.

/** What a chain says of a trade that it did not put into its next block. */
export type Setback = 'RETRYING' | 'FAILED'

/** One trade by its event id, the next trades that are submitted, or the next approvals. */
export type FaultTarget =
  | { readonly tradeSeq: Seq }
  | { readonly next: number }
  | { readonly nextApprovals: number }

export interface FaultHook {
  /** Null when it is armed. */
  arm(target: FaultTarget, outcome: Setback): RejectName | null
}

export interface SettlementPort {
  readonly chainId: number
  /**
   * Takes the trades since the last block, and those that are tried again, by the seqs of their
   * takers' orders. Gives those that are not mined: to be submitted again with the next block, or
   * reverted for good.
   */
  submit(tradeSeqs: readonly Seq[]): ReadonlyMap<number, Setback>
  /**
   * Takes what a server wallet approves. Null when the next block confirms it; submitted again when
   * it did not fail for good.
   */
  approve(profileId: ProfileId): Setback | null
  /** Of the embedded chain alone. */
  readonly faults: FaultHook | null
}
