import type { ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'

// The port to the chain on which trades settle (design §5). The pipeline knows only this port.

/** What happens to a trade that the chain did not mine in its next block. */
export type Setback = 'RETRYING' | 'FAILED'

/** One trade by its event id, the next trades that are submitted, or the next approvals. */
export type FaultTarget =
  | { readonly tradeSeq: Seq }
  | { readonly next: number }
  | { readonly nextApprovals: number }

export interface FaultHook {
  /** Arms a fault; null when it is armed, else the refusal. */
  arm(target: FaultTarget, outcome: Setback): RejectName | null
}

export interface SettlementPort {
  readonly chainId: number
  /**
   * Takes the trades since the last block and the retried trades, by the seqs of their takers'
   * orders. Gives the trades that are not mined: they are retried with the next block, or have
   * failed for good.
   */
  submit(tradeSeqs: readonly Seq[]): ReadonlyMap<number, Setback>
  /**
   * Takes the approval of a server wallet. Null when the next block confirms it. RETRYING means
   * that it is submitted again, FAILED that it failed for good.
   */
  approve(profileId: ProfileId): Setback | null
  /** Only the embedded chain has a fault hook. */
  readonly faults: FaultHook | null
}
