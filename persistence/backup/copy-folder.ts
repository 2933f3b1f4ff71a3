import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import type { TimeMs } from '../../engine/domain/units.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { COPY_MARK, markCopy, unmarkCopy } from '../copy-mark.ts'
import { DataLock } from '../data-lock.ts'
import { DataFolderError, ifThere, makeFolder, speaking, UnreadFolder } from '../folder-error.ts'
import { copySealedKey, readSeal } from '../folder-key.ts'
import { journalPath } from '../journal/journal-end.ts'
import { hasHead } from '../journal/journal-head.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { segmentName } from '../journal/segments/segment-folder.ts'
import { SqliteJournalReader } from '../journal/sqlite-reader.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { placeFile } from '../placed-file.ts'
import type { OfflineOptions } from '../snapshot/recovery.ts'
import { claimOf, isAsWritten } from '../snapshot/snapshot-check.ts'
import {
  ENDING,
  filesIn,
  folderOf,
  snapshotPath,
  snapshotSeqs,
} from '../snapshot/snapshot-folder.ts'
import { CopiedJournal, chunksOf } from './copied-journal.ts'

// A backup is a normal data folder: the journal, its segments, the sealed key and the newest
// snapshots. Segments never change, so each is copied once. It excludes the read tables, which a
// start rebuilds from the journal, and the server key: with both, anyone could read the secrets.
//
// An incomplete copy has a mark, and all starts and commands refuse it.
//
// The source may be in use. Its journal only grows, and each row has a MAC over all earlier rows,
// so the rows up to any point are a complete exchange at that point.

/** Files of an incomplete copy, and files that the file system creates on a separate disk. */
const UNFINISHED_FILES = [
  COPY_MARK,
  'journal.db',
  'journal.db-wal',
  'journal.db-shm',
  'journal.db-journal',
  'snapshots',
  'archive',
  'lock.db',
  'lock.db-journal',
  'lost+found',
]

/** Files allowed in a folder that receives a copy. */
const OWN_FILES = new Set([...UNFINISHED_FILES, 'journal.head', 'server.key'])

/** Whether a folder is empty or contains only an interrupted copy. */
export function isUnfinished(folder: string): boolean {
  const names = ifThere(folder, () => readdirSync(folder)) ?? []
  // A marked copy may already have its head, which is written just before completion.
  if (names.includes(COPY_MARK)) return names.every((name) => OWN_FILES.has(name))
  return names.every((name) => UNFINISHED_FILES.includes(name))
}

/** The same number as an exchange keeps. */
const SNAPSHOTS_KEPT = 2

export interface Copied {
  /** The last command of the copy. */
  readonly seq: Seq
  /** The copy's last command before this run; 0 for a new copy. */
  readonly fromSeq: Seq
  /** The time of that command. */
  readonly lastMs: TimeMs | null
  /** The journal's checksum at `seq`, which identifies this history. */
  readonly checksum: Uint8Array
  /** Seqs of the snapshots in the copy, newest first. */
  readonly snapshots: readonly Seq[]
  /** Names of the segments that neither the source nor the copy has. */
  readonly missing: readonly string[]
  /** Records that a power failure removed from a source with `--durability normal`. */
  readonly lostRecords: number
}

export interface CopyOptions extends OfflineOptions {
  /** The files of segments stay where they are. */
  readonly isListOnly?: boolean
}

/**
 * Copies everything acknowledged when it starts. Data of an earlier copy in the same folder is kept
 * and checked again. All records are checked, old and new. It locks the copy, not the source.
 */
