import { assert } from '../domain/assert.ts'

/** The most UTF-8 bytes of one UTF-16 unit. */
const UNIT_BYTES_MAX = 3

/**
 * Writes a complete text and returns its number of bytes. Node silently truncates a text that does
 * not fit, and the receiving thread would read only a part of it.
 */
export function writeWhole(target: Buffer, text: string, at: number): number {
  const bytes = target.write(text, at, 'utf8')
  // The bytes are counted only near the end of the buffer, where the text may not fit.
  if (at + text.length * UNIT_BYTES_MAX > target.length) {
    assert(bytes === Buffer.byteLength(text, 'utf8'), 'a text for a thread is not truncated')
  }
  return bytes
}
