import type { JournalTail } from '../../persistence/journal/journal-port.ts'
import { SqliteJournalWriter } from '../../persistence/journal/sqlite-journal.ts'
import { recoverJournal } from '../../persistence/snapshot/recovery.ts'

/** Commits `records` (the first is seq tail + 1) in batches, without a thread. */
export function fillJournal(
  dataDir: string,
  records: readonly Uint8Array[],
  perBatch = 64,
): JournalTail {
  const { tail, folder } = recoverJournal(dataDir, { visit: () => {} })
  const writer = new SqliteJournalWriter(folder, 'normal', tail)
  for (let from = 0; from < records.length; from += perBatch) {
    const batch = records.slice(from, from + perBatch)
    writer.commit(tail.seq + from + batch.length, Buffer.concat(batch))
  }
  writer.close()
  return recoverJournal(dataDir, { visit: () => {} }).tail
}
