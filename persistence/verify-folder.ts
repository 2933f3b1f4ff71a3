import { readdirSync } from 'node:fs'
import { Exchange } from '../engine/core/exchange.ts'
import {
  claimsOf,
  collateralReport,
  heldIn,
  shareReports,
  type TokenReport,
} from '../engine/core/state/claims.ts'
import { type Solvency, solvencyOf } from '../engine/core/state/solvency.ts'
import type { Command } from '../engine/domain/command.ts'
import type { Seq } from '../engine/domain/ids.ts'
import { nativeSha256 } from '../engine/thread/native-sha256.ts'
import { blankPlace } from '../engine/wire/place-codec.ts'
import { DataFolderError, speaking, UnreadFolder } from './folder-error.ts'
import { readSeal } from './folder-key.ts'
import { checkReadTables, type ReadTablesFinding } from './follower/read-database.ts'
import { hasHead, headPath } from './journal/journal-head.ts'
import {
  archivedNames,
  SEGMENT_NAME,
  type Segment,
  segmentName,
  segmentNames,
} from './journal/segments/segment-folder.ts'
import { SqliteJournalReader } from './journal/sqlite-reader.ts'
import type { KeyedFolder } from './keyed-folder.ts'
import { refuseEmptied } from './snapshot/emptied-folder.ts'
import { lockExisting, type OfflineOptions, type Progress, replay } from './snapshot/recovery.ts'
import {
  checkSnapshots,
  loadSnapshot,
  type SnapshotFinding,
  unusableNames,
  unusableSnapshots,
} from './snapshot/snapshot-check.ts'
import { snapshotSeqs, strayFiles } from './snapshot/snapshot-folder.ts'

// Checks a whole folder offline. A start reads only what follows its snapshot; this reads
// everything.

export interface FolderReport {
  readonly seq: Seq
  readonly stateHash: string
  readonly profiles: number
  readonly markets: number
  readonly openOrders: number
  readonly solvency: Solvency
  /** Collateral first, then the shares of each market that has any. */
  readonly tokens: readonly TokenReport[]
  readonly readTables: ReadTablesFinding
  /** Newest snapshot first. */
  readonly snapshots: readonly SnapshotFinding[]
  readonly lostRecords: number
  /** Names of the segments that were moved away. */
  readonly missing: readonly string[]
  /** Commands up to here are not checked, because segments are missing; 0 if all are. */
  readonly uncheckedSeq: Seq
  /** Sentences about files of names that a start cannot use. */
  readonly unusableNames: readonly string[]
  /** Files that no start reads, as paths relative to the folder. */
  readonly leftOver: readonly string[]
}

const KNOWN_FILES = new Set([
  'journal.db',
  'journal.db-wal',
  'journal.db-shm',
  'journal.db-journal',
  'journal.head',
  'server.key',
  'demo.json',
  'read.db',
  'read.db-wal',
  'read.db-shm',
  'lock.db',
  'lock.db-journal',
  'snapshots',
  'archive',
])

function leftOver(dataDir: string): string[] {
  const names = speaking(dataDir, () => readdirSync(dataDir))
  const unknown = names.filter((name) => !KNOWN_FILES.has(name))
  const stray = strayFiles(dataDir).map((name) => `snapshots/${name}`)
  const odd = archivedNames(dataDir).filter((name) => !SEGMENT_NAME.test(name))
  return [...unknown, ...stray, ...odd.map((name) => `archive/${name}`)].sort()
}

/**
 * Checks a whole folder: the key, the chain, all records, conservation, the snapshots, the read
 * tables. It does not need write access, but takes the lock where possible, so it fails while a
 * server runs. Problems that prevent a start are thrown as a DataFolderError. Those that a start
 * skips or rebuilds are in the report.
 */
export function verifyFolder(
  dataDir: string,
  { keyFile, onProgress = () => {} }: OfflineOptions = {},
): FolderReport {
  const lock = lockExisting(dataDir, 'shared')
  try {
    const seal = readSeal(dataDir, keyFile)
    return seal === null ? emptyReport(dataDir) : verifyKeyed(seal.keyed(dataDir), onProgress)
  } finally {
    lock.release()
  }
}

/** A journal without rows does not show its end; only its head does. */
function requireHead(dataDir: string): void {
  if (hasHead(dataDir)) return
  throw new DataFolderError(
    `${headPath(dataDir)}: the file is missing or empty. This is an unfinished backup: ` +
      'run outcomex backup to it again. Or a first start was interrupted: start again.',
  )
}

