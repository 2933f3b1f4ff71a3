import { type Hmac, timingSafeEqual } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { DataFolderError, isFile, speaking } from '../../folder-error.ts'
import { type KeyedFolder, MAC_BYTES, macsOf } from '../../keyed-folder.ts'
import { chain, same } from '../journal-chain.ts'
import type { Batch, JournalTail } from '../journal-port.ts'
import { type Segment, segmentPath } from './segment-folder.ts'

// A segment: consecutive batches of the journal in one compressed file that never changes.
//
//   0 magic 8 │ blocks │ index, 64 for each block │ end 96
//
//   block   brotli of its batches, each: 0 bytes of its records u32 │ 4 count u32 │ 8 records
//   index   0 offset f64 │ 8 compressed bytes u32 │ 12 bytes u32 │ 16 first seq f64 │
//           24 last seq f64 │ 32 checksum of its last batch 32
//   end     0 first seq f64 │ 8 last seq f64 │ 16 blocks u32 │ 20 zero │
//           32 checksum of the batch before 32 │ 64 MAC 32 of the magic, the index and the end up
//           to here
//
// Checksums of batches inside a block are computed again when it is read: with the MAC of the index
// they prove every byte. Brotli at quality 5 was the best of the codecs of Node 20: it halves a
// journal (0.44) at 56 MB/s, and reads it at 490 MB/s; deflate at level 6 leaves 0.47, brotli at
// quality 9 leaves 0.43 at 10 MB/s. One order is read from a block in 0.14 ms, and in 0.5 ms from
// one of 256 KiB, which would be 1.5% smaller.

const MAGIC = Buffer.from('OXSEG1\0\0', 'latin1')
const INDEX_BYTES = 64
const END_BYTES = 96
const MAC_AT = 64
const CHECKSUM_AT = 32
const BATCH_HEAD_BYTES = 8
/** A block ends with the batch that reaches this length. */
const BLOCK_BYTES = 1 << 16

const COMPRESSION = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_LGWIN]: 20,
  },
}

interface Block {
  readonly offset: number
  readonly compressedBytes: number
  readonly bytes: number
  readonly firstSeq: Seq
  readonly lastSeq: Seq
  readonly checksum: Uint8Array
}

function encodeBlock(block: Block): Buffer {
  const entry = Buffer.alloc(INDEX_BYTES)
  entry.writeDoubleLE(block.offset, 0)
  entry.writeUInt32LE(block.compressedBytes, 8)
  entry.writeUInt32LE(block.bytes, 12)
  entry.writeDoubleLE(block.firstSeq, 16)
  entry.writeDoubleLE(block.lastSeq, 24)
  entry.set(block.checksum, CHECKSUM_AT)
  return entry
}

function decodeBlock(entry: Buffer): Block {
  return {
    offset: entry.readDoubleLE(0),
    compressedBytes: entry.readUInt32LE(8),
    bytes: entry.readUInt32LE(12),
    firstSeq: entry.readDoubleLE(16),
    lastSeq: entry.readDoubleLE(24),
    checksum: new Uint8Array(entry.subarray(CHECKSUM_AT)),
  }
}

function macOf(newMac: () => Hmac, index: Uint8Array, end: Uint8Array): Buffer {
  return newMac().update(MAGIC).update(index).update(end.subarray(0, MAC_AT)).digest()
}

/** Writes one segment. Only `finish` makes it complete. */
export class SegmentWriter {
  readonly #path: string
  readonly #newMac: () => Hmac
  readonly #before: JournalTail
  readonly #file: number
  readonly #blocks: Block[] = []
  #offset = MAGIC.length
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #waitingSeq: Seq
  #tail: JournalTail

  /** `before` is the end of the journal before the first batch. */
  constructor(folder: KeyedFolder, path: string, before: JournalTail) {
    this.#path = path
    this.#newMac = macsOf(folder, 'segment')
    this.#before = before
    this.#tail = before
    this.#waitingSeq = before.seq + 1
    this.#file = speaking(path, () => openSync(path, 'w', 0o600))
    this.#write(MAGIC, 0)
  }

