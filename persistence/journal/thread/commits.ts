import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import type { Ring } from '../../../engine/thread/ring.ts'
import type { JournalStats, OnCommit } from '../journal-port.ts'
import type { Checkpoints } from './checkpoints.ts'
import { RECORD_TAG, REPORT, REPORT_F64S } from './journal-thread.ts'

/** What main has appended to a journal thread, and what the thread reported as durable. */
export class Commits {
  readonly stats: JournalStats = { batches: 0, records: 0 }
  appendedSeq: Seq
  durableSeq: Seq
  readonly #checkpoints: Checkpoints
  readonly #onCommit: OnCommit

  /** `seq` is the end of the journal at the start. */
  constructor(seq: Seq, checkpoints: Checkpoints, onCommit: OnCommit = () => {}) {
    this.appendedSeq = seq
    this.durableSeq = seq
    this.#checkpoints = checkpoints
    this.#onCommit = onCommit
  }

  append(ring: Ring, seq: Seq, record: Uint8Array): void {
    assert(seq === this.appendedSeq + 1, 'the sequencer appends without gaps')
    assert(ring.push(RECORD_TAG, record), 'a decided command fits the ring')
    this.appendedSeq = seq
  }

  /** Takes the report that is the present frame of a ring. */
  take(ring: Ring): void {
    const report = new Float64Array(ring.shared, ring.byteOffset, REPORT_F64S)
    const seq = report[REPORT.seq]
    assert(seq > this.durableSeq, 'the durable seq only grows')
    assert(seq <= this.appendedSeq, 'only appended records become durable')
    this.durableSeq = seq
    const records = report[REPORT.records]
    const bytes = report[REPORT.bytes]
    this.stats.batches++
    this.stats.records += records
    this.#checkpoints.committed(bytes)
    this.#onCommit(records, bytes, report[REPORT.micros], {
      ownMicros: report[REPORT.checkpointMicros],
      shortMicros: report[REPORT.shortMicros],
    })
  }
}
