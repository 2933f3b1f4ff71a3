import type { ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'

// The port to the chain on which trades settle (design §5). The pipeline knows only this port.

/** The outcome of a trade that the chain did not mine in its next block. */
export type Setback = 'RETRYING' | 'FAILED'

/** One trade by its event id, the next submitted trades, or the next approvals. */
export type FaultTarget =
  | { readonly tradeSeq: Seq }
  | { readonly next: number }
  | { readonly nextApprovals: number }

export interface FaultHook {
  /** Arms a fault; null when it is armed, otherwise the refusal. */
  arm(target: FaultTarget, outcome: Setback): RejectName | null
}

export interface SettlementPort {
  readonly chainId: number
  /**
   * Submits the trades since the last block and the retried trades, by the seqs of their takers'
   * orders. Returns the trades that are not mined: they are retried with the next block, or have
   * failed permanently.
   */
  submit(tradeSeqs: readonly Seq[]): ReadonlyMap<number, Setback>
  /**
   * Submits the approval of a server wallet. Null when the next block confirms it. RETRYING means
   * that it is submitted again, FAILED that it failed permanently.
   */
  approve(profileId: ProfileId): Setback | null
  /** Only the embedded chain has a fault hook. */
  readonly faults: FaultHook | null
}
