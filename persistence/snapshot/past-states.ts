import type { Exchange } from '../../engine/core/exchange.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { readSeal } from '../folder-key.ts'
import { readUntouched, tailOf } from '../journal/journal-end.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import { DataFolderError, decodeKnown, type OfflineOptions, UnreadFolder } from './recovery.ts'
import { startingState } from './snapshot.ts'

// Past states of an exchange. No lock is needed: a running exchange continues, and its later
// commits change nothing before them.

function recordsOf(batch: Uint8Array): Uint8Array[] {
  const all: Uint8Array[] = []
  eachRecord(batch, (record) => all.push(record))
  return all
}

/** The last command of the journal, without a check; 0 if none. */
export function newestSeq(dataDir: string): Seq {
  return readUntouched(dataDir, (connection) => tailOf(connection).seq) ?? 0
}

/**
 * Shows the state after each of the commands `seqs`, in ascending order; `newest` is the last
 * command. The next command is applied after the state was shown.
 */
export async function readStates(
  dataDir: string,
  seqs: readonly (Seq | 'newest')[],
  { keyFile, onProgress = () => {} }: OfflineOptions,
  show: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) throw new UnreadFolder(`${dataDir}: nothing was acknowledged here yet.`)
  const folder = seal.keyed(dataDir)
  const reader = new SqliteJournalReader(folder)
  try {
    const { lastSeq } = reader
    const wanted = seqs.map((seq) => (seq === 'newest' ? lastSeq : seq))
    const late = wanted.find((seq) => seq > lastSeq)
    if (late !== undefined) {
      throw new DataFolderError(
        `${dataDir}: there is no command ${late}; the last one is ${lastSeq}.`,
      )
    }
    const [seqMax] = wanted
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const { exchange, tail } = startingState(folder, checksumAt, { seqMax, names: false })
    const goal = wanted[wanted.length - 1]
    const order = blankPlace()
    const showWanted = async () => {
      while (wanted[0] === exchange.clearing.lastSeq) {
        await show(exchange)
        wanted.shift()
      }
    }
    await showWanted()
    for (const { records, lastSeq: seq } of reader.batches(tail.seq + 1)) {
      if (wanted.length === 0) break
      for (const record of recordsOf(records)) {
        if (wanted.length === 0) break
        exchange.apply(decodeKnown(record, seq, order))
        if (wanted[0] === exchange.clearing.lastSeq) await showWanted()
      }
      onProgress(Math.min(seq, goal), goal)
    }
  } finally {
    reader.close()
  }
}
