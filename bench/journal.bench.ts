// The journal alone: records go through the ring, group commit with fsync, and the durable seq
// comes back to main. The baseline commits the same batches straight through SQLite.

import { blankPlace, encodePlace } from '../engine/wire/place-codec.ts'
import { HEAD } from '../engine/wire/record-layout.ts'
import { startJournal } from '../test/support/journal-records.ts'
import { type BatchSize, commitRaw, committedRows } from './exchange/raw-commits.ts'
import { benchOf, type Row, repeat } from './harness/bench.ts'
import { withFolder } from './harness/folder.ts'

/** How many records are under way at once, and how many a run commits. */
const WINDOWS = [
  { inFlight: 1, records: 1000 },
  { inFlight: 64, records: 40_000 },
  { inFlight: 1024, records: 200_000 },
]
const WARM_RECORDS_MAX = 2000

/** A journal thread whose callbacks the run at hand sets. */
async function openJournal(dataDir: string) {
  const callbacks = { onDurable: (_seq: number) => {}, onCommit: (_records: number) => {} }
  const { journal, fault } = await startJournal(dataDir, {
    onDurable: (seq) => callbacks.onDurable(seq),
    onCommit: (records) => callbacks.onCommit(records),
  })
  fault.then((sentence) => {
    throw new Error(sentence)
  })
  return { journal, callbacks }
}

type OpenJournal = Awaited<ReturnType<typeof openJournal>>

/** Keeps `inFlight` records under way until `count` are durable. */
function drive({ journal, callbacks }: OpenJournal, inFlight: number, count: number) {
  const record = encodePlace(blankPlace())
  const view = new DataView(record.buffer)
  const lastSeq = journal.durableSeq + count
  const batches: BatchSize[] = []
  let nextSeq = journal.durableSeq + 1
  const fill = (durableSeq: number) => {
    while (nextSeq <= lastSeq && nextSeq - durableSeq <= inFlight) {
      if (journal.freeBytes() < record.length) break
      view.setFloat64(HEAD.seq, nextSeq, true)
      journal.append(nextSeq++, record)
    }
    journal.send()
  }
  callbacks.onCommit = (records) => batches.push({ records, bytes: records * record.length })
  const startMs = performance.now()
  return new Promise<{ perSecond: number; batches: BatchSize[] }>((resolve) => {
    callbacks.onDurable = (seq) => {
      if (seq < lastSeq) fill(seq)
      else resolve({ perSecond: (count * 1000) / (performance.now() - startMs), batches })
    }
    fill(journal.durableSeq)
  })
}

async function runOnce(inFlight: number, count: number) {
  const ours = await withFolder(async (dataDir) => {
    const open = await openJournal(dataDir)
    await drive(open, inFlight, Math.min(count, WARM_RECORDS_MAX))
    const run = await drive(open, inFlight, count)
    await open.journal.stop()
    return run
  })
  const { perSecond: rawPerSecond } = await commitRaw(ours.batches)
  return { ...ours, rawPerSecond }
}

export const bench = benchOf({
  name: 'journal',
  full: { rounds: 5, recordsMax: Infinity },
  smoke: { rounds: 1, recordsMax: 100 },
  rows: async ({ rounds, recordsMax }) => {
    const rows: Row[] = []
    for (const { inFlight, records } of WINDOWS) {
      const name = `${inFlight} in flight`
      const count = Math.min(records, recordsMax)
      const runs = await repeat({ about: `journal: ${name}`, rounds }, () =>
        runOnce(inFlight, count),
      )
      rows.push(...committedRows(name, 'records', runs))
    }
    return rows
  },
})
