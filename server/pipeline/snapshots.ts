// When a snapshot is taken, and of what: main names a seq at which it stood still and tells its
// balances there; the follower compares them with its own and saves its state. Trading never waits
// for the save.

import { balanceDigest } from '../../engine/core/balance-digest.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { FollowerHandle, SavedSnapshot } from '../../persistence/follower-handle.ts'
import type { JournalWriter } from '../../persistence/journal-port.ts'
import type { Pipeline } from './pipeline.ts'

export interface SnapshotParts {
  readonly pipeline: Pipeline
  readonly journal: JournalWriter
  readonly follower: FollowerHandle
  /** Seq of the snapshot the state came from; 0 for none. */
  readonly seq: number
  readonly everyCommands: number
  /** Told of each, saved or not. */
  readonly onSaved: (saved: SavedSnapshot) => void
}

export class Snapshots {
  readonly #parts: SnapshotParts
  #underWay: Promise<void> | null = null
  /** Seq of the newest attempt, so that one that fails is not repeated at once. */
  #triedSeq: number
  #last: SavedSnapshot

  constructor(parts: SnapshotParts) {
    this.#parts = parts
    this.#triedSeq = parts.seq
    this.#last = { seq: parts.seq, bytes: 0, tookMs: 0, failure: null }
  }

  /** The newest that was saved. */
  get last(): SavedSnapshot {
    return this.#last
  }

  /** Takes one when it is due; while one is being taken, another is passed over. */
  tick(): void {
    if (this.#underWay !== null) return
    const commands = this.#parts.pipeline.clearing.lastSeq - this.#triedSeq
    // Large states are saved less often: what snapshots write stays below what the journal writes.
    const due = Math.max(this.#parts.everyCommands, this.#last.bytes / LIMITS.commandBytesTypical)
    if (commands >= due) this.take()
  }

  /** Resolves when it is saved, or could not be. */
  take(): Promise<void> {
    this.#underWay ??= this.#take().finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /** The last one, once nothing is under way any more, unless nothing happened since the newest. */
  async takeLast(): Promise<void> {
    await this.#underWay
    if (this.#parts.pipeline.clearing.lastSeq > this.#last.seq) await this.take()
  }

  async #take(): Promise<void> {
    const { pipeline, onSaved } = this.#parts
    this.#triedSeq = pipeline.clearing.lastSeq
    const saved = await new Promise<SavedSnapshot | null>((resolve) => {
      pipeline.hold.begin((isStill) => resolve(isStill ? this.#order() : null))
    })
    if (saved === null) return
    if (saved.failure === null) this.#last = saved
    onSaved(saved)
  }

  /** No wait in here: the cut of the journal, the seq and the balances belong together. */
  #order(): Promise<SavedSnapshot> | null {
    const { pipeline, journal, follower } = this.#parts
    const { clearing } = pipeline
    if (!journal.cut()) return null
    return follower.snapshot({ seq: clearing.lastSeq, balances: balanceDigest(clearing) })
  }
}
