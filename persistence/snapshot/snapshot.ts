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

// Snapshots are complete states of a journal, so that a start need not read it from the beginning.
// They are copies: a start reports a bad one and uses the next older one or only the journal.

export interface StartingState {
  readonly exchange: Exchange
  /** The state's position in the journal. */
  readonly tail: JournalTail
  /** A sentence for each snapshot that could not be used. */
  readonly passedOver: readonly string[]
}

export interface StateOptions extends LoadOptions {
  /** The highest snapshot seq that may be used. */
  readonly seqMax: Seq
}

/** The state of the newest good snapshot up to `seqMax`; an empty state if there is none. */
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
    passedOver.push(`${snapshotPath(dataDir, seq)} ${loaded}; this snapshot is skipped.`)
  }
  const exchange = new Exchange(new OrderTable(LIMITS.orderSlotsMax, wants.partitions))
  return { exchange, tail: EMPTY_TAIL, passedOver }
}

/** Reads the holdings from a saved snapshot; throws an UnusableSnapshot. */
export function readHeld(folder: KeyedFolder, seq: Seq): { stateHash: string; state: HeldState } {
  const { head, state } = readHeldState(folder, snapshotPath(folder.dataDir, seq))
  return { stateHash: head.stateHash, state }
}

/** A copy of the state at the seq of its head. The state itself may change immediately. */
export interface TakenSnapshot {
  readonly head: SnapshotHead
  readonly state: PackedState
}

/** Copies the state at `tail`. */
export function takeSnapshot(exchange: Exchange, tail: JournalTail): TakenSnapshot {
  const { rulesVersion } = exchange.clearing
  const head = { ...tail, rulesVersion, stateHash: exchange.stateHash(nativeSha256) }
  return { head, state: packedState(capture(exchange)) }
}

/** Keeps the two newest snapshots of this journal. Returns the bytes written. */
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
 * Deletes all snapshots except the newest and one older snapshot of this journal. A snapshot after
 * the newest belongs to a lost history. An unfinished file is useless. A snapshot that cannot be
 * read now is kept.
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
