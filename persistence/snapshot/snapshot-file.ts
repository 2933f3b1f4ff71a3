import type { CapturedState } from '../../engine/core/capture.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { type KeyedFolder, MAC_BYTES, macsOf } from '../keyed-folder.ts'
import {
  type CheckedReader,
  reading,
  sectionOf,
  UnusableSnapshot,
  type WrittenFile,
  writeChecked,
} from './checked-file.ts'
import { readNames, readSegments, type SavedNames, segmentPieces } from './names-file.ts'
import {
  HELD,
  type HeldState,
  heldState,
  type PackedState,
  SECTIONS,
  type Section,
  unpackedState,
} from './snapshot-sections.ts'

// The bytes of a snapshot, little-endian:
//
//   0 magic 8 │ 8 format u32 │ 12 rules u32 │ 16 seq f64 │ 24 journal checksum at seq 32 │
//   56 state hash 32 │ 88 number of closed filters of names u32 │ then each of them, and the age of
//   the open filter: first seq f64, start f64, MAC of its file 32 (zeros for the open filter) │
//   then the sections (snapshot-sections.ts): bytes u32, msgpack │ the names of the open filter
//   (names-file.ts) │ MAC of the bytes before it 32
//
// Format 18 has no order groups. Format 17 has no list of filters either, and the names of all
// orders.

const MAGIC = Buffer.from('OXSNAP1\0', 'latin1')
/** Increases with every change of the layout above or of CapturedState. */
export const SNAPSHOT_FORMAT = 19
const WITHOUT_LIST = 17
const HEAD_BYTES = 88
const SAVED_NAMES_BYTES = 16 + MAC_BYTES

/** The parts to read in addition to the state. */
export interface SnapshotOptions {
  /** The names of orders, which only a follower needs. */
  readonly names: boolean
}

export interface SnapshotHead extends JournalTail {
  readonly rulesVersion: number
  /** Lowercase hex. */
  readonly stateHash: string
}

/** The filters of names by age, oldest first. The last one is open. */
type Ages = readonly SavedNames[]
const FIRST: SavedNames = { firstSeq: 1, startMs: 0, mac: new Uint8Array(MAC_BYTES) }

function encodeHead(head: SnapshotHead): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES)
  MAGIC.copy(bytes, 0)
  bytes.writeUInt32LE(SNAPSHOT_FORMAT, 8)
  bytes.writeUInt32LE(head.rulesVersion, 12)
  bytes.writeDoubleLE(head.seq, 16)
  bytes.set(head.checksum, 24)
  bytes.write(head.stateHash, 56, 'hex')
  return bytes
}

function decodeHead(bytes: Buffer): SnapshotHead & { readonly format: number } {
  if (!MAGIC.equals(bytes.subarray(0, 8))) throw new UnusableSnapshot('is not a snapshot')
  const format = bytes.readUInt32LE(8)
  if (format < WITHOUT_LIST || format > SNAPSHOT_FORMAT) {
    throw new UnusableSnapshot(
      `has format ${format}, but this version of outcomex reads ${SNAPSHOT_FORMAT}`,
    )
  }
  return {
    format,
    rulesVersion: bytes.readUInt32LE(12),
    seq: bytes.readDoubleLE(16),
    checksum: new Uint8Array(bytes.subarray(24, 56)),
    stateHash: bytes.toString('hex', 56, HEAD_BYTES),
  }
}

function encodeAges(ages: Ages): Buffer {
  const bytes = Buffer.alloc(4 + ages.length * SAVED_NAMES_BYTES)
  bytes.writeUInt32LE(ages.length - 1)
  for (const [index, { firstSeq, startMs, mac }] of ages.entries()) {
    const at = 4 + index * SAVED_NAMES_BYTES
    bytes.writeDoubleLE(firstSeq, at)
    bytes.writeDoubleLE(startMs, at + 8)
    bytes.set(mac, at + 16)
  }
  return bytes
}

function readHead(file: CheckedReader): { readonly head: SnapshotHead; readonly ages: Ages } {
  const { format, ...head } = decodeHead(file.readChecked(HEAD_BYTES))
  if (format === WITHOUT_LIST) return { head, ages: [FIRST] }
  const closed = file.readChecked(4).readUInt32LE()
  const ages: SavedNames[] = []
  while (ages.length <= closed) {
    const bytes = file.readChecked(SAVED_NAMES_BYTES)
    const mac = new Uint8Array(bytes.subarray(16))
    ages.push({ firstSeq: bytes.readDoubleLE(0), startMs: bytes.readDoubleLE(8), mac })
  }
  return { head, ages }
}

/** The head as stored. Only a check of the whole file shows whether it is true. */
export function readSnapshotHead(
  folder: KeyedFolder,
  path: string,
): SnapshotHead & { readonly savedNames: readonly SavedNames[] } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const { head, ages } = readHead(file)
    return { ...head, savedNames: ages.slice(0, -1) }
  })
}

/** Reads the sections, and keeps the requested ones. */
function readSections(file: CheckedReader, wanted: readonly Section[]): PackedState['bytesOf'] {
  const found = new Map<Section, Buffer>()
  for (const name of SECTIONS) {
    const bytes = file.readChecked(4).readUInt32LE()
    if (wanted.includes(name)) found.set(name, file.readChecked(bytes))
    else file.skipChecked(bytes)
  }
  return (name) => {
    const bytes = found.get(name)
    assert(bytes !== undefined, 'only a requested section is unpacked')
    return bytes
  }
}

/** Reads the whole file, and the names of orders if requested; throws UnusableSnapshot. */
export function readSnapshot(
  folder: KeyedFolder,
  path: string,
  wants: SnapshotOptions,
): { head: SnapshotHead; state: CapturedState } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const { head, ages } = readHead(file)
    const bytesOf = readSections(file, SECTIONS)
    const open = readSegments(file, wants.names)
    file.checkEnd()
    if (open === null) return { head, state: unpackedState({ bytesOf, names: null }) }
    const { seed, segments } = open
    const closed = ages.slice(0, -1).map((age) => readNames(folder, age))
    const filters = [...closed, { ...ages[ages.length - 1], mac: null, segments }]
    return { head, state: unpackedState({ bytesOf, names: { seed, filters } }) }
  })
}

/** Reads the whole file, and keeps only the holdings; throws UnusableSnapshot. */
export function readHeldState(
  folder: KeyedFolder,
  path: string,
): { head: SnapshotHead; state: HeldState } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const { head } = readHead(file)
    const bytesOf = readSections(file, HELD)
    readSegments(file, false)
    file.checkEnd()
    return { head, state: heldState(bytesOf) }
  })
}

function* piecesOf(
  head: SnapshotHead,
  { bytesOf, names }: PackedState,
  saved: readonly SavedNames[],
): Generator<Uint8Array> {
  const { firstSeq, startMs, segments } = names?.filters.at(-1) ?? { ...FIRST, segments: null }
  yield encodeHead(head)
  yield encodeAges([...saved, { ...FIRST, firstSeq, startMs }])
  for (const section of SECTIONS) yield* sectionOf([bytesOf(section)])
  yield* segmentPieces(names === null ? null : { seed: names.seed, segments: segments ?? [] })
}

/** Writes the whole file or nothing. Its closed filters are saved. Throws a DataFolderError. */
export function writeSnapshot(
  folder: KeyedFolder,
  path: string,
  head: SnapshotHead,
  state: PackedState,
  saved: readonly SavedNames[],
): Promise<WrittenFile> {
  return writeChecked(path, macsOf(folder, 'snapshot')(), piecesOf(head, state, saved))
}