export function copyDataFolder(
  dataDir: string,
  copyDir: string,
  { keyFile, onProgress = () => {}, isListOnly = false }: CopyOptions = {},
): Copied {
  if (!existsSync(journalPath(dataDir))) {
    throw new UnreadFolder(`${dataDir}: there is no journal here; give a data folder.`)
  }
  checkPlaces(dataDir, copyDir)
  const seal = readSeal(dataDir, keyFile)
  if (seal === null) {
    throw new UnreadFolder(
      `${dataDir}: nothing was acknowledged here yet; there is nothing to copy.`,
    )
  }
  makeFolder(copyDir)
  const lock = DataLock.take(copyDir)
  try {
    // A complete copy remains usable while it is updated.
    if (!hasHead(copyDir)) markCopy(copyDir)
    faultPoint('mid-copy')
    const source = seal.keyed(dataDir)
    const copy = seal.keyed(copyDir)
    const { fromSeq, tail, lostRecords } = copyJournal(source, copy, onProgress, isListOnly)
    const { lastMs, snapshots, missing } = copySnapshots(source, copy, tail)
    sealCopy(copy)
    faultPoint('mid-copy')
    unmarkCopy(copyDir)
    return { ...tail, lastMs, fromSeq, lostRecords, snapshots, missing }
  } catch (error) {
    throw ofCopy(error, copyDir)
  } finally {
    lock.release()
  }
}

/** A damaged copy is useless, but its source is available, so the remedy is a new copy. */
function ofCopy(error: unknown, copyDir: string): unknown {
  const damage = error instanceof DataFolderError ? error.damage : null
  if (damage === null || resolve(dirname(damage.path)) !== resolve(copyDir)) return error
  return new DataFolderError(
    `${damage.path}: ${damage.what}. This copy is no longer usable: remove the contents of ` +
      `${copyDir} and run the command again, which copies everything.`,
  )
}

/** The real path of a path that may not exist yet; its parents may contain links. */
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
      `${copyDir}: one of the two folders is inside the other; choose another folder, ` +
        'preferably on another disk.',
    )
  }
  const names = ifThere(copyDir, () => readdirSync(copyDir)) ?? []
  const other = names.find((name) => !OWN_FILES.has(name))
  if (other === undefined) return
  throw new DataFolderError(
    `${copyDir}: it contains ${other}, which is not part of a backup; choose an empty folder or ` +
      'that of an earlier backup.',
  )
}

function copyJournal(
  source: KeyedFolder,
  copy: KeyedFolder,
  onProgress: NonNullable<OfflineOptions['onProgress']>,
  isListOnly: boolean,
): Pick<Copied, 'fromSeq' | 'lostRecords'> & { readonly tail: JournalTail } {
  const reader = new SqliteJournalReader(source)
  const taken = new CopiedJournal(copy)
  try {
    faultPoint('mid-copy')
    // A truncated journal must not become a complete backup.
    const { tail: end, lostRecords } = reader.checkEnd()
    taken.belongsTo(reader)
    const goal = end.seq
    taken.checkRows(goal, onProgress)
    copySealedKey(source.dataDir, copy.dataDir)
    faultPoint('mid-copy')
    taken.addSegments(source, reader.segments, isListOnly)
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

/** The exchange may delete a snapshot meanwhile, but the journal has everything. */
function copySnapshots(
  source: KeyedFolder,
  copy: KeyedFolder,
  tail: JournalTail,
): Pick<Copied, 'lastMs' | 'snapshots' | 'missing'> {
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
    for (const name of filesIn(copy.dataDir)) {
      if (!names.includes(name)) rmSync(join(folderOf(copy.dataDir), name), { force: true })
    }
    const missing = reader.missingSegments.map(segmentName)
    return { lastMs: reader.lastMs, snapshots: kept, missing }
  } finally {
    reader.close()
  }
}

/** A damaged snapshot is excluded, because no start could use it. */
function copySnapshot(source: KeyedFolder, copy: KeyedFolder, seq: Seq): void {
  placeFile(snapshotPath(source.dataDir, seq), snapshotPath(copy.dataDir, seq), (unfinished) =>
    isAsWritten(copy, unfinished),
  )
}

function sealCopy(copy: KeyedFolder): void {
  const journal = new CopiedJournal(copy)
  try {
    journal.seal()
  } finally {
    journal.close()
  }
}
