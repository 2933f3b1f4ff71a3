import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '../../engine/core/capture.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { makeFolder, speaking } from '../folder-error.ts'
import { EMPTY_TAIL } from '../journal/journal-chain.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { type ChecksumAt, claimOf, type LoadOptions, loadSnapshot } from './snapshot-check.ts'
import { readHeldState, type SnapshotHead, writeSnapshot } from './snapshot-file.ts'
import { ENDING, folderOf, namesIn, snapshotPath, snapshotSeqs } from './snapshot-folder.ts'
import { type HeldState, type PackedState, packedState } from './snapshot-sections.ts'

// Snapshots are whole states of one journal, so that a start need not read it from its beginning.
// They are copies: a start reports a bad one, and takes the next older one or the journal alone.

export interface StartingState {
  readonly exchange: Exchange
  /** Where in the journal the state stands. */
  readonly tail: JournalTail
  /** A sentence for each snapshot that could not be used. */
  readonly passedOver: readonly string[]
}

export interface StateOptions extends LoadOptions {
  /** The seq of the newest snapshot that may be used. */
  readonly seqMax: Seq
}

/**
 * Gives the state of the newest good snapshot up to `seqMax`; an empty state when there is none.
 */
export function startingState(
  folder: KeyedFolder,
  checksumAt: ChecksumAt,
  wants: StateOptions,
): StartingState {
  const { dataDir } = folder
  const passedOver: string[] = []
  for (const seq of snapshotSeqs(dataDir)) {
    if (seq > wants.seqMax) continue
    const loaded = loadSnapshot(folder, seq, checksumAt, wants)
    if (typeof loaded !== 'string') {
      return { exchange: loaded.exchange, tail: loaded.head, passedOver }
    }
    passedOver.push(`${snapshotPath(dataDir, seq)} ${loaded}; this snapshot is passed over.`)
  }
  const exchange = new Exchange(new OrderTable(LIMITS.orderSlotsMax, wants.partitions))
  return { exchange, tail: EMPTY_TAIL, passedOver }
}

/** Reads from a saved snapshot who holds what; throws an UnusableSnapshot. */
export function readHeld(folder: KeyedFolder, seq: Seq): { stateHash: string; state: HeldState } {
  const { head, state } = readHeldState(folder, snapshotPath(folder.dataDir, seq))
  return { stateHash: head.stateHash, state }
}

/** A state as it stood at the seq of its head: a copy, so the state itself may change at once. */
export interface TakenSnapshot {
  readonly head: SnapshotHead
  readonly state: PackedState
}

/** Copies a state that stands at `tail`. */
export function takeSnapshot(exchange: Exchange, tail: JournalTail): TakenSnapshot {
  const { rulesVersion } = exchange.clearing
  const head = { ...tail, rulesVersion, stateHash: exchange.stateHash(nativeSha256) }
  return { head, state: packedState(capture(exchange)) }
}

/** Keeps the two newest snapshots of this journal. Gives the bytes written. */
export async function saveSnapshot(
  folder: KeyedFolder,
  { head, state }: TakenSnapshot,
  checksumAt: ChecksumAt,
): Promise<number> {
  const { dataDir } = folder
  makeFolder(folderOf(dataDir))
  const path = snapshotPath(dataDir, head.seq)
  const bytes = await writeSnapshot(folder, path, head, state)
  speaking(folderOf(dataDir), () => prune(folder, head.seq, checksumAt))
  return bytes
}

/**
 * Deletes all snapshots but the newest and one older that belongs to this journal. A snapshot past
 * the newest is of a history that the journal lost. An unfinished file is of no use. A snapshot
 * that cannot be read just now stays.
 */
function prune(folder: KeyedFolder, newestSeq: Seq, checksumAt: ChecksumAt): void {
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
