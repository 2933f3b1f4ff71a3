import { basename } from 'node:path'
import { restore } from '../../engine/core/capture.ts'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { DataFolderError } from '../folder-error.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { UnreadSnapshot, UnusableSnapshot } from './checked-file.ts'
import { namesFault, type SavedNames } from './names-file.ts'
import {
  readSnapshot,
  readSnapshotHead,
  type SnapshotHead,
  type SnapshotOptions,
} from './snapshot-file.ts'
import { namesPath, snapshotPath, snapshotSeqs } from './snapshot-folder.ts'

// Checks whether a start may use a snapshot: its bytes and MAC (snapshot-file.ts), its name, rules
// version and journal, the invariants of its state, and the hash in its head.

/** The journal's checksum at a seq; null if no batch ends there. */
export type ChecksumAt = (seq: Seq) => Uint8Array | null

function checkHead(head: SnapshotHead, seq: Seq, checksumAt: ChecksumAt): void {
  if (head.seq !== seq)
    throw new UnusableSnapshot(`has seq ${head.seq}, which differs from its name`)
  if (head.rulesVersion > RULES_VERSION) {
    throw new UnusableSnapshot(
      `has rules ${head.rulesVersion}, but this version of outcomex supports ${RULES_VERSION}`,
    )
  }
  const checksum = checksumAt(seq)
  if (checksum === null || Buffer.compare(checksum, head.checksum) !== 0) {
    throw new UnusableSnapshot('was not made from this journal')
  }
}

interface Loaded {
  readonly exchange: Exchange
  readonly head: SnapshotHead
}

export interface LoadOptions extends SnapshotOptions {
  /** Partitions of the order table; 1 if absent. */
  readonly partitions?: number
}

/** The state of a snapshot that passes all checks, or why it cannot be used. */
export function loadSnapshot(
  folder: KeyedFolder,
  seq: Seq,
  checksumAt: ChecksumAt,
  wants: LoadOptions,
): Loaded | string {
  try {
    const { head, state } = readSnapshot(folder, snapshotPath(folder.dataDir, seq), wants)
    checkHead(head, seq, checksumAt)
    const exchange = restore(state, new OrderTable(LIMITS.orderSlotsMax, wants.partitions))
    const broken = exchange.checkInvariants()
    if (broken !== null) return `breaks an invariant: ${broken}`
    const isWhole = exchange.stateHash(nativeSha256) === head.stateHash
    return isWhole ? { exchange, head } : 'has a state that does not match its hash'
  } catch (error) {
    if (error instanceof UnusableSnapshot) return error.message
    // Its state is not used until it is fully restored, so a fault in the file stops nothing.
    return `cannot be restored: ${error instanceof Error ? error.message : error}`
  }
}

/** Whether a snapshot belongs to this journal, according to its head. */
export function claimOf(
  folder: KeyedFolder,
  seq: Seq,
  checksumAt: ChecksumAt,
): 'ours' | 'foreign' | 'unread' {
  try {
    const head = readSnapshotHead(folder, snapshotPath(folder.dataDir, seq))
    checkHead(head, seq, checksumAt)
    return 'ours'
  } catch (error) {
    if (error instanceof UnreadSnapshot) return 'unread'
    if (error instanceof UnusableSnapshot) return 'foreign'
    throw error
  }
}

/** Whether all bytes of a snapshot are as written. */
export function isAsWritten(folder: KeyedFolder, path: string): boolean {
  try {
    readSnapshot(folder, path, { names: false })
    return true
  } catch (error) {
    if (error instanceof UnusableSnapshot) return false
    throw error
  }
}

export interface SnapshotFinding {
  readonly seq: Seq
  /** Why a start cannot use it; null if it can. */
  readonly unusable: string | null
}

/** The findings for a folder in which a start can use no snapshot. */
export function unusableSnapshots(dataDir: string, unusable: string): SnapshotFinding[] {
  return snapshotSeqs(dataDir).map((seq) => ({ seq, unusable }))
}

/**
 * Checks every snapshot like a start. `hashOf` returns the hash of a journal replay at a seq. A
 * usable snapshot with another hash means a wrong history, and throws.
 */
export function checkSnapshots(
  folder: KeyedFolder,
  checksumAt: ChecksumAt,
  hashOf: ReadonlyMap<number, string>,
): SnapshotFinding[] {
  const { dataDir } = folder
  return snapshotSeqs(dataDir).map((seq) => {
    const loaded = loadSnapshot(folder, seq, checksumAt, { names: true })
    if (typeof loaded === 'string') return { seq, unusable: loaded }
    // Commands before it may be in segments that are elsewhere.
    const expected = hashOf.get(seq) ?? loaded.head.stateHash
    if (loaded.head.stateHash === expected) return { seq, unusable: null }
    throw new DataFolderError(
      `${snapshotPath(dataDir, seq)}: the state of the snapshot differs from the journal's at ` +
        `seq ${seq}; delete the file; the next start then reads the journal.`,
    )
  })
}

/** Sentences about files of names that a start cannot use. */
export function unusableNames(folder: KeyedFolder): string[] {
  const { dataDir } = folder
  const found = new Set<string>()
  for (const seq of snapshotSeqs(dataDir)) {
    for (const saved of savedNamesOf(folder, seq)) {
      const why = namesFault(folder, saved)
      if (why !== null) found.add(`${basename(namesPath(dataDir, saved.firstSeq))} ${why}`)
    }
  }
  return [...found]
}

/** The files of names that a snapshot refers to, according to its head. */
export function savedNamesOf(folder: KeyedFolder, seq: Seq): readonly SavedNames[] {
  try {
    return readSnapshotHead(folder, snapshotPath(folder.dataDir, seq)).savedNames
  } catch (error) {
    if (error instanceof UnusableSnapshot) return []
    throw error
  }
}
