// The journal alone: records go through the ring, group commit with fsync, and the durable seq
// comes back to main. The yardstick commits the same batches straight through SQLite.

import { blankPlace, encodePlace } from '../engine/wire/place-codec.ts'
import { HEAD } from '../engine/wire/record-layout.ts'
import { startJournal } from '../test/support/journal-records.ts'
import { withFolder } from './passes/folder.ts'
import { type BatchSize, replayRaw } from './pipeline/raw-commits.ts'
import { progress } from './report/progress.ts'
import { type BenchOptions, median, type Report, type Row, rowOf } from './report/report.ts'

/** How many records are under way at once, and how many a run commits. */
const WINDOWS = [
  { inFlight: 1, records: 1000 },
  { inFlight: 64, records: 40_000 },
  { inFlight: 1024, records: 200_000 },
] as const
const RUNS = 5

interface Run {
  readonly perSecond: number
  readonly batches: readonly BatchSize[]
}

/** A journal thread that tells the run at hand. */
async function openJournal(dataDir: string) {
  const receive = { durable: (_seq: number) => {}, commit: (_records: number) => {} }
  const { journal, fault } = await startJournal(dataDir, {
    onDurable: (seq) => receive.durable(seq),
    onCommit: (records) => receive.commit(records),
  })
  fault.then((sentence) => {
    throw new Error(sentence)
  })
  return { journal, receive }
}

type OpenJournal = Awaited<ReturnType<typeof openJournal>>

/** Keeps `inFlight` records under way until `count` are durable. */
function drive({ journal, receive }: OpenJournal, inFlight: number, count: number): Promise<Run> {
  const record = encodePlace(blankPlace())
  const view = new DataView(record.buffer)
  const firstSeq = journal.durableSeq + 1
  const lastSeq = journal.durableSeq + count
  const batches: BatchSize[] = []
  let nextSeq = firstSeq
  const fill = (durableSeq: number) => {
    while (nextSeq <= lastSeq && nextSeq - durableSeq <= inFlight) {
      if (journal.freeBytes() < record.length) break
      view.setFloat64(HEAD.seq, nextSeq, true)
      journal.append(nextSeq++, record)
    }
    journal.send()
  }
  receive.commit = (records) => batches.push({ records, bytes: records * record.length })
  const startMs = performance.now()
  return new Promise((resolve) => {
    receive.durable = (seq) => {
      if (seq < lastSeq) fill(seq)
      else resolve({ perSecond: (count * 1000) / (performance.now() - startMs), batches })
    }
    fill(journal.durableSeq)
  })
}

async function oneRun(
  inFlight: number,
  count: number,
): Promise<{ ours: Run; rawPerSecond: number }> {
  const ours = await withFolder(async (dataDir) => {
    const open = await openJournal(dataDir)
    await drive(open, inFlight, Math.min(count, 2000))
    const run = await drive(open, inFlight, count)
    await open.journal.stop()
    return run
  })
  const raw = await withFolder(async (folder) => replayRaw(folder, ours.batches))
  return { ours, rawPerSecond: raw.perSecond }
}

export async function journalBench({ smoke }: BenchOptions): Promise<Report> {
  const rows: Row[] = []
  for (const { inFlight, records } of WINDOWS) {
    const ours: number[] = []
    const raw: number[] = []
    const widths: number[] = []
    for (let run = 0; run < (smoke ? 1 : RUNS); run++) {
      progress(`journal: ${inFlight} in flight, run ${run + 1}`)
      const result = await oneRun(inFlight, smoke ? 100 : records)
      ours.push(result.ours.perSecond)
      raw.push(result.rawPerSecond)
      widths.push(median(result.ours.batches.map((batch) => batch.records)))
    }
    const yardstick = `raw SQLite, the batches of ${inFlight} in flight`
    const title = `${inFlight} in flight`
    const ratio = median(ours) / median(raw)
    rows.push(rowOf(title, 'records/s', ours, { yardstick, ratio }))
    rows.push(rowOf(yardstick, 'records/s', raw))
    rows.push(rowOf(`${title}, the median batch`, 'records', widths))
  }
  return { name: 'journal', rows }
}
