import { type Hmac, timingSafeEqual } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Seq } from '../../engine/domain/ids.ts'
import type { Durability } from '../database.ts'
import { DataFolderError, ifThere, speaking, syncFolder } from '../folder-error.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import type { JournalTail } from './journal-port.ts'

// The last commit, stored a second time outside the database. If the database's WAL is lost or
// damaged, SQLite opens a shorter database without an error. A start detects the loss with this
// file.
//
//   0 magic 8 │ 8 seq f64 │ 16 checksum 32 │ 48 durability u8 (0 full, 1 normal) │ zero │
// 96 MAC of the bytes before it 32
//
// The file fits one disk sector. It is complete before the first commit; later commits overwrite it
// without an fsync. After a power failure it may be old, which is harmless. It is never torn, and
// never ahead of a `full` commit.

const HEAD_BYTES = 128
const MAC_AT = 96
/** A read may see half of a concurrent write. The next read does not. */
const READS_MAX = 4
const MAGIC = Buffer.from('OXHEAD2\0', 'latin1')

export interface JournalHead extends JournalTail {
  readonly durability: Durability
}

export function headPath(dataDir: string): string {
  return join(dataDir, 'journal.head')
}

function macOf(bytes: Uint8Array, mac: Hmac): Buffer {
  return mac.update(bytes.subarray(0, MAC_AT)).digest()
}

function fill(bytes: Buffer, head: JournalHead, mac: Hmac): void {
  MAGIC.copy(bytes, 0)
  bytes.writeDoubleLE(head.seq, 8)
  bytes.set(head.checksum, 16)
  bytes[48] = head.durability === 'full' ? 0 : 1
  macOf(bytes, mac).copy(bytes, MAC_AT)
}

/** The head of a data folder; null if the file is absent or empty. */
export function readHead(folder: KeyedFolder): JournalHead | null {
  const newMac = macsOf(folder, 'journal head')
  for (let reads = 0; reads < READS_MAX; reads++) {
    const bytes = headBytes(folder.dataDir)
    if (bytes === null) return null
    if (timingSafeEqual(macOf(bytes, newMac()), bytes.subarray(MAC_AT))) return decode(bytes)
  }
  throw DataFolderError.ofDamage(
    headPath(folder.dataDir),
    'the file is damaged, or was written without the key of this folder, so the end of the ' +
      'journal cannot be checked',
  )
}

/**
 * The seq in a head; 0 without a head. The MAC is not checked, because the folder key is not known
 * yet.
 */
export function claimedSeq(dataDir: string): Seq {
  const bytes = headBytes(dataDir)
  return bytes === null ? 0 : decode(bytes).seq
}

/**
 * Whether a folder was ever finished: starts and backups write the head before they end. A folder
 * without a head may be new, or an unfinished backup.
 */
export function hasHead(dataDir: string): boolean {
  return headBytes(dataDir) !== null
}

function headBytes(dataDir: string): Buffer | null {
  const path = headPath(dataDir)
  const bytes = ifThere(path, () => readFileSync(path))
  // A first start may end before it writes. If records exist, `checkEnd` refuses an empty head.
  if (bytes === null || bytes.length === 0) return null
  const whole = bytes.length === HEAD_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.length))
  if (whole) return bytes
  throw DataFolderError.ofDamage(
    path,
    'the file is damaged, so the end of the journal cannot be checked',
  )
}

function decode(bytes: Buffer): JournalHead {
  return {
    seq: bytes.readDoubleLE(8),
    checksum: new Uint8Array(bytes.subarray(16, 48)),
    durability: bytes[48] === 0 ? 'full' : 'normal',
  }
}

/** The writer's side: one small write after each commit. */
export class HeadFile {
  readonly #file: number
  readonly #durability: Durability
  readonly #newMac: () => Hmac
  readonly #bytes = Buffer.alloc(HEAD_BYTES)

  constructor(folder: KeyedFolder, durability: Durability, tail: JournalTail) {
    this.#durability = durability
    this.#newMac = macsOf(folder, 'journal head')
    const path = headPath(folder.dataDir)
    const isNew = readHead(folder) === null
    this.#file = speaking(path, () => openSync(path, isNew ? 'w' : 'r+', 0o600))
    speaking(path, () => {
      this.write(tail)
      fsyncSync(this.#file)
      if (isNew) syncFolder(dirname(path))
    })
  }

  write(tail: JournalTail): void {
    fill(this.#bytes, { ...tail, durability: this.#durability }, this.#newMac())
    writeSync(this.#file, this.#bytes, 0, HEAD_BYTES, 0)
  }

  /** Returns once the newest head is on disk. */
  sync(): void {
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }
}
