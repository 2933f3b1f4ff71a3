import type { Exchange } from '../../engine/core/exchange.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { eachRecord } from '../../engine/wire/codec.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { readSeal } from '../folder-key.ts'
import { SqliteJournalReader } from '../journal/sqlite-journal.ts'
import { DataFolderError, decodeKnown, type OfflineOptions, UnreadFolder } from './recovery.ts'
import { startingState } from './snapshot.ts'

// The state of an exchange as it was. It takes no lock: a running exchange goes on, and what it
// commits meanwhile changes nothing before it.

/** Shows the state behind each of the commands `seqs`, which rise; `newest` is the last of all. */
export function readStates(
  dataDir: string,
  seqs: readonly (Seq | 'newest')[],
  { keyFile, onProgress = () => {} }: OfflineOptions,
  show: (exchange: Exchange) => void,
): void {
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
        `${dataDir}: there is no command ${late}, the last one is ${lastSeq}.`,
      )
    }
    const [seqMax] = wanted
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const { exchange, tail } = startingState(folder, checksumAt, { seqMax, names: false })
    const goal = wanted[wanted.length - 1]
    const order = blankPlace()
    const shown = () => {
      while (wanted[0] === exchange.clearing.lastSeq) {
        show(exchange)
        wanted.shift()
      }
    }
    shown()
    for (const { records, lastSeq: seq } of reader.batches(tail.seq + 1)) {
      if (wanted.length === 0) break
      eachRecord(records, (record) => {
        if (wanted.length === 0) return
        exchange.apply(decodeKnown(record, seq, order))
        shown()
      })
      onProgress(Math.min(seq, goal), goal)
    }
  } finally {
    reader.close()
  }
}
