import { BusyClock } from '../../../engine/thread/busy-times.ts'
import { faultPoint } from '../../../engine/thread/fault-point.ts'
import { CheckpointCall } from '../checkpoint-call.ts'
import type { SqliteJournalWriter } from '../sqlite-journal.ts'
import type { BatchBuffer } from './batch-buffer.ts'
import { type JournalThreadData, REPORT, REPORT_F64S } from './journal-thread.ts'

/**
 * Measures commits, checkpoints and the work times between them. `bytes` is the report for main.
 */
export class CommitReport {
  readonly #f64s = new Float64Array(REPORT_F64S)
  readonly bytes = new Uint8Array(this.#f64s.buffer)
  readonly #call: CheckpointCall
  readonly #clock: BusyClock
  #checkpointMicros = 0
  #shortMicros = 0

  constructor({ call, busyTimes }: JournalThreadData) {
    this.#call = new CheckpointCall(call)
    this.#clock = new BusyClock(busyTimes)
  }

  /** The journal is open, so the checkpoint thread may open its file too. */
  opened(): void {
    this.#call.open()
  }

  /** Commits the batch and clears it. */
  commit(journal: SqliteJournalWriter, batch: BatchBuffer): void {
    const { lastSeq, records, count } = batch
    this.#clock.end()
    const startedMs = performance.now()
    faultPoint('before-commit')
    journal.commit(lastSeq, records)
    faultPoint('after-commit')
    this.#f64s[REPORT.micros] = (performance.now() - startedMs) * 1000
    this.#f64s[REPORT.seq] = lastSeq
    this.#f64s[REPORT.records] = count
    this.#f64s[REPORT.bytes] = records.length
    this.#f64s[REPORT.checkpointMicros] = this.#checkpointMicros
    this.#f64s[REPORT.shortMicros] = this.#shortMicros
    this.#checkpointMicros = 0
    this.#shortMicros = 0
    batch.clear()
    this.#clock.begin()
  }

  /** The thread checks for work. */
  begin(): void {
    this.#clock.begin()
  }

  /** A work time has ended. Checkpoint times go into the report of the next commit. */
  end(journal: SqliteJournalWriter): void {
    this.#clock.end()
    const startedMs = performance.now()
    const isTaken = this.#call.take()
    if (isTaken) this.#checkpointMicros = this.#call.micros
    const wasHere = journal.boundWal(this.#call, isTaken)
    if (wasHere) this.#shortMicros = (performance.now() - startedMs) * 1000
  }
}
