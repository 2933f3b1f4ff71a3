import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/domain/assert.ts'
import { stallPoint } from '../../../engine/thread/fault-point.ts'
import { Ring } from '../../../engine/thread/ring.ts'
import { WakeUps } from '../../../engine/thread/wake-ups.ts'
import { SqliteJournalWriter } from '../sqlite-journal.ts'
import { BatchBuffer } from './batch-buffer.ts'
import { CommitReport } from './commit-report.ts'
import { CUT_TAG, type JournalThreadData, SLEEP_MS, STOP_TAG } from './journal-thread.ts'

// Commits all waiting records as one batch, and reports the durable seq.

assert(parentPort !== null, 'the journal runs in a separate thread')
const port = parentPort
const data: JournalThreadData = workerData
const incoming = new Ring(data.incoming)
const done = new Ring(data.done)
const wakeUps = new WakeUps(data.wakeUps)
const journal = new SqliteJournalWriter(data.folder, data.durability, data.tail, data.lock)
if (data.pagesMax > 0) journal.limitPages(data.pagesMax)
const batch = new BatchBuffer(data.tail.seq)
const report = new CommitReport(data)

function commit(): void {
  wakeUps.ring()
  report.commit(journal, batch)
  while (!done.push(0, report.bytes)) done.waitForSpace()
  done.send()
  if (done.takeWakeUp()) port.postMessage('wake-up')
}

function run(): void {
  let stopping = false
  while (!stopping) {
    incoming.waitForData(SLEEP_MS)
    report.begin()
    stallPoint('journal-stall')
    while (incoming.next()) {
      if (incoming.tag === STOP_TAG) stopping = true
      else if (incoming.tag === CUT_TAG) {
        if (batch.count > 0) commit()
      } else {
        if (!batch.fits(incoming.payloadBytes)) commit()
        batch.add(incoming)
      }
    }
    incoming.free()
    if (batch.count > 0) commit()
    // Files are also checked while idle: a second process may start before the next order.
    else journal.checkFiles()
    report.end(journal)
  }
}

report.opened()
port.postMessage('ready')
run()
journal.close()
process.exit(0)
