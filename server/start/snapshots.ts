// When a snapshot is taken, and of what: main names a seq at which it stood still and tells its
// balances there; the follower compares them with its own and saves its state. Trading never waits
// for the save. One that could not be saved is tried again after a pause that grows.

import { balanceDigest } from '../../engine/core/state/balance-digest.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import type { FollowerHandle, SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import type { JournalWriter } from '../../persistence/journal/journal-port.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'

export interface SnapshotParts {
  readonly pipeline: Pipeline
  readonly journal: JournalWriter
  readonly follower: FollowerHandle
  /** Seq of the snapshot the state came from; 0 for none. */
  readonly seq: Seq
  readonly everyCommands: number
  /** Told of each, saved or not. */
  readonly onSaved: (saved: SavedSnapshot) => void
}

/** What became of an attempt; `postponed`: the moment to look did not come. */
type Outcome = 'saved' | 'failed' | 'postponed'

export class Snapshots {
  readonly #parts: SnapshotParts
  #underWay: Promise<Outcome> | null = null
  /** Of the ticks. */
  #nowMs = 0
  /** When one that did not come about is tried again; null when none waits for that. */
  #retryAtMs: number | null = null
  #pauseMs = 0
  #failures = 0
  #failingSinceMs: number | null = null
  #last: SavedSnapshot

  constructor(parts: SnapshotParts) {
    this.#parts = parts
    this.#last = { seq: parts.seq, bytes: 0, tookMs: 0, failure: null }
  }

  /** The newest that was saved. */
  get last(): SavedSnapshot {
    return this.#last
  }

  /** The newest attempt saved none. */
  get isFailing(): boolean {
    return this.#failingSinceMs !== null
  }

  /** Attempts that failed since the start. */
  get failures(): number {
    return this.#failures
  }

  /** Since when none can be saved; 0 when the last attempt was one. */
  get failingMs(): number {
    return this.#failingSinceMs === null ? 0 : this.#nowMs - this.#failingSinceMs
  }

  /**
   * Takes one when it is due; while one is being taken, another is passed over. `nowMs` is of any
   * clock that never goes back.
   */
  tick(nowMs: number): void {
    this.#nowMs = nowMs
    if (this.#underWay !== null) return
    if (this.#retryAtMs === null ? this.#isDue() : nowMs >= this.#retryAtMs) this.take()
  }

  #isDue(): boolean {
    const { pipeline, everyCommands } = this.#parts
    // Large states are saved less often: what snapshots write stays below what the journal writes.
    const due = Math.max(everyCommands, this.#last.bytes / LIMITS.commandBytesTypical)
    return pipeline.clearing.lastSeq - this.#last.seq >= due
  }

  /** Resolves when it is saved, or could not be. */
  take(): Promise<Outcome> {
    this.#underWay ??= this.#take().finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /**
   * The last one, once nothing is under way any more, unless nothing happened since the newest. It
   * is tried twice: what held the last file descriptor may just have been closed.
   */
  async takeLast(): Promise<void> {
    await this.#underWay
    if (this.#parts.pipeline.clearing.lastSeq === this.#last.seq) return
    if ((await this.take()) !== 'saved') await this.take()
  }

  async #take(): Promise<Outcome> {
    const { pipeline, onSaved } = this.#parts
    const saved = await new Promise<SavedSnapshot | null>((resolve) => {
      pipeline.stillMoment.begin((isStill) => resolve(isStill ? this.#order() : null))
    })
    if (saved === null) return this.#again('postponed')
    if (saved.failure === null) {
      this.#last = saved
      this.#retryAtMs = null
      this.#pauseMs = 0
      this.#failingSinceMs = null
    } else {
      this.#failures++
      this.#failingSinceMs ??= this.#nowMs
      this.#again('failed')
    }
    onSaved(saved)
    return saved.failure === null ? 'saved' : 'failed'
  }

  #again(outcome: Outcome): Outcome {
    const { snapshotRetryMsMin, snapshotRetryMsMax } = LIMITS
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, snapshotRetryMsMin), snapshotRetryMsMax)
    this.#retryAtMs = this.#nowMs + this.#pauseMs
    return outcome
  }

  /** No wait in here: the cut of the journal, the seq and the balances belong together. */
  #order(): Promise<SavedSnapshot> | null {
    const { pipeline, journal, follower } = this.#parts
    const { clearing } = pipeline
    if (!journal.cut()) return null
    return follower.snapshot({ seq: clearing.lastSeq, balances: balanceDigest(clearing) })
  }
}
