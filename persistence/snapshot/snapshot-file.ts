import { type Hmac, timingSafeEqual } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CapturedState } from '../../engine/core/capture.ts'
import type { CapturedFilter, CapturedSegment } from '../../engine/core/orders/seen-filter.ts'
import { assert } from '../../engine/domain/assert.ts'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { dataFolderError } from '../folder-error.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { type KeyedFolder, MAC_BYTES, macsOf } from '../keyed-folder.ts'
import { readSegment, SEGMENT_SECTION_BYTES_MAX, segmentParts } from './snapshot-names.ts'
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
//   56 state hash 32 │ then its sections (snapshot-sections.ts): bytes u32, msgpack │
// then the names of all orders │ MAC of the bytes before it 32
//
// The names: seed i32, number of segments + 1 u32 (0 = no names), then for each segment: bytes u32,
// snapshot-names.ts.
//
// A file is written under a temporary name, flushed and renamed, so a file with this name is
// complete. A bad file yields a sentence and never a fault, because the journal has everything.

const MAGIC = Buffer.from('OXSNAP1\0', 'latin1')
/** Increases with every change of the layout above or of CapturedState. */
export const SNAPSHOT_FORMAT = 17
const HEAD_BYTES = 88
/**
 * A file is written and flushed in pieces, so that a journal commit waits for at most one piece.
 */
const PIECE_BYTES = 1 << 19

/** The parts to read in addition to the state. */
export interface SnapshotOptions {
  /** The names of all orders, which only a follower needs. */
  readonly names: boolean
}

export interface SnapshotHead extends JournalTail {
  readonly rulesVersion: number
  /** Lowercase hex. */
  readonly stateHash: string
}

/** Why a snapshot cannot be used, as the end of a sentence. */
export class UnusableSnapshot extends Error {
  override name = 'UnusableSnapshot'
}

/** The file could not be opened or read completely, but it may be good. */
export class UnreadSnapshot extends UnusableSnapshot {
  override name = 'UnreadSnapshot'
}

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

function decodeHead(bytes: Buffer): SnapshotHead {
  if (!MAGIC.equals(bytes.subarray(0, 8))) throw new UnusableSnapshot('is not a snapshot')
  const format = bytes.readUInt32LE(8)
  if (format !== SNAPSHOT_FORMAT) {
    throw new UnusableSnapshot(
      `has format ${format}, but this version of outcomex reads ${SNAPSHOT_FORMAT}`,
    )
  }
  return {
    rulesVersion: bytes.readUInt32LE(12),
    seq: bytes.readDoubleLE(16),
    checksum: new Uint8Array(bytes.subarray(24, 56)),
    stateHash: bytes.toString('hex', 56, HEAD_BYTES),
  }
}

function torn(): UnusableSnapshot {
  return new UnusableSnapshot('is truncated')
}

function damaged(): UnusableSnapshot {
  return new UnusableSnapshot('is damaged or was written without the key: its MAC does not match')
}

/** Reads a file from its start. The MAC covers what `readChecked` reads. */
class CheckedReader {
  readonly #file: number
  readonly #mac: Hmac
  #leftBytes: number

  constructor(file: number, mac: Hmac) {
    this.#file = file
    this.#mac = mac
    this.#leftBytes = fstatSync(file).size
  }

