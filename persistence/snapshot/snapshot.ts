import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '../../engine/core/capture.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { OrderTable } from '../../engine/core/orders/order-table.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { nativeSha256 } from '../../engine/thread/native-sha256.ts'
import { isFile, makeFolder, speaking } from '../folder-error.ts'
import { EMPTY_TAIL } from '../journal/journal-chain.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import type { KeyedFolder } from '../keyed-folder.ts'
import { type SavedNames, writeNames } from './names-file.ts'
import {
  type ChecksumAt,
  claimOf,
  type LoadOptions,
  loadSnapshot,
  savedNamesOf,
} from './snapshot-check.ts'
import { readHeldState, type SnapshotHead, writeSnapshot } from './snapshot-file.ts'
import {
  ENDING,
  filesIn,
  folderOf,
  NAMES_ENDING,
  namesPath,
  snapshotPath,
  snapshotSeqs,
} from './snapshot-folder.ts'
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

export interface WrittenSnapshot {
  /** Written for this snapshot. */
  readonly bytes: number
  /** The closed filters of names, each in a file. */
  readonly savedNames: readonly SavedNames[]
}

/** Keeps the two newest snapshots of this journal, and the names that they refer to. */
export async function saveSnapshot(
  folder: KeyedFolder,
  { head, state }: TakenSnapshot,
  checksumAt: ChecksumAt,
): Promise<WrittenSnapshot> {
  const { dataDir } = folder
  makeFolder(folderOf(dataDir))
  const path = snapshotPath(dataDir, head.seq)
  const names = await saveNames(folder, state.names)
  const { savedNames } = names
  const written = await writeSnapshot(folder, path, head, state, savedNames)
  speaking(folderOf(dataDir), () => prune(folder, { seq: head.seq, savedNames }, checksumAt))
  return { bytes: names.bytes + written.bytes, savedNames }
}

/** Saves the closed filters that have no file yet. */
async function saveNames(
  folder: KeyedFolder,
  names: PackedState['names'],
): Promise<WrittenSnapshot> {
  if (names === null) return { bytes: 0, savedNames: [] }
  const savedNames: SavedNames[] = []
  let bytes = 0
  for (const { firstSeq, startMs, mac, segments } of names.filters.slice(0, -1)) {
    const age = { firstSeq, startMs }
    if (mac !== null && isFile(namesPath(folder.dataDir, firstSeq))) {
      savedNames.push({ ...age, mac })
      continue
    }
    const written = await writeNames(folder, age, { seed: names.seed, segments: segments ?? [] })
    savedNames.push({ ...age, mac: written.mac })
    bytes += written.bytes
  }
  return { bytes, savedNames }
}

/**
 * Deletes all snapshots except the newest and one older snapshot of this journal. A snapshot after
 * the newest belongs to a lost history. An unfinished file is useless. A snapshot that cannot be
 * read now is kept, and so are all names then.
 */
function prune(
  folder: KeyedFolder,
  newest: { readonly seq: Seq; readonly savedNames: readonly SavedNames[] },
  checksumAt: ChecksumAt,
): void {
  const { dataDir } = folder
  const kept = new Set([`${newest.seq}${ENDING}`])
  const keepNames = (saved: readonly SavedNames[]) => {
    for (const { firstSeq } of saved) kept.add(`${firstSeq}${NAMES_ENDING}`)
  }
  keepNames(newest.savedNames)
  let isUnread = false
  for (const seq of snapshotSeqs(dataDir)) {
    if (seq >= newest.seq) continue
    const claim = claimOf(folder, seq, checksumAt)
    if (claim === 'unread') isUnread = true
    if (claim !== 'foreign') kept.add(`${seq}${ENDING}`)
    if (claim !== 'ours') continue
    keepNames(savedNamesOf(folder, seq))
    break
  }
  for (const name of filesIn(dataDir)) {
    if (kept.has(name) || (isUnread && name.endsWith(NAMES_ENDING))) continue
    if (name.includes(ENDING) || name.includes(NAMES_ENDING)) {
      rmSync(join(folderOf(dataDir), name), { force: true })
    }
  }
}
