// Several texts or byte strings in one frame: each after its length u32 and 0 u32, padded to eight.

import { byteLengthOf, type Part } from './payload.ts'

const HEAD_BYTES = 8

function spanOf(length: number): number {
  return HEAD_BYTES + ((length + 7) & ~7)
}

export function partsBytes(parts: readonly Part[]): number {
  let bytes = 0
  for (const part of parts) bytes += spanOf(byteLengthOf(part))
  return bytes
}

/** Writes from `at` on. */
export function writeParts(buffer: Buffer, parts: readonly Part[], at: number): void {
  let next = at
  for (const part of parts) {
    const length = byteLengthOf(part)
    buffer.writeUInt32LE(length, next)
    buffer.writeUInt32LE(0, next + 4)
    if (typeof part === 'string') buffer.write(part, next + HEAD_BYTES)
    else buffer.set(part, next + HEAD_BYTES)
    next += spanOf(length)
  }
}

/** Calls `take` with a view of each part between `at` and `end`. */
export function eachPart(
  buffer: Buffer,
  at: number,
  end: number,
  take: (part: Buffer) => void,
): void {
  for (let next = at; next < end; ) {
    const length = buffer.readUInt32LE(next)
    take(buffer.subarray(next + HEAD_BYTES, next + HEAD_BYTES + length))
    next += spanOf(length)
  }
}

/** A view of the first part. */
export function firstPart(buffer: Buffer): Buffer {
  return buffer.subarray(HEAD_BYTES, HEAD_BYTES + buffer.readUInt32LE(0))
}

/** The same bytes with the methods of a Buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function countParts(bytes: Uint8Array): number {
  let count = 0
  eachPart(bufferOf(bytes), 0, bytes.length, () => {
    count++
  })
  return count
}
