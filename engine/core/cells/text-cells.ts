// Short texts outside the heap, in chains of 16-byte cells: 36 bytes of text take 48.
// Invariant: a cell is in the free chain or belongs to one text; cell 0 ends every chain.

import { assert } from '../../domain/assert.ts'

const CELL_BYTES = 16
/** The first four bytes of a cell are the number of the next one. */
const NEXT_BYTES = 4
const LENGTH_BYTES = 2
const BLOCK_SHIFT = 14
const BLOCK_MASK = (1 << BLOCK_SHIFT) - 1

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const bytes = new Uint8Array(1024)

export class TextCells {
  /** Growth adds a block and copies nothing. */
  readonly #blocks: { words: Uint32Array; bytes: Uint8Array }[] = []
  #made = 0
  #free = 0

  /** Stores the text and returns its first cell. */
  put(text: string): number {
    const { read, written } = encoder.encodeInto(text, bytes.subarray(LENGTH_BYTES))
    assert(read === text.length, 'a stored text is short')
    bytes[0] = written & 0xff
    bytes[1] = written >>> 8
    const total = written + LENGTH_BYTES
    const part = CELL_BYTES - NEXT_BYTES
    let first = 0
    // Backwards, so that each cell can link to the next.
    for (let from = Math.floor((total - 1) / part) * part; from >= 0; from -= part) {
      const cell = this.#take()
      this.#setNext(cell, first)
      this.#bytesOf(cell).set(bytes.subarray(from, Math.min(from + part, total)), NEXT_BYTES)
      first = cell
    }
    return first
  }

  get(first: number): string {
    let length = 0
    for (let cell = first; cell !== 0; cell = this.#nextOf(cell)) {
      bytes.set(this.#bytesOf(cell).subarray(NEXT_BYTES), length)
      length += CELL_BYTES - NEXT_BYTES
    }
    const end = LENGTH_BYTES + bytes[0] + (bytes[1] << 8)
    return decoder.decode(bytes.subarray(LENGTH_BYTES, end))
  }

  free(first: number): void {
    let last = first
    while (this.#nextOf(last) !== 0) last = this.#nextOf(last)
    this.#setNext(last, this.#free)
    this.#free = first
  }

  #take(): number {
    const cell = this.#free
    if (cell !== 0) {
      this.#free = this.#nextOf(cell)
      return cell
    }
    this.#made++
    if (this.#made >> BLOCK_SHIFT === this.#blocks.length) {
      const words = new Uint32Array((CELL_BYTES / 4) << BLOCK_SHIFT)
      this.#blocks.push({ words, bytes: new Uint8Array(words.buffer) })
    }
    return this.#made
  }

  #nextOf(cell: number): number {
    return this.#blocks[cell >> BLOCK_SHIFT].words[(cell & BLOCK_MASK) * (CELL_BYTES / 4)]
  }

  #setNext(cell: number, next: number): void {
    this.#blocks[cell >> BLOCK_SHIFT].words[(cell & BLOCK_MASK) * (CELL_BYTES / 4)] = next
  }

  #bytesOf(cell: number): Uint8Array {
    const from = (cell & BLOCK_MASK) * CELL_BYTES
    return this.#blocks[cell >> BLOCK_SHIFT].bytes.subarray(from, from + CELL_BYTES)
  }
}
