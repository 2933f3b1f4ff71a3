import { restore } from '../../engine/core/capture.ts'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { DataFolderError } from '../folder-error.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import {
  readSnapshot,
  readSnapshotHead,
  type SnapshotHead,
  type SnapshotOptions,
  UnreadSnapshot,
  UnusableSnapshot,
} from './snapshot-file.ts'
import { snapshotPath, snapshotSeqs } from './snapshot-folder.ts'

// Checks whether a start may use a snapshot: its bytes and their MAC (snapshot-file.ts), its name,
// its rules version, its journal, the laws of its state, and the hash that its head claims.

/** Gives the checksum of the journal at a seq; null when no batch ends there. */
export type ChecksumAt = (seq: Seq) => Uint8Array | null

function checkHead(head: SnapshotHead, seq: Seq, checksumAt: ChecksumAt): void {
  if (head.seq !== seq) throw new UnusableSnapshot(`holds seq ${head.seq}, not that of its name`)
  if (head.rulesVersion > RULES_VERSION) {
    throw new UnusableSnapshot(
      `is of rules ${head.rulesVersion}, and this version of outcomex knows ${RULES_VERSION}`,
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
  /** The lanes of the order table; 1 when absent. */
  readonly partitions?: number
}

/** Gives the state of one snapshot after every check, or says why it cannot be used. */
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
    if (broken !== null) return `breaks a law: ${broken}`
    const isWhole = exchange.stateHash(nativeSha256) === head.stateHash
    return isWhole ? { exchange, head } : 'holds another state than its hash says'
  } catch (error) {
    if (error instanceof UnusableSnapshot) return error.message
    // A file becomes our state only when it is restored, so a fault in it stops nothing.
    return `cannot be restored: ${error instanceof Error ? error.message : error}`
  }
}

/** Says whether a snapshot is of this journal, by what its head claims. */
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

/** Says whether every byte of a snapshot is as it was written. */
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
  /** Why a start cannot use it; null when it can. */
  readonly unusable: string | null
}

/** Gives the findings for a folder in which a start can use no snapshot. */
export function unusableSnapshots(dataDir: string, unusable: string): SnapshotFinding[] {
  return snapshotSeqs(dataDir).map((seq) => ({ seq, unusable }))
}

/**
 * Checks every snapshot as a start does. `hashOf` gives the hash that a replay of the journal has
 * at a seq. A usable snapshot with another hash means a wrong history, and throws.
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
    if (loaded.head.stateHash === hashOf.get(seq)) return { seq, unusable: null }
    throw new DataFolderError(
      `${snapshotPath(dataDir, seq)}: the snapshot holds another state than the journal has at ` +
        `seq ${seq}; delete the file, the next start then reads the journal.`,
    )
  })
}
