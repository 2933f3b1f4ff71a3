import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { COPY_MARK, markCopy, unmarkCopy } from '../copy-mark.ts'
import { DataLock } from '../data-lock.ts'
import {
  DataFolderError,
  ifThere,
  makeFolder,
  speaking,
  syncFolder,
  UnreadFolder,
} from '../folder-error.ts'
import { copySealedKey, readSeal } from '../folder-key.ts'
import { journalPath } from '../journal/journal-end.ts'
import { hasHead } from '../journal/journal-head.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { SqliteJournalReader } from '../journal/sqlite-journal.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import type { OfflineOptions } from '../snapshot/recovery.ts'
import { claimOf, isAsWritten } from '../snapshot/snapshot-check.ts'
import {
  ENDING,
  folderOf,
  namesIn,
  snapshotPath,
  snapshotSeqs,
} from '../snapshot/snapshot-folder.ts'
import { CopiedJournal, chunksOf } from './copied-journal.ts'

// A backup is a data folder like any other: its journal, the sealed key and the newest snapshots.
// The tables for reads are left out, because a start makes them of the journal. So is the server
// key: who has both can read the secrets.
//
// A copy that is not whole yet has a mark, for which every start and every command refuses it.
//
// The source may be in use. Its journal only grows, and each row has a MAC over all rows before it,
// so the rows up to any one of them are a whole exchange at one moment.

/** What a copy has before it is whole, and what the file system puts into a disk of its own. */
const UNFINISHED_FILES = [
  COPY_MARK,
  ...['journal.db', 'journal.db-wal', 'journal.db-shm', 'journal.db-journal', 'snapshots'],
  ...['lock.db', 'lock.db-journal', 'lost+found'],
]

/** What may stand in a folder that takes a copy. */
const OWN_FILES = new Set([...UNFINISHED_FILES, 'journal.head', 'server.key'])

/** Says whether a folder holds nothing but a copy that was cut off, or nothing at all. */
export function isUnfinished(folder: string): boolean {
  const names = ifThere(folder, () => readdirSync(folder)) ?? []
  // A copy that has its mark may have its head already, which comes just before it is whole.
  if (names.includes(COPY_MARK)) return names.every((name) => OWN_FILES.has(name))
  return names.every((name) => UNFINISHED_FILES.includes(name))
}

/** An exchange keeps as many. */
const SNAPSHOTS_KEPT = 2

export interface Copied {
  /** The last command of the copy. */
  readonly seq: Seq
  /** The last command that the copy had before; 0 for a new one. */
  readonly fromSeq: Seq
  /** The time of that command. */
  readonly lastMs: TimeMs | null
  /** Of the journal up to `seq`; it names this history and no other. */
  readonly checksum: Uint8Array
  /** Seqs of the snapshots in the copy, the newest first. */
  readonly snapshots: readonly Seq[]
  /** What a power cut took from the source, which has `--durability normal`. */
  readonly lostRecords: number
}

/**
 * Copies what is acknowledged when it begins; what an earlier copy to the same folder took is kept
 * and read again. Every record is checked, old and new. It locks the copy, not the source.
 */
export function copyDataFolder(
  dataDir: string,
  copyDir: string,
  { keyFile, onProgress = () => {} }: OfflineOptions = {},
): Copied {
  if (!existsSync(journalPath(dataDir))) {
    throw new UnreadFolder(`${dataDir}: there is no journal here; name a data folder.`)
  }
  checkPlaces(dataDir, copyDir)
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) {
    throw new UnreadFolder(
      `${dataDir}: nothing was acknowledged here yet, there is nothing to copy.`,
    )
  }
  makeFolder(copyDir)
  const lock = DataLock.take(copyDir)
  try {
    // A copy that was whole stays of use while it is brought up to date.
    if (!hasHead(copyDir)) markCopy(copyDir)
    faultPoint('mid-copy')
    const source = seal.keyed(dataDir)
    const copy = seal.keyed(copyDir)
    const { fromSeq, tail, lostRecords } = copyJournal(source, copy, onProgress)
    const { lastMs, snapshots } = copySnapshots(source, copy, tail)
    sealCopy(copy)
    faultPoint('mid-copy')
    unmarkCopy(copyDir)
    return { ...tail, lastMs, fromSeq, lostRecords, snapshots }
  } catch (error) {
    throw ofCopy(error, copyDir)
  } finally {
    lock.release()
  }
}

/** A damaged copy is of no use, and its source is here: the way out is a new copy. */
function ofCopy(error: unknown, copyDir: string): unknown {
  const damage = error instanceof DataFolderError ? error.damage : null
  if (damage === null || resolve(dirname(damage.path)) !== resolve(copyDir)) return error
  return new DataFolderError(
    `${damage.path}: ${damage.what}. This copy is of no use any more: remove what is in ` +
      `${copyDir} and run the command again, which copies everything again.`,
  )
}

