import { faultPoint } from '../../engine/wire/fault-point.ts'
import type { BatchBuffer } from './batch-buffer.ts'
import { REPORT, REPORT_F64S } from './journal-thread.ts'
import type { SqliteJournalWriter } from './sqlite-journal.ts'

/** Measures each commit and checkpoint; `bytes` is the report for main. */
export class CommitReport {
  readonly #f64s = new Float64Array(REPORT_F64S)
  readonly bytes = new Uint8Array(this.#f64s.buffer)
  #checkpointMicros = 0

  commit(journal: SqliteJournalWriter, batch: BatchBuffer): void {
    const { lastSeq, records, count } = batch
    const startedMs = performance.now()
    faultPoint('before-commit')
    journal.commit(lastSeq, records)
    faultPoint('after-commit')
    this.#f64s[REPORT.micros] = (performance.now() - startedMs) * 1000
    this.#f64s[REPORT.seq] = lastSeq
    this.#f64s[REPORT.records] = count
    this.#f64s[REPORT.bytes] = records.length
    this.#f64s[REPORT.checkpointMicros] = this.#checkpointMicros
    this.#checkpointMicros = 0
  }

  /** The time of a checkpoint goes into the report of the next commit. */
  checkpoint(journal: SqliteJournalWriter): void {
    const startedMs = performance.now()
    if (journal.checkpoint()) this.#checkpointMicros = (performance.now() - startedMs) * 1000
  }
}