  /** Reads the next bytes, into the beginning of `capacity` if given. */
  read(bytes: number, capacity?: Buffer): Buffer {
    if (bytes > this.#leftBytes) throw torn()
    this.#leftBytes -= bytes
    const found = capacity?.subarray(0, bytes) ?? Buffer.alloc(bytes)
    let at = 0
    while (at < bytes) {
      const count = readSync(this.#file, found, at, bytes - at, null)
      if (count === 0) throw torn()
      at += count
    }
    return found
  }

  readChecked(bytes: number, capacity?: Buffer): Buffer {
    const found = this.read(bytes, capacity)
    this.#mac.update(found)
    return found
  }

  /** Skips bytes, in the pieces in which files are written. */
  skipChecked(bytes: number): void {
    const capacity = Buffer.alloc(Math.min(bytes, PIECE_BYTES))
    for (let left = bytes; left > 0; left -= capacity.length) {
      this.readChecked(Math.min(left, capacity.length), capacity)
    }
  }

  checkEnd(): void {
    const isOurs = timingSafeEqual(this.#mac.digest(), this.read(MAC_BYTES))
    if (!isOurs || this.#leftBytes > 0) throw damaged()
  }
}

/** Converts any failure to open or read the file into a sentence. */
function reading<T>(path: string, mac: Hmac, work: (file: CheckedReader) => T): T {
  let file = -1
  try {
    file = openSync(path, 'r')
    return work(new CheckedReader(file, mac))
  } catch (error) {
    if (error instanceof UnusableSnapshot) throw error
    throw new UnreadSnapshot(`cannot be read: ${error instanceof Error ? error.message : error}`)
  } finally {
    if (file >= 0) closeSync(file)
  }
}

/** The head as stored. Only a check of the whole file shows whether it is true. */
export function readSnapshotHead(folder: KeyedFolder, path: string): SnapshotHead {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => decodeHead(file.read(HEAD_BYTES)))
}

function readNames(file: CheckedReader, isWanted: boolean): CapturedFilter | null {
  const head = file.readChecked(8)
  const seed = head.readInt32LE(0)
  const segments: CapturedSegment[] = []
  const count = head.readUInt32LE(4) - 1
  // One buffer for all segments, so that a start with millions of names creates no garbage of their
  // size.
  const buffer = Buffer.alloc(SEGMENT_SECTION_BYTES_MAX)
  for (let next = 0; next < count; next++) {
    const bytes = file.readChecked(4).readUInt32LE()
    if (bytes > buffer.length) throw damaged()
    const section = file.readChecked(bytes, buffer)
    if (isWanted) segments.push(segmentOf(section))
  }
  return isWanted && count >= 0 ? { seed, segments } : null
}

/** The file is checked last, so a section may contain anything here. */
function segmentOf(section: Buffer): CapturedSegment {
  try {
    return readSegment(section)
  } catch {
    throw damaged()
  }
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

/**
 * Reads the whole file, including the names of all orders if requested; throws UnusableSnapshot.
 */
export function readSnapshot(
  folder: KeyedFolder,
  path: string,
  wants: SnapshotOptions,
): { head: SnapshotHead; state: CapturedState } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const head = decodeHead(file.readChecked(HEAD_BYTES))
    const bytesOf = readSections(file, SECTIONS)
    const names = readNames(file, wants.names)
    file.checkEnd()
    return { head, state: unpackedState({ bytesOf, names }) }
  })
}

/** Reads the whole file, and keeps only the holdings; throws UnusableSnapshot. */
export function readHeldState(
  folder: KeyedFolder,
  path: string,
): { head: SnapshotHead; state: HeldState } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const head = decodeHead(file.readChecked(HEAD_BYTES))
    const bytesOf = readSections(file, HELD)
    readNames(file, false)
    file.checkEnd()
    return { head, state: heldState(bytesOf) }
  })
}

function* piecesOf(head: SnapshotHead, { bytesOf, names }: PackedState): Generator<Uint8Array> {
  yield encodeHead(head)
  for (const section of SECTIONS) yield* sectionOf([bytesOf(section)])
  const counted = Buffer.alloc(8)
  counted.writeInt32LE(names?.seed ?? 0)
  counted.writeUInt32LE(names === null ? 0 : names.segments.length + 1, 4)
  yield counted
  for (const segment of names?.segments ?? []) yield* sectionOf(segmentParts(segment))
}

function* sectionOf(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0))
  yield length
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES)
  }
}

/** Writes the whole file or nothing, and returns its length in bytes. Throws a DataFolderError. */
export async function writeSnapshot(
  folder: KeyedFolder,
  path: string,
  head: SnapshotHead,
  state: PackedState,
): Promise<number> {
  const unfinished = `${path}.unfinished`
  try {
    const mac = macsOf(folder, 'snapshot')()
    const bytes = await writePieces(unfinished, piecesOf(head, state), mac)
    faultPoint('mid-snapshot')
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    return bytes
  } catch (error) {
    removed(unfinished)
    throw dataFolderError(error, path)
  }
}

/** A remaining file is deleted by the next save; the error of this save must reach its caller. */
function removed(unfinished: string): void {
  try {
    rmSync(unfinished, { force: true })
  } catch {}
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function writePieces(path: string, pieces: Iterable<Uint8Array>, mac: Hmac): Promise<number> {
  const file = await open(path, 'w', 0o600)
  try {
    let bytes = 0
    let unsynced = 0
    for (const piece of pieces) {
      mac.update(piece)
      await file.writeFile(piece)
      bytes += piece.length
      unsynced += piece.length
      if (unsynced < PIECE_BYTES) continue
      await file.datasync()
      unsynced = 0
    }
    await file.writeFile(mac.digest())
    await file.sync()
    return bytes + MAC_BYTES
  } finally {
    await file.close()
  }
}
