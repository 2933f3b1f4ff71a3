import { stallPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { WakeUps } from '../../../engine/thread/wake-ups.ts'
import { segmentOf } from '../segments/segment-folder.ts'
import { SqliteJournalWriter } from '../sqlite-journal.ts'
import { BatchBuffer } from './batch-buffer.ts'
import { Cleaner } from './cleaner.ts'
import { CommitReport } from './commit-report.ts'
import { CUT_TAG, type JournalThreadData, SEGMENT_TAG, STOP_TAG } from './journal-thread.ts'

/** Commits all waiting records as one batch, and reports the durable seq. */
export class JournalLoop {
  readonly #incoming: Ring
  readonly #done: Ring
  readonly #wakeUps: WakeUps
  readonly #journal: SqliteJournalWriter
  readonly #batch: BatchBuffer
  readonly #report: CommitReport
  readonly #cleaner: Cleaner
  readonly #wakeMain: () => void

  constructor(data: JournalThreadData, wakeMain: () => void) {
    this.#incoming = new Ring(data.incoming)
    this.#done = new Ring(data.done)
    this.#wakeUps = new WakeUps(data.wakeUps)
    this.#journal = new SqliteJournalWriter(data.folder, data.durability, data.tail, data.lock)
    if (data.pagesMax > 0) this.#journal.limitPages(data.pagesMax)
    this.#batch = new BatchBuffer(data.tail.seq)
    this.#report = new CommitReport(data)
    this.#cleaner = new Cleaner(this.#journal)
    this.#wakeMain = wakeMain
    this.#report.opened()
  }

  /** Returns after main's order to stop, when everything is committed and the journal is closed. */
  run(): void {
    const incoming = this.#incoming
    let isStopping = false
    while (!isStopping) {
      incoming.waitForData(this.#cleaner.sleepMs)
      this.#report.begin()
      stallPoint('journal-stall')
      while (incoming.next()) {
        if (incoming.tag === STOP_TAG) isStopping = true
        else this.#take(incoming)
      }
      incoming.free()
      if (this.#batch.count > 0) this.#commit()
      // Files are also checked while idle: a second process may start before the next order.
      else this.#journal.checkFiles()
      if (incoming.usedBytes() === 0) this.#cleaner.step()
      this.#report.end(this.#journal)
    }
    this.#journal.close()
  }

  #take(incoming: Ring): void {
    const batch = this.#batch
    if (incoming.tag === SEGMENT_TAG) this.#cleaner.addSegment(segmentOf(incoming.bytes))
    else if (incoming.tag === CUT_TAG) {
      if (batch.count > 0) this.#commit()
    } else {
      if (!batch.fits(incoming.payloadBytes)) this.#commit()
      batch.add(incoming)
    }
  }

  #commit(): void {
    const done = this.#done
    this.#wakeUps.ring()
    this.#report.commit(this.#journal, this.#batch)
    while (!done.push(0, this.#report.bytes)) done.waitForSpace()
    done.send()
    if (done.takeWakeUp()) this.#wakeMain()
  }
}
