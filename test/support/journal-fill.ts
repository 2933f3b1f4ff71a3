import type { JournalTail } from '../../persistence/journal/journal-port.ts'
import { SqliteJournalWriter } from '../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'

/** Commits `records` (the first is seq tail + 1) in batches, without a thread. */
export function fillJournal(
  dataDir: string,
  records: Iterable<Uint8Array>,
  perBatch = 64,
): JournalTail {
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'normal', tail)
  let lastSeq = tail.seq
  let batch: Uint8Array[] = []
  const commit = () => {
    if (batch.length === 0) return
    lastSeq += batch.length
    writer.commit(lastSeq, Buffer.concat(batch))
    batch = []
  }
  for (const record of records) {
    batch.push(record)
    if (batch.length === perBatch) commit()
  }
  commit()
  writer.close()
  return recoverJournal(dataDir, { visit: () => {} }).tail
}