/** Nothing was ever acknowledged in this folder, so the next start creates the keys. */
function emptyReport(dataDir: string): FolderReport {
  requireHead(dataDir)
  refuseEmptied(dataDir)
  return {
    ...countsOf(new Exchange()),
    readTables: checkReadTables(dataDir, (seq) => (seq === 0 ? new Uint8Array(32) : null)),
    snapshots: unusableSnapshots(dataDir, 'was not made from this journal'),
    lostRecords: 0,
    leftOver: leftOver(dataDir),
    missing: [],
    uncheckedSeq: 0,
    unusableNames: [],
  }
}

function countsOf(exchange: Exchange) {
  const { accounts, catalogue, orders, lastSeq: seq } = exchange.clearing
  const claims = claimsOf(heldIn(exchange.clearing))
  return {
    seq,
    stateHash: exchange.stateHash(nativeSha256),
    profiles: accounts.count,
    markets: catalogue.count,
    openOrders: orders.live.all,
    solvency: solvencyOf(exchange.clearing),
    tokens: [collateralReport(claims), ...claims.markets.flatMap(shareReports)],
  }
}

function verifyKeyed(folder: KeyedFolder, onProgress: Progress): FolderReport {
  const { dataDir } = folder
  const reader = new SqliteJournalReader(folder)
  try {
    const { tail, lostRecords } = reader.checkEnd()
    requireHead(dataDir)
    refuseEmptied(dataDir)
    const missing = reader.missingSegments
    const hashOf = new Map<number, string>()
    const { exchange, fromSeq } = startOf(folder, reader, missing)
    if (fromSeq > 0) hashOf.set(fromSeq, exchange.stateHash(nativeSha256))
    reader.checkSegments((seq) => onProgress(seq, tail.seq))
    // What lies between the missing segments and that state is not replayed, but its chain is
    // checked.
    for (const { lastSeq } of reader.batches(lastMissing(missing) + 1))
      if (lastSeq >= fromSeq) break
    exchange.clearing.seen.countOnly()
    const visit = (command: Command) => exchange.apply(command)
    const saved = new Set(snapshotSeqs(dataDir))
    const afterBatch = (seq: Seq) => {
      if (saved.has(seq)) hashOf.set(seq, exchange.stateHash(nativeSha256))
    }
    const order = blankPlace()
    replay(reader, { from: fromSeq, to: tail.seq }, { visit, afterBatch, onProgress, order })
    const broken = exchange.checkInvariants()
    if (broken !== null) {
      throw new DataFolderError(`The state at seq ${tail.seq} violates an invariant: ${broken}.`)
    }
    // Counted before the snapshots are loaded: a thread has the books of one exchange at a time.
    const counts = countsOf(exchange)
    const checksumAt = (seq: Seq) => reader.checksumAt(seq)
    return {
      ...counts,
      readTables: checkReadTables(dataDir, checksumAt),
      snapshots: checkSnapshots(folder, checksumAt, hashOf),
      lostRecords,
      leftOver: leftOver(dataDir),
      missing: missing.map(segmentName),
      uncheckedSeq: fromSeq,
      unusableNames: unusableNames(folder),
    }
  } finally {
    reader.close()
  }
}

const lastMissing = (missing: readonly Segment[]): Seq => missing[missing.length - 1]?.lastSeq ?? 0

/** The state from which all later commands are in the folder. */
function startOf(
  folder: KeyedFolder,
  reader: SqliteJournalReader,
  missing: readonly Segment[],
): { exchange: Exchange; fromSeq: Seq } {
  const last = missing[missing.length - 1]
  if (last === undefined) return { exchange: new Exchange(), fromSeq: 0 }
  const checksumAt = (seq: Seq) => reader.checksumAt(seq)
  for (const seq of snapshotSeqs(folder.dataDir).reverse()) {
    if (seq < last.lastSeq) continue
    const loaded = loadSnapshot(folder, seq, checksumAt, { names: false })
    if (typeof loaded !== 'string') return { exchange: loaded.exchange, fromSeq: seq }
  }
  throw new UnreadFolder(
    `${folder.dataDir}: segments of the journal were moved away, and no snapshot after them can ` +
      `be used: put ${segmentNames(missing)} back into its archive.`,
  )
}
