import { createHash } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

// The files of the program as one asset of the binary:
//
//   bytes of the index u32 │ index: JSON │ all files, one after another, brotli
//
// The index has the name, length and SHA-256 of each file. It is not compressed, because each start
// reads it.

/** The name of the asset. */
export const ARCHIVE = 'program.archive'

export interface PackedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface IndexEntry {
  readonly name: string
  readonly length: number
  readonly sha256: string
}

const QUALITY = 9

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function packed(files: readonly PackedFile[]): Buffer {
  const index: IndexEntry[] = files.map(({ name, bytes }) => {
    return { name, length: bytes.length, sha256: digestOf(bytes) }
  })
  const head = Buffer.from(JSON.stringify(index))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY }
  const body = brotliCompressSync(Buffer.concat(files.map(({ bytes }) => bytes)), { params })
  return Buffer.concat([length, head, body])
}

export class Archive {
  readonly #bytes: Buffer
  readonly #bodyAt: number
  readonly index: readonly IndexEntry[]
  /** Uniquely identifies this content. */
  readonly digest: string

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#bodyAt = 4 + bytes.readUInt32LE(0)
    const head = bytes.subarray(4, this.#bodyAt)
    this.index = JSON.parse(head.toString('utf8'))
    this.digest = digestOf(head)
  }

  /** All files with their content. */
  files(): PackedFile[] {
    const all = brotliDecompressSync(this.#bytes.subarray(this.#bodyAt))
    let at = 0
    return this.index.map(({ name, length }) => {
      const bytes = all.subarray(at, at + length)
      at += length
      return { name, bytes }
    })
  }
}
