import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture, restore } from '../../engine/core/capture.ts'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { DataFolderError, ifThere, makeFolder, speaking } from '../folder-error.ts'
import { EMPTY_TAIL } from '../journal/journal-chain.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import {
  packSections,
  readSnapshot,
  readSnapshotHead,
  type SnapshotHead,
  UnreadSnapshot,
  UnusableSnapshot,
  writeSnapshot,
} from './snapshot-file.ts'

// Whole states of one journal, so that a start need not read it from its beginning. They are
// copies: whatever is wrong with one is told and the next older, or the journal alone, is taken.

const ENDING = '.snapshot'

/** The checksum a journal holds at a seq; null when none of its batches ends there. */
export type ChecksumAt = (seq: number) => Uint8Array | null

export interface StartingState {
  readonly exchange: Exchange
  /** Where in the journal the state stands. */
  readonly tail: JournalTail
  /** A sentence for each snapshot that could not be used. */
  readonly passedOver: readonly string[]
}

function folderOf(dataDir: string): string {
  return join(dataDir, 'snapshots')
}

export function snapshotPath(dataDir: string, seq: number): string {
  return join(folderOf(dataDir), `${seq}${ENDING}`)
}

function namesIn(dataDir: string): string[] {
  const folder = folderOf(dataDir)
  return ifThere(folder, () => readdirSync(folder)) ?? []
}

/** Newest first. */
export function snapshotSeqs(dataDir: string): number[] {
  const seqs = namesIn(dataDir).flatMap((name) => {
    const seq = /^(\d{1,16})\.snapshot$/.exec(name)?.[1]
    return seq === undefined ? [] : [Number(seq)]
  })
  return seqs.sort((a, b) => b - a)
}

/** Files beside the snapshots: what an unfinished save left is deleted by the next one. */
export function strayFiles(dataDir: string): string[] {
  return namesIn(dataDir).filter((name) => !/^\d{1,16}\.snapshot$/.test(name))
}

function checkHead(head: SnapshotHead, seq: number, checksumAt: ChecksumAt): void {
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

/** The state of one snapshot, checked in every way there is, or why it cannot be used. */
function loadSnapshot(
  folder: KeyedFolder,
  seq: number,
  checksumAt: ChecksumAt,
  lanes = 1,
): Loaded | string {
  try {
    const { head, state } = readSnapshot(folder, snapshotPath(folder.dataDir, seq))
    checkHead(head, seq, checksumAt)
    const exchange = restore(state, new OrderTable(LIMITS.orderSlotsMax, lanes))
    const broken = exchange.checkInvariants()
    if (broken !== null) return `breaks a law: ${broken}`
    const isWhole = exchange.stateHash() === head.stateHash
    return isWhole ? { exchange, head } : 'holds another state than its hash says'
  } catch (error) {
    if (error instanceof UnusableSnapshot) return error.message
    // A file is no state of ours until it is restored: a fault in it stops nothing.
    return `cannot be restored: ${error instanceof Error ? error.message : error}`
  }
}

/** The state of the newest good snapshot up to `seqMax`; the empty one when there is none. */
export function startingState(
  folder: KeyedFolder,
  checksumAt: ChecksumAt,
  seqMax = Number.POSITIVE_INFINITY,
  lanes = 1,
): StartingState {
  const { dataDir } = folder
  const passedOver: string[] = []
  for (const seq of snapshotSeqs(dataDir)) {
    if (seq > seqMax) continue
    const loaded = loadSnapshot(folder, seq, checksumAt, lanes)
    if (typeof loaded !== 'string') {
      return { exchange: loaded.exchange, tail: loaded.head, passedOver }
    }
    passedOver.push(`${snapshotPath(dataDir, seq)} ${loaded}; this snapshot is passed over.`)
  }
  const exchange = new Exchange(new OrderTable(LIMITS.orderSlotsMax, lanes))
  return { exchange, tail: EMPTY_TAIL, passedOver }
}

/**
 * Saves the state, which stands at `tail`, and keeps the two newest of this journal. All of the
 * state is copied before the first wait, so it may go on at once. Gives the bytes written.
 */
export async function saveSnapshot(
  folder: KeyedFolder,
  exchange: Exchange,
  tail: JournalTail,
  checksumAt: ChecksumAt,
): Promise<number> {
  const { rulesVersion } = exchange.clearing
  const head = { ...tail, rulesVersion, stateHash: exchange.stateHash() }
  const sections = packSections(capture(exchange))
  const { dataDir } = folder
  makeFolder(folderOf(dataDir))
  const bytes = await writeSnapshot(folder, snapshotPath(dataDir, tail.seq), head, sections)
  speaking(folderOf(dataDir), () => prune(folder, tail.seq, checksumAt))
  return bytes
}

/**
 * Deletes all but the newest and one older that belongs to this journal. One past the newest is of
 * a history that the journal lost, and one that a kill left unfinished is of no use. What cannot be
 * read just now stays.
 */
function prune(folder: KeyedFolder, newestSeq: number, checksumAt: ChecksumAt): void {
  const { dataDir } = folder
  const kept = new Set([`${newestSeq}${ENDING}`])
  for (const seq of snapshotSeqs(dataDir)) {
    if (seq >= newestSeq) continue
    const claim = claimOf(folder, seq, checksumAt)
    if (claim !== 'foreign') kept.add(`${seq}${ENDING}`)
    if (claim === 'ours') break
  }
  for (const name of namesIn(dataDir)) {
    if (name.includes(ENDING) && !kept.has(name)) {
      rmSync(join(folderOf(dataDir), name), { force: true })
    }
  }
}

/** Whether a snapshot is of this journal, by what its head claims. */
function claimOf(
  folder: KeyedFolder,
  seq: number,
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

export interface SnapshotFinding {
  readonly seq: number
  /** Null when a start can use it. */
  readonly unusable: string | null
}

/** What is to be said of snapshots where no start can use one. */
export function unusableSnapshots(dataDir: string, unusable: string): SnapshotFinding[] {
  return snapshotSeqs(dataDir).map((seq) => ({ seq, unusable }))
}

/**
 * Looks at every snapshot as a start does; `hashOf` gives the hash that a replay of the journal has
 * at a seq. One that can be used and holds another state is a wrong history: it throws.
 */
export function checkSnapshots(
  folder: KeyedFolder,
  checksumAt: ChecksumAt,
  hashOf: ReadonlyMap<number, string>,
): SnapshotFinding[] {
  const { dataDir } = folder
  return snapshotSeqs(dataDir).map((seq) => {
    const loaded = loadSnapshot(folder, seq, checksumAt)
    if (typeof loaded === 'string') return { seq, unusable: loaded }
    if (loaded.head.stateHash === hashOf.get(seq)) return { seq, unusable: null }
    throw new DataFolderError(
      `${snapshotPath(dataDir, seq)}: the snapshot holds another state than the journal has at ` +
        `seq ${seq}; delete the file, the next start then reads the journal.`,
    )
  })
}
