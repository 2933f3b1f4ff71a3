import { type Hmac, timingSafeEqual } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CapturedState } from '../../engine/core/capture.ts'
import { packState, unpackState } from '../../engine/wire/codec.ts'
import { faultPoint } from '../../engine/wire/fault-point.ts'
import { dataFolderError } from '../folder-error.ts'
import type { JournalTail } from '../journal/journal-port.ts'
import { type KeyedFolder, MAC_BYTES, macsOf } from '../keyed-folder.ts'

// One snapshot as bytes, little-endian:
//
//   0 magic 8 │ 8 format u32 │ 12 rules u32 │ 16 seq f64 │ 24 journal checksum at seq 32 │
//   56 state hash 32 │ then its sections: bytes u32, msgpack │ MAC of all before it 32
//
// A file is written under another name, flushed and then renamed, so a file of this name is
// complete. A bad file gives a sentence and never a fault: the journal holds everything.

const MAGIC = Buffer.from('OXSNAP1\0', 'latin1')
/** It grows with every change of the layout above or of CapturedState. */
export const SNAPSHOT_FORMAT = 8
const HEAD_BYTES = 88
const SECTIONS = 11
/**
 * A file is written and flushed in pieces: a commit of the journal waits for one piece at the most.
 */
const PIECE_BYTES = 1 << 19

export interface SnapshotHead extends JournalTail {
  readonly rulesVersion: number
  /** Lowercase hex. */
  readonly stateHash: string
}

/** Why a snapshot cannot be used, as the end of a sentence. */
export class UnusableSnapshot extends Error {
  override name = 'UnusableSnapshot'
}

/** The file could not be opened or read to its end just now, but it may be good. */
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
  if (!MAGIC.equals(bytes.subarray(0, 8))) throw new UnusableSnapshot('is no snapshot')
  const format = bytes.readUInt32LE(8)
  if (format !== SNAPSHOT_FORMAT) {
    throw new UnusableSnapshot(
      `has format ${format}, and this version of outcomex reads ${SNAPSHOT_FORMAT}`,
    )
  }
  return {
    rulesVersion: bytes.readUInt32LE(12),
    seq: bytes.readDoubleLE(16),
    checksum: new Uint8Array(bytes.subarray(24, 56)),
    stateHash: bytes.toString('hex', 56, HEAD_BYTES),
  }
}

/**
 * Gives all bytes of a state, as they follow the head. They are copies, so the state may change
 * meanwhile.
 */
export function packSections(state: CapturedState): Uint8Array[] {
  const { clock, accounts, catalogue, ledger, orders, seen, settlement } = state
  const { modes, heartbeats, frozen, operators } = state
  const parts = [clock, accounts, catalogue, ledger, orders, seen, settlement]
  return [...parts, modes, heartbeats, frozen, operators].map(packState)
}

function unpackSections(sections: readonly Uint8Array[]): CapturedState {
  return {
    clock: unpackState<CapturedState['clock']>(sections[0]),
    accounts: unpackState<CapturedState['accounts']>(sections[1]),
    catalogue: unpackState<CapturedState['catalogue']>(sections[2]),
    ledger: unpackState<CapturedState['ledger']>(sections[3]),
    orders: unpackState<CapturedState['orders']>(sections[4]),
    seen: unpackState<CapturedState['seen']>(sections[5]),
    settlement: unpackState<CapturedState['settlement']>(sections[6]),
    modes: unpackState<CapturedState['modes']>(sections[7]),
    heartbeats: unpackState<CapturedState['heartbeats']>(sections[8]),
    frozen: unpackState<CapturedState['frozen']>(sections[9]),
    operators: unpackState<CapturedState['operators']>(sections[10]),
  }
}

/** Reads a file from its start; the MAC covers what `readChecked` reads. */
class CheckedReader {
  readonly #file: number
  readonly #mac: Hmac
  #leftBytes: number

  constructor(file: number, mac: Hmac) {
    this.#file = file
    this.#mac = mac
    this.#leftBytes = fstatSync(file).size
  }

  read(bytes: number): Buffer {
    if (bytes > this.#leftBytes) throw new UnusableSnapshot('is torn: it ends too early')
    this.#leftBytes -= bytes
    const found = Buffer.alloc(bytes)
    let at = 0
    while (at < bytes) {
      const count = readSync(this.#file, found, at, bytes - at, null)
      if (count === 0) throw new UnusableSnapshot('is torn: it ends too early')
      at += count
    }
    return found
  }

  readChecked(bytes: number): Buffer {
    const found = this.read(bytes)
    this.#mac.update(found)
    return found
  }

  checkEnd(): void {
    const isOurs = timingSafeEqual(this.#mac.digest(), this.read(MAC_BYTES))
    if (isOurs && this.#leftBytes === 0) return
    throw new UnusableSnapshot('is damaged or was written without the key: its check does not hold')
  }
}

/** Turns any failure to open or read the file into a sentence. */
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

/** Gives what the head claims; only the whole file shows whether the claim is true. */
export function readSnapshotHead(folder: KeyedFolder, path: string): SnapshotHead {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => decodeHead(file.read(HEAD_BYTES)))
}

/** Reads the whole file; throws UnusableSnapshot. */
export function readSnapshot(
  folder: KeyedFolder,
  path: string,
): { head: SnapshotHead; state: CapturedState } {
  return reading(path, macsOf(folder, 'snapshot')(), (file) => {
    const head = decodeHead(file.readChecked(HEAD_BYTES))
    const sections: Buffer[] = []
    while (sections.length < SECTIONS) {
      sections.push(file.readChecked(file.readChecked(4).readUInt32LE()))
    }
    file.checkEnd()
    return { head, state: unpackSections(sections) }
  })
}

function* piecesOf(head: SnapshotHead, sections: readonly Uint8Array[]): Generator<Uint8Array> {
  yield encodeHead(head)
  for (const section of sections) {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(section.length)
    yield length
    for (let at = 0; at < section.length; at += PIECE_BYTES) {
      yield section.subarray(at, at + PIECE_BYTES)
    }
  }
}

/** Writes the whole file or nothing, and gives its length in bytes. Throws a DataFolderError. */
export async function writeSnapshot(
  folder: KeyedFolder,
  path: string,
  head: SnapshotHead,
  sections: readonly Uint8Array[],
): Promise<number> {
  const unfinished = `${path}.unfinished`
  try {
    const mac = macsOf(folder, 'snapshot')()
    const bytes = await writePieces(unfinished, piecesOf(head, sections), mac)
    faultPoint('mid-snapshot')
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    return bytes
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw dataFolderError(error, path)
  }
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
