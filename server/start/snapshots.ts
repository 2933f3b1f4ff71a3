// Decides when to take a snapshot. At a quiescent point main provides its seq and its balances; the
// follower compares them with its own and saves its state. Trading never waits for the save. A
// failed snapshot is retried after a growing pause.

import { setTimeout as pause } from 'node:timers/promises'
import { balanceDigest } from '../../engine/core/state/balance-digest.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REWARD_LIMITS } from '../../engine/domain/rewards/reward-limits.ts'
import type { FollowerHandle, SavedSnapshot } from '../../persistence/follower/follower-handle.ts'
import type { JournalWriter } from '../../persistence/journal/journal-port.ts'
import type { Pipeline } from '../exchange/pipeline.ts'

export interface SnapshotParts {
  readonly pipeline: Pipeline
  readonly journal: JournalWriter
  readonly follower: FollowerHandle
  /** Seq of the snapshot that the start used; 0 for none. */
  readonly seq: Seq
}

export interface SnapshotOptions {
  /** Called for each attempt at a snapshot, saved or failed. */
  readonly onSnapshot?: (saved: SavedSnapshot) => void
  /** Commands between snapshots; defaults to LIMITS.snapshotEveryCommands. */
  readonly snapshotEveryCommands?: number
  /** Receives a sentence for the log: nothing is lost, but an operator should know. */
  readonly onWarning: (sentence: string) => void
}

/** The outcome of an attempt; `postponed` when no quiescent point was reached. */
type Outcome = 'saved' | 'failed' | 'postponed'

export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #requests: SnapshotOptions
  #underWay: Promise<Outcome> | null = null
  /** Time of the last tick. */
  #nowMs = 0
  /** Time of the next retry; null when the last attempt saved a snapshot. */
  #retryAtMs: number | null = null
  #pauseMs = 0
  #failures = 0
  #failingSinceMs: number | null = null
  #last: SavedSnapshot

  constructor(parts: SnapshotParts, requests: SnapshotOptions) {
    this.#parts = parts
    this.#requests = requests
    this.#last = { seq: parts.seq, bytes: 0, tookMs: 0, failure: null }
  }

  /** The newest saved snapshot. */
  get last(): SavedSnapshot {
    return this.#last
  }

  /** Whether the newest attempt failed. */
  get isFailing(): boolean {
    return this.#failingSinceMs !== null
  }

  /** Attempts that failed since the start. */
  get failures(): number {
    return this.#failures
  }

  /** Time since the first of the newest failures; 0 when the newest attempt saved a snapshot. */
  get failingMs(): number {
    return this.#failingSinceMs === null ? 0 : this.#nowMs - this.#failingSinceMs
  }

  /**
   * Takes a snapshot when it is due and none is under way. `nowMs` may come from any clock that
   * never goes back.
   */
  tick(nowMs: number): void {
    this.#nowMs = nowMs
    if (this.#underWay !== null) return
    if (this.#retryAtMs === null ? this.#isDue() : nowMs >= this.#retryAtMs) this.take()
  }

  #isDue(): boolean {
    const { pipeline } = this.#parts
    const everyCommands = this.#requests.snapshotEveryCommands ?? LIMITS.snapshotEveryCommands
    // Large states are saved less often, so that snapshots write less than the journal.
    const due = Math.max(everyCommands, this.#last.bytes / LIMITS.commandBytesTypical)
    return pipeline.clearing.lastSeq - this.#last.seq >= due
  }

  /** Resolves with the outcome of the attempt. */
  take(): Promise<Outcome> {
    this.#underWay ??= this.#take().finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  /**
   * Takes the last snapshot when none is under way, unless nothing happened since the newest. It is
   * tried twice, because the last file descriptor may just have become free.
   */
  async takeLast(): Promise<void> {
    await this.#underWay
    const { pipeline, follower } = this.#parts
    if (pipeline.isStarted && pipeline.clearing.rewards.open !== null) await this.#credited()
    // Later scores are not credited: nothing is stamped after the last snapshot.
    follower.listenToScores(() => {})
    if (pipeline.clearing.lastSeq === this.#last.seq) return
    if ((await this.take()) !== 'saved') await this.take()
  }

  async #take(): Promise<Outcome> {
    const { pipeline } = this.#parts
    const { onSnapshot, onWarning } = this.#requests
    if (pipeline.isStarted && pipeline.clearing.rewards.open !== null) await this.#credited()
    const saved = await new Promise<SavedSnapshot | null>((resolve) => {
      pipeline.quiescentPoint.begin((isQuiescent) => resolve(isQuiescent ? this.#order() : null))
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
    if (saved.failure !== null) {
      onWarning(`No snapshot was saved; trading continues: ${saved.failure}`)
    }
    onSnapshot?.(saved)
    return saved.failure === null ? 'saved' : 'failed'
  }

  /**
   * After a start from a snapshot that follows a sample, its books could no longer be scored, so
   * the snapshot waits until the sample is credited. The wait is bounded: beyond it, a crash may
   * cost the rewards of one minute.
   */
  async #credited(): Promise<void> {
    const { pipeline } = this.#parts
    const { snapshotCreditTries, nextPartMs } = REWARD_LIMITS
    for (let left = snapshotCreditTries; left > 0; left--) {
      if (pipeline.clearing.rewards.open === null) return
      pipeline.mining?.rewards.goOn()
      await pause(nextPartMs)
    }
  }

  #again(outcome: Outcome): Outcome {
    const { snapshotRetryMsMin, snapshotRetryMsMax } = LIMITS
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, snapshotRetryMsMin), snapshotRetryMsMax)
    this.#retryAtMs = this.#nowMs + this.#pauseMs
    return outcome
  }

  /** Must not wait: the cut of the journal, the seq and the balances belong to one instant. */
  #order(): Promise<SavedSnapshot> | null {
    const { pipeline, journal, follower } = this.#parts
    const { clearing } = pipeline
    if (!journal.cut()) return null
    return follower.snapshot({ seq: clearing.lastSeq, balances: balanceDigest(clearing) })
  }
}