  /** Adds a checked batch of the journal. */
  add({ firstSeq, lastSeq, records, checksum }: Batch): void {
    assert(firstSeq === this.#tail.seq + 1, 'a segment has no gap')
    const head = Buffer.alloc(BATCH_HEAD_BYTES)
    head.writeUInt32LE(records.length, 0)
    head.writeUInt32LE(lastSeq - firstSeq + 1, 4)
    this.#waiting.push(head, records)
    this.#waitingBytes += head.length + records.length
    this.#tail = { seq: lastSeq, checksum }
    if (this.#waitingBytes >= BLOCK_BYTES) this.#endBlock()
  }

  /** Returns once the whole file is on disk. */
  finish(): Segment {
    this.#endBlock()
    const index = Buffer.concat(this.#blocks.map(encodeBlock))
    const end = Buffer.alloc(END_BYTES)
    const { seq: lastSeq, checksum } = this.#tail
    const firstSeq = this.#before.seq + 1
    end.writeDoubleLE(firstSeq, 0)
    end.writeDoubleLE(lastSeq, 8)
    end.writeUInt32LE(this.#blocks.length, 16)
    end.set(this.#before.checksum, CHECKSUM_AT)
    end.set(macOf(this.#newMac, index, end), MAC_AT)
    this.#write(index, this.#offset)
    this.#write(end, this.#offset + index.length)
    speaking(this.#path, () => fsyncSync(this.#file))
    const bytes = this.#offset + index.length + END_BYTES
    return { firstSeq, lastSeq, bytes, checksum }
  }

  close(): void {
    closeSync(this.#file)
  }

  #endBlock(): void {
    if (this.#waitingBytes === 0) return
    const compressed = brotliCompressSync(Buffer.concat(this.#waiting), COMPRESSION)
    this.#write(compressed, this.#offset)
    this.#blocks.push({
      offset: this.#offset,
      compressedBytes: compressed.length,
      bytes: this.#waitingBytes,
      firstSeq: this.#waitingSeq,
      lastSeq: this.#tail.seq,
      checksum: this.#tail.checksum,
    })
    this.#offset += compressed.length
    this.#waitingSeq = this.#tail.seq + 1
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #write(bytes: Uint8Array, offset: number): void {
    speaking(this.#path, () => {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#file, bytes, at, bytes.length - at, offset + at)
      }
    })
  }
}

/** Opens a listed segment. Throws a DataFolderError if the file is another one, or damaged. */
export function openSegment(folder: KeyedFolder, path: string, listed: Segment): SegmentReader {
  const file = new SegmentReader(folder, path)
  const { seq, checksum } = file.end
  const isListed = file.firstSeq === listed.firstSeq && seq === listed.lastSeq
  if (isListed && same(checksum, listed.checksum)) return file
  file.close()
  throw DataFolderError.ofDamage(path, 'it is not the segment that the journal lists')
}

/** The checksum of the batch that ends at `seq`; null without such a batch or without the file. */
export function checksumIn(folder: KeyedFolder, listed: Segment, seq: Seq): Uint8Array | null {
  const path = segmentPath(folder.dataDir, listed)
  if (!isFile(path)) return null
  const file = openSegment(folder, path, listed)
  try {
    for (const { lastSeq, checksum } of file.batches(seq)) return lastSeq === seq ? checksum : null
    return null
  } finally {
    file.close()
  }
}

/**
 * Reads every batch of a listed segment; throws a DataFolderError if one is not as written, or if
 * it does not follow `before`.
 */
export function checkSegment(
  folder: KeyedFolder,
  path: string,
  listed: Segment,
  { before, onBatch = () => {} }: { before?: JournalTail; onBatch?: () => void } = {},
): void {
  const file = openSegment(folder, path, listed)
  try {
    const isNext = before === undefined || same(file.before(0).checksum, before.checksum)
    if (!isNext) throw DataFolderError.ofDamage(path, 'it does not follow the segment before it')
    for (const _batch of file.batches(0)) onBatch()
  } finally {
    file.close()
  }
}

/** Reads one segment. Everything that it returns is checked with the key of the folder. */
export class SegmentReader {
  readonly #path: string
  readonly #newMac: () => Hmac
  readonly #file: number
  readonly #blocks: readonly Block[]
  readonly #before: JournalTail
  readonly firstSeq: Seq

  /** Throws a DataFolderError if the file is missing, truncated, or not as written. */
  constructor(folder: KeyedFolder, path: string) {
    this.#path = path
    this.#newMac = macsOf(folder, 'journal')
    this.#file = speaking(path, () => openSync(path, 'r'))
    try {
      const { index, end } = this.#readIndex(macsOf(folder, 'segment'))
      this.firstSeq = end.readDoubleLE(0)
      this.#before = {
        seq: this.firstSeq - 1,
        checksum: new Uint8Array(end.subarray(CHECKSUM_AT, MAC_AT)),
      }
      this.#blocks = Array.from({ length: end.readUInt32LE(16) }, (_, block) =>
        decodeBlock(index.subarray(block * INDEX_BYTES, (block + 1) * INDEX_BYTES)),
      )
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  /** Its last batch. */
  get end(): JournalTail {
    return this.before(Number.MAX_SAFE_INTEGER)
  }

  /** The end of a batch at or before the one with `seq`. */
  before(seq: Seq): JournalTail {
    const last = this.#blocks.findLast((block) => block.lastSeq < seq)
    return last === undefined ? this.#before : { seq: last.lastSeq, checksum: last.checksum }
  }

  /** The batches from the one with `fromSeq` on. */
  *batches(fromSeq: Seq): Generator<Batch, void> {
    let before = this.#before
    for (const block of this.#blocks) {
      if (block.lastSeq >= fromSeq) {
        yield* this.#unpacked(block, before).filter(({ lastSeq }) => lastSeq >= fromSeq)
      }
      before = { seq: block.lastSeq, checksum: block.checksum }
    }
  }

  /** All batches that are stored together with the one of `seq`. The segment must have it. */
  block(seq: Seq): Batch[] {
    const block = this.#blocks.find(({ lastSeq }) => lastSeq >= seq)
    assert(block !== undefined && block.firstSeq <= seq, 'a segment has no gap')
    return this.#unpacked(block, this.before(block.firstSeq))
  }

  close(): void {
    closeSync(this.#file)
  }

  #readIndex(newMac: () => Hmac): { index: Buffer; end: Buffer } {
    const fileBytes = speaking(this.#path, () => fstatSync(this.#file).size)
    if (fileBytes < MAGIC.length + END_BYTES) this.#refuse('it is truncated')
    if (!MAGIC.equals(this.#read(0, MAGIC.length))) this.#refuse('it is not a segment')
    const end = this.#read(fileBytes - END_BYTES, END_BYTES)
    const indexBytes = end.readUInt32LE(16) * INDEX_BYTES
    const indexAt = fileBytes - END_BYTES - indexBytes
    if (indexAt < MAGIC.length) this.#refuse('it is truncated')
    const index = this.#read(indexAt, indexBytes)
    const isOurs = timingSafeEqual(
      macOf(newMac, index, end),
      end.subarray(MAC_AT, MAC_AT + MAC_BYTES),
    )
    if (!isOurs) this.#refuse('it was changed, or written without the key of this folder')
    return { index, end }
  }

  /** All batches of a block: its last checksum proves those before it. */
  #unpacked(block: Block, before: JournalTail): Batch[] {
    const bytes = this.#decompressed(block)
    const batches: Batch[] = []
    let tail = before
    for (let at = 0; at + BATCH_HEAD_BYTES <= bytes.length; ) {
      const recordsAt = at + BATCH_HEAD_BYTES
      const end = recordsAt + bytes.readUInt32LE(at)
      const lastSeq = tail.seq + bytes.readUInt32LE(at + 4)
      const batch = { firstSeq: tail.seq + 1, lastSeq, records: bytes.subarray(recordsAt, end) }
      tail = { seq: lastSeq, checksum: chain(this.#newMac(), tail.checksum, batch) }
      batches.push({ ...batch, checksum: tail.checksum })
      at = end
    }
    if (!same(tail.checksum, block.checksum)) this.#refuseBlock(block)
    return batches
  }

  #decompressed(block: Block): Buffer {
    const compressed = this.#read(block.offset, block.compressedBytes)
    try {
      return brotliDecompressSync(compressed, { maxOutputLength: block.bytes })
    } catch {
      this.#refuseBlock(block)
    }
  }

  #read(offset: number, count: number): Buffer {
    const bytes = Buffer.alloc(count)
    const read = speaking(this.#path, () => readSync(this.#file, bytes, 0, count, offset))
    if (read < count) this.#refuse('it is truncated')
    return bytes
  }

  #refuseBlock({ firstSeq, lastSeq }: Block): never {
    this.#refuse(`its records ${firstSeq} to ${lastSeq} are not as written`)
  }

  #refuse(what: string): never {
    throw DataFolderError.ofDamage(this.#path, `the segment is damaged: ${what}`)
  }
}
