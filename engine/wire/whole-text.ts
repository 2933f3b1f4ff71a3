import { assert } from '../domain/assert.ts'

/** UTF-8 takes no more for one UTF-16 unit. */
const UNIT_BYTES_MAX = 3

/**
 * Writes a text whole and returns its bytes. Node writes as much as there is room for and says
 * nothing: what crosses a thread must be written whole, or the other side reads half of it.
 */
export function writeWhole(target: Buffer, text: string, at: number): number {
  const bytes = target.write(text, at, 'utf8')
  // It need only be counted near the end.
  if (at + text.length * UNIT_BYTES_MAX > target.length) {
    assert(bytes === Buffer.byteLength(text, 'utf8'), 'what crosses a thread is written whole')
  }
  return bytes
}
