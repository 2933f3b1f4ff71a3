import { type Hmac, timingSafeEqual } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { faultPoint } from '../../engine/thread/fault-point.ts'
import { dataFolderError } from '../folder-error.ts'
import { MAC_BYTES } from '../keyed-folder.ts'

// Files of snapshots that end with the MAC of all bytes before it.
//
// A file is written under a temporary name, flushed and renamed, so a file with its name is
// complete. A bad file yields a sentence and never a fault, because the journal has everything.

/**
 * A file is written and flushed in pieces, so that a journal commit waits for at most one piece.
 */
const PIECE_BYTES = 1 << 19

/** Why a file cannot be used, as the end of a sentence. */
export class UnusableSnapshot extends Error {
  override name = 'UnusableSnapshot'
}

/** The file could not be opened or read completely, but it may be good. */
export class UnreadSnapshot extends UnusableSnapshot {
  override name = 'UnreadSnapshot'
}

function torn(): UnusableSnapshot {
  return new UnusableSnapshot('is truncated')
}

export function damaged(): UnusableSnapshot {
  return new UnusableSnapshot('is damaged or was written without the key: its MAC does not match')
}

/** Reads a file from its start. The MAC covers what `readChecked` reads. */
export class CheckedReader {
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

  /** Returns the MAC. */
  checkEnd(): Uint8Array {
    const found = this.read(MAC_BYTES)
    if (!timingSafeEqual(this.#mac.digest(), found) || this.#leftBytes > 0) throw damaged()
    return found
  }
}

/** Converts any failure to open or read the file into a sentence. */
export function reading<T>(path: string, mac: Hmac, work: (file: CheckedReader) => T): T {
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

/** The bytes of a section, after their number. */
export function* sectionOf(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0))
  yield length
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES)
  }
}

export interface WrittenFile {
  readonly bytes: number
  readonly mac: Uint8Array
}

/** Writes the whole file or nothing. Throws a DataFolderError. */
export async function writeChecked(
  path: string,
  mac: Hmac,
  pieces: Iterable<Uint8Array>,
): Promise<WrittenFile> {
  const unfinished = `${path}.unfinished`
  try {
    const written = await writePieces(unfinished, pieces, mac)
    faultPoint('mid-snapshot')
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    return written
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

async function writePieces(
  path: string,
  pieces: Iterable<Uint8Array>,
  mac: Hmac,
): Promise<WrittenFile> {
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
    const digest = mac.digest()
    await file.writeFile(digest)
    await file.sync()
    return { bytes: bytes + MAC_BYTES, mac: digest }
  } finally {
    await file.close()
  }
}
