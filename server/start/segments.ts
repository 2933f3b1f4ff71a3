// Decides when a part of the journal is sealed. A separate thread makes the segment; the journal
// thread then removes its rows, between two commits.

import type { Clearing } from '../../engine/core/clearing.ts'
import { reasonOf } from '../../engine/domain/error-code.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { DAY_MS, HOUR_MS } from '../../engine/domain/units.ts'
import { type Sealed, Sealing } from '../../persistence/archive/sealing.ts'
import type { JournalThreadHandle } from '../../persistence/journal/journal-port.ts'
import type { Segment } from '../../persistence/journal/segments/segment-folder.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'
import type { Snapshots } from './snapshots.ts'

/** A start has other work first. */
const FIRST_MS = 60_000

export interface SegmentsParts {
  readonly folder: KeyedFolder
  readonly journal: JournalThreadHandle
  readonly snapshots: Snapshots
  readonly clearing: Clearing
}

export interface SegmentsOptions {
  /** Days that commands stay in the journal; without it they stay for ever. */
  readonly journalDays?: number
  /** Days that segments stay in the archive; 0 keeps them for ever. */
  readonly archiveDays?: number
  /** Bytes of records in a segment; defaults to LIMITS.segmentBytes. */
  readonly segmentBytes?: number
  /** Receives a sentence for the log: nothing is lost, but the journal grows. */
  readonly onWarning: (sentence: string) => void
}

export class Segments {
  readonly #parts: SegmentsParts
  readonly #options: SegmentsOptions
  readonly #bytesMax: number
  #sealing: Sealing | null = null
  /** A segment that the journal did not take yet. */
  #waiting: Segment | null = null
  /** The snapshot that was there at the last attempt, or at the start. */
  #triedAtSeq: Seq
  /** Null before the first tick. */
  #nextTryMs: number | null = null
  #sealedSeq: Seq = 0
  #isStopped = false

  constructor(parts: SegmentsParts, options: SegmentsOptions) {
    this.#parts = parts
    this.#options = options
    this.#bytesMax = options.segmentBytes ?? LIMITS.segmentBytes
    this.#triedAtSeq = parts.snapshots.last.seq
  }

  /**
   * Has the next segment made when it may be due: a while after the start, after a snapshot with
   * enough commands before it, and once an hour. `nowMs` may come from any clock that never goes
   * back.
   */
  tick(nowMs: number): void {
    const { journalDays } = this.#options
    if (journalDays === undefined || this.#isStopped) return
    if (this.#waiting !== null) this.#list(this.#waiting)
    if (this.#sealing !== null || this.#waiting !== null) return
    this.#nextTryMs ??= nowMs + FIRST_MS
    const { seq } = this.#parts.snapshots.last
    const isNew = seq !== this.#triedAtSeq && this.#mayFill(seq)
    if (!isNew && nowMs < this.#nextTryMs) return
    this.#triedAtSeq = seq
    this.#nextTryMs = nowMs + HOUR_MS
    void this.#seal(journalDays)
  }

  /** Whether the commands up to a snapshot may be enough for a segment. */
  #mayFill(seq: Seq): boolean {
    return (seq - this.#sealedSeq) * LIMITS.commandBytesTypical >= this.#bytesMax
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#sealing?.stop()
  }

  async #seal(days: number): Promise<void> {
    const { folder, clearing } = this.#parts
    const { archiveDays = 0 } = this.#options
    const data = {
      folder,
      afterSeq: this.#sealedSeq,
      beforeMs: clearing.lastNowMs - days * DAY_MS + 1,
      bytesMax: this.#bytesMax,
      dropBeforeMs: archiveDays === 0 ? null : clearing.lastNowMs - archiveDays * DAY_MS,
    }
    try {
      this.#sealing = new Sealing(data)
      const sealed = await this.#sealing.sealed
      if (!this.#isStopped) this.#take(sealed)
    } catch (error) {
      // No thread could be started.
      this.#take({ segment: null, failure: reasonOf(error) })
    } finally {
      this.#sealing = null
    }
  }

  #take({ segment, failure }: Sealed): void {
    if (failure !== null) {
      this.#options.onWarning(`No part of the journal was sealed; trading continues: ${failure}`)
    } else if (segment !== null) {
      this.#sealedSeq = segment.lastSeq
      // There may be enough for another one.
      this.#nextTryMs = 0
      this.#list(segment)
    }
  }

  #list(segment: Segment): void {
    this.#waiting = this.#parts.journal.addSegment(segment) ? null : segment
  }
}
