import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DataFolderError, type Durability, speaking } from './database.ts'
import type { JournalTail } from './journal-port.ts'

// The last commit, told a second time outside the database. SQLite reopens shorter and content when
// its WAL is lost or damaged; this file is how a start notices.
//
//   0 magic 8 │ 8 seq f64 │ 16 checksum 32 │ 48 durability u8 (0 full, 1 normal) │ zero │
//   120 own check 8
//
// It lies within one sector, is made whole before the first commit and then only overwritten,
// without an fsync: after a power cut it may be old, which is fine, but never torn and never ahead
// of a commit that was `full`.

const HEAD_BYTES = 128
const CHECK_AT = 120
const MAGIC = Buffer.from('OXHEAD1\0', 'latin1')

export interface JournalHead extends JournalTail {
  readonly durability: Durability
}

export function headPath(dataDir: string): string {
  return join(dataDir, 'journal.head')
}

function checkOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes.subarray(0, CHECK_AT)).digest().subarray(0, 8)
}

function fill(bytes: Buffer, head: JournalHead): void {
  MAGIC.copy(bytes, 0)
  bytes.writeDoubleLE(head.seq, 8)
  bytes.set(head.checksum, 16)
  bytes[48] = head.durability === 'full' ? 0 : 1
  checkOf(bytes).copy(bytes, CHECK_AT)
}

/** The head of a data folder, or null when there is none. */
export function readHead(dataDir: string): JournalHead | null {
  const path = headPath(dataDir)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    return speaking(path, () => {
      throw error
    })
  }
  const whole = bytes.length === HEAD_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.length))
  if (!whole || !checkOf(bytes).equals(bytes.subarray(CHECK_AT))) {
    throw new DataFolderError(
      `${path}: the file is damaged, so the end of the journal cannot be checked; ` +
        'restore the data folder from a backup.',
    )
  }
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
  readonly #bytes = Buffer.alloc(HEAD_BYTES)

  constructor(dataDir: string, durability: Durability, tail: JournalTail) {
    this.#durability = durability
    const path = headPath(dataDir)
    const isNew = readHead(dataDir) === null
    this.#file = speaking(path, () => openSync(path, isNew ? 'wx' : 'r+', 0o600))
    speaking(path, () => {
      this.write(tail)
      fsyncSync(this.#file)
      if (isNew) syncFolder(dirname(path))
    })
  }

  write(tail: JournalTail): void {
    fill(this.#bytes, { ...tail, durability: this.#durability })
    writeSync(this.#file, this.#bytes, 0, HEAD_BYTES, 0)
  }

  close(): void {
    closeSync(this.#file)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
