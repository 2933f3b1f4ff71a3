import { assert } from '../domain/assert.ts'

/** The most bytes that UTF-8 takes for one UTF-16 unit. */
const UNIT_BYTES_MAX = 3

/**
 * Writes a whole text and returns its number of bytes. Node writes as much as fits and says
 * nothing. A text that crosses a thread must be whole, or the other side reads a part of it.
 */
export function writeWhole(target: Buffer, text: string, at: number): number {
  const bytes = target.write(text, at, 'utf8')
  // The bytes are counted only near the end of the buffer, where the text may not fit.
  if (at + text.length * UNIT_BYTES_MAX > target.length) {
    assert(bytes === Buffer.byteLength(text, 'utf8'), 'a text for a thread is written whole')
  }
  return bytes
}