/** Where a path leads, also one that is not there yet: links may stand in its parents. */
function placeOf(path: string): string {
  const found = ifThere(path, () => realpathSync(path))
  if (found !== null || dirname(path) === path) return found ?? path
  return join(placeOf(dirname(path)), basename(path))
}

function checkPlaces(dataDir: string, copyDir: string): void {
  const [from, to] = [placeOf(resolve(dataDir)), placeOf(resolve(copyDir))]
  const isIn = (inner: string, outer: string) => `${inner}${sep}`.startsWith(`${outer}${sep}`)
  if (isIn(to, from) || isIn(from, to)) {
    throw new DataFolderError(
      `${copyDir}: one of the two folders lies in the other; choose a folder elsewhere, best on ` +
        'another disk.',
    )
  }
  const names = ifThere(copyDir, () => readdirSync(copyDir)) ?? []
  const other = names.find((name) => !OWN_FILES.has(name))
  if (other === undefined) return
  throw new DataFolderError(
    `${copyDir}: it holds ${other}, which is no part of a backup; choose an empty folder or that ` +
      'of an earlier backup.',
  )
}

function copyJournal(
  source: KeyedFolder,
  copy: KeyedFolder,
  onProgress: NonNullable<OfflineOptions['onProgress']>,
): Pick<Copied, 'fromSeq' | 'lostRecords'> & { readonly tail: JournalTail } {
  const reader = new SqliteJournalReader(source)
  const taken = new CopiedJournal(copy)
  try {
    faultPoint('mid-copy')
    // A journal that lost its end must not become a whole backup.
    const { tail: end, lostRecords } = reader.checkEnd()
    taken.belongsTo(reader)
    const goal = end.seq
    taken.checkRows(goal, onProgress)
    copySealedKey(source.dataDir, copy.dataDir)
    faultPoint('mid-copy')
    const { seq: fromSeq } = taken.tail
    for (const chunk of chunksOf(reader.batches(fromSeq + 1))) {
      taken.add(chunk)
      const { lastSeq } = chunk[chunk.length - 1]
      onProgress(lastSeq, goal)
      if (lastSeq >= goal) break
    }
    return { fromSeq, tail: taken.tail, lostRecords }
  } finally {
    taken.close()
    reader.close()
  }
}

/** The exchange may delete a snapshot meanwhile; the journal holds everything. */
function copySnapshots(
  source: KeyedFolder,
  copy: KeyedFolder,
  tail: JournalTail,
): Pick<Copied, 'lastMs' | 'snapshots'> {
  const reader = new SqliteJournalReader(copy)
  try {
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    const isOurs = (folder: KeyedFolder, seq: Seq) => claimOf(folder, seq, checksumAt) === 'ours'
    makeFolder(folderOf(copy.dataDir))
    for (const seq of snapshotSeqs(copy.dataDir)) {
      const path = snapshotPath(copy.dataDir, seq)
      if (!isAsWritten(copy, path)) speaking(path, () => rmSync(path))
    }
    for (const seq of snapshotSeqs(source.dataDir)) {
      const isNew = seq <= tail.seq && !snapshotSeqs(copy.dataDir).includes(seq)
      if (isNew && isOurs(source, seq)) copySnapshot(source, copy, seq)
    }
    const kept = snapshotSeqs(copy.dataDir)
      .filter((seq) => isOurs(copy, seq))
      .slice(0, SNAPSHOTS_KEPT)
    const names = kept.map((seq) => `${seq}${ENDING}`)
    for (const name of namesIn(copy.dataDir)) {
      if (!names.includes(name)) rmSync(join(folderOf(copy.dataDir), name), { force: true })
    }
    return { lastMs: reader.lastMs, snapshots: kept }
  } finally {
    reader.close()
  }
}

/** A snapshot with a wrong byte stays out: no start could use it. */
function copySnapshot(source: KeyedFolder, copy: KeyedFolder, seq: Seq): void {
  const path = snapshotPath(copy.dataDir, seq)
  const unfinished = `${path}.unfinished`
  speaking(path, () => {
    const isThere = ifThere(snapshotPath(source.dataDir, seq), () => {
      copyFileSync(snapshotPath(source.dataDir, seq), unfinished)
      return true
    })
    if (isThere === null) return
    if (!isAsWritten(copy, unfinished)) {
      rmSync(unfinished)
      return
    }
    const file = openSync(unfinished, 'r+')
    fsyncSync(file)
    closeSync(file)
    renameSync(unfinished, path)
    syncFolder(dirname(path))
  })
}

function sealCopy(copy: KeyedFolder): void {
  const journal = new CopiedJournal(copy)
  try {
    journal.seal()
  } finally {
    journal.close()
  }
}
