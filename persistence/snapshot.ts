import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture, restore } from '../engine/core/capture.ts'
import { RULES_VERSION } from '../engine/core/clearing.ts'
import { Exchange } from '../engine/core/exchange.ts'
import { OrderTable } from '../engine/core/order-table.ts'
import { LIMITS } from '../engine/domain/limits.ts'
import { DataFolderError, speaking } from './database.ts'
import type { JournalTail } from './journal-port.ts'
import {
  packSections,
  readSnapshot,
  readSnapshotHead,
  type SnapshotHead,
  UnusableSnapshot,
  writeSnapshot,
} from './snapshot-file.ts'
import { EMPTY_TAIL } from './sqlite-journal.ts'

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
  try {
    return readdirSync(folderOf(dataDir))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    return speaking(folderOf(dataDir), () => {
      throw error
    })
  }
}

/** Newest first. */
export function snapshotSeqs(dataDir: string): number[] {
  const seqs = namesIn(dataDir).flatMap((name) => {
    const seq = /^(\d{1,16})\.snapshot$/.exec(name)?.[1]
    return seq === undefined ? [] : [Number(seq)]
  })
  return seqs.sort((a, b) => b - a)
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
  dataDir: string,
  seq: number,
  checksumAt: ChecksumAt,
  lanes = 1,
): Loaded | string {
  try {
    const { head, state } = readSnapshot(snapshotPath(dataDir, seq))
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
  dataDir: string,
  checksumAt: ChecksumAt,
  seqMax = Number.POSITIVE_INFINITY,
  lanes = 1,
): StartingState {
  const passedOver: string[] = []
  for (const seq of snapshotSeqs(dataDir)) {
    if (seq > seqMax) continue
    const loaded = loadSnapshot(dataDir, seq, checksumAt, lanes)
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
  dataDir: string,
  exchange: Exchange,
  tail: JournalTail,
  checksumAt: ChecksumAt,
): Promise<number> {
  const { rulesVersion } = exchange.clearing
  const head = { ...tail, rulesVersion, stateHash: exchange.stateHash() }
  const sections = packSections(capture(exchange))
  const folder = folderOf(dataDir)
  speaking(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const bytes = await writeSnapshot(snapshotPath(dataDir, tail.seq), head, sections)
  speaking(folder, () => prune(dataDir, tail.seq, checksumAt))
  return bytes
}

/**
 * Deletes all but the newest and one older that belongs to this journal. One past the newest is of
 * a history that the journal lost, and one that a kill left unfinished is of no use.
 */
function prune(dataDir: string, newestSeq: number, checksumAt: ChecksumAt): void {
  const belongs = (seq: number) => belongsTo(dataDir, seq, checksumAt)
  const older = snapshotSeqs(dataDir).find((seq) => seq < newestSeq && belongs(seq))
  const kept = [newestSeq, older].map((seq) => `${seq}${ENDING}`)
  for (const name of namesIn(dataDir)) {
    if (name.includes(ENDING) && !kept.includes(name)) {
      rmSync(join(folderOf(dataDir), name), { force: true })
    }
  }
}

function belongsTo(dataDir: string, seq: number, checksumAt: ChecksumAt): boolean {
  try {
    checkHead(readSnapshotHead(snapshotPath(dataDir, seq)), seq, checksumAt)
    return true
  } catch (error) {
    if (error instanceof UnusableSnapshot) return false
    throw error
  }
}

export interface SnapshotFinding {
  readonly seq: number
  /** Null when a start can use it. */
  readonly unusable: string | null
}

/**
 * Looks at every snapshot as a start does; `hashOf` gives the hash that a replay of the journal has
 * at a seq. One that can be used and holds another state is a wrong history: it throws.
 */
export function checkSnapshots(
  dataDir: string,
  checksumAt: ChecksumAt,
  hashOf: ReadonlyMap<number, string>,
): SnapshotFinding[] {
  return snapshotSeqs(dataDir).map((seq) => {
    const loaded = loadSnapshot(dataDir, seq, checksumAt)
    if (typeof loaded === 'string') return { seq, unusable: loaded }
    if (loaded.head.stateHash === hashOf.get(seq)) return { seq, unusable: null }
    throw new DataFolderError(
      `${snapshotPath(dataDir, seq)}: the snapshot holds another state than the journal has at ` +
        `seq ${seq}; delete the file, the next start then reads the journal.`,
    )
  })
}
