import type { Seq } from '../../../engine/domain/ids.ts'
import { MS_PER_SEC } from '../../../engine/domain/units.ts'
import type { KeyedFolder } from '../../../persistence/keyed-folder.ts'
import type { CollateralContracts } from '../../../persistence/solvency/solvency-format.ts'
import {
  type ProofPage,
  SolvencyHandle,
  type SolvencySummary,
  type TokensPage,
} from '../../../persistence/solvency/solvency-handle.ts'
import type { SharedServices } from '../shared-services.ts'

// Schedules the counts of the obligations (rules §14): one snapshot at a time, so trading never
// waits. The start counts its newest snapshot at once. Later counts take a new snapshot only if
// none was taken since the last count.

const MINUTE_MS = 60 * MS_PER_SEC
/** Delay before a failed count is retried, or before a new folder is first counted. */
const SOON_MS = MINUTE_MS

export interface SolvencyOptions {
  /** Minutes between counts; absent or 0: only the operator's call counts. */
  readonly solvencyMinutes?: number
  /** Called after each count. */
  readonly onCounted?: (summary: SolvencySummary) => void
  /** Receives a sentence for the log. Nothing is lost. */
  readonly onWarning: (sentence: string) => void
}

interface CountsParts {
  readonly folder: KeyedFolder
  readonly snapshots: { readonly last: { readonly seq: Seq }; take(): Promise<unknown> }
  readonly clearing: { readonly lastSeq: Seq }
  /** Null when trades settle on no EVM chain. */
  readonly chain: {
    /** Null until the chain has answered. */
    readonly collateral: CollateralContracts | null
  } | null
}

export class SolvencyCounts {
  readonly #parts: CountsParts
  readonly #handle: SolvencyHandle
  readonly #everyMs: number
  readonly #onCounted: (summary: SolvencySummary) => void
  /** Time of the last tick. */
  #nowMs = 0
  #nextMs: number | null = null
  #underWay: Promise<boolean> | null = null
  /** Whether the count in progress takes its own snapshot. */
  #isNewStart = false
  /** The snapshot of the last count or attempt. */
  #triedSeq: Seq = 0

  constructor(parts: CountsParts, requests: SolvencyOptions) {
    const { solvencyMinutes = 0, onCounted = () => {}, onWarning } = requests
    this.#parts = parts
    this.#onCounted = onCounted
    this.#handle = new SolvencyHandle({ folder: parts.folder, onWarning })
    this.#everyMs = solvencyMinutes * MINUTE_MS
  }

  /** The last count; null when nothing has been counted yet. */
  get summary(): SolvencySummary | null {
    return this.#handle.summary
  }

  /** The count in progress; null for none. */
  get underWay(): Promise<boolean> | null {
    return this.#underWay
  }

  /** Counts when it is due. `nowMs` may be from any clock that never decreases. */
  tick(nowMs: number): void {
    const { snapshots, clearing, chain } = this.#parts
    this.#nowMs = nowMs
    if (this.#everyMs === 0 || this.#underWay !== null) return
    if (chain !== null && chain.collateral === null) return
    this.#nextMs ??= snapshots.last.seq > 0 ? nowMs : nowMs + SOON_MS
    const isUpdate = this.summary?.snapshot.seq !== clearing.lastSeq
    if (nowMs < this.#nextMs || !isUpdate) return
    // A snapshot taken for restarts is as good: main and the follower do no extra work.
    void this.#begin(snapshots.last.seq === this.#triedSeq)
  }

  /**
   * Counts the present state. Returns false when the count failed. Callers that arrive meanwhile
   * share the count, unless it is of an older snapshot.
   */
  async count(): Promise<boolean> {
    if (this.#underWay !== null && !this.#isNewStart) await this.#underWay
    return this.#begin(true)
  }

  #begin(isNewStart: boolean): Promise<boolean> {
    if (this.#underWay !== null) return this.#underWay
    this.#isNewStart = isNewStart
    this.#underWay = this.#count(isNewStart).then((isCounted) => {
      this.#underWay = null
      this.#nextMs = this.#nowMs + (isCounted ? this.#everyMs : SOON_MS)
      return isCounted
    })
    return this.#underWay
  }

  async #count(isNewStart: boolean): Promise<boolean> {
    const { snapshots, clearing, chain } = this.#parts
    if (isNewStart && clearing.lastSeq !== snapshots.last.seq) await snapshots.take()
    const { seq } = snapshots.last
    this.#triedSeq = seq
    if (seq === 0) return false
    if (seq === this.summary?.snapshot.seq) return true
    const isCounted = await this.#handle.count(seq, chain?.collateral ?? null)
    if (this.summary !== null && isCounted) this.#onCounted(this.summary)
    return isCounted
  }

  /** Undefined on a read timeout. */
  prove(...requested: Parameters<SolvencyHandle['prove']>): Promise<ProofPage | undefined> {
    return this.#handle.prove(...requested)
  }

  /** Undefined on a read timeout. */
  tokens(...requested: Parameters<SolvencyHandle['tokens']>): Promise<TokensPage | undefined> {
    return this.#handle.tokens(...requested)
  }

  stop(): Promise<void> {
    return this.#handle.stop()
  }

  /** Ends the thread as a crash would. */
  crash(): Promise<void> {
    return this.#handle.crash()
  }
}

/** What the routes of this folder need. */
export interface SolvencyServices extends SharedServices {
  readonly solvency: SolvencyCounts
}
