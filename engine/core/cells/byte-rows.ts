// Fixed-width rows outside the heap, numbered from 1. Growth adds a block and copies nothing, so
// less than one block is unused.

import { assert } from '../../domain/assert.ts'

const BLOCK_SHIFT = 10
const BLOCK_ROWS = 1 << BLOCK_SHIFT
const BLOCK_MASK = BLOCK_ROWS - 1

interface Block {
  readonly bytes: Uint8Array
  readonly view: DataView
}

export class ByteRows {
  readonly #rowBytes: number
  readonly #blocks: Block[] = []
  /** All rows are below this. */
  end = 1

  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes
  }

  /** Adds a zeroed row and returns its number. */
  add(): number {
    const row = this.end++
    if (row >> BLOCK_SHIFT === this.#blocks.length) {
      const bytes = new Uint8Array(this.#rowBytes << BLOCK_SHIFT)
      this.#blocks.push({ bytes, view: new DataView(bytes.buffer) })
    }
    return row
  }

  /** Removes the last row. The last block is freed once it and the block before it are empty. */
  drop(): void {
    assert(this.end > 1, 'only an existing row is dropped')
    this.end--
    this.bytes(this.end).fill(0, this.at(this.end), this.at(this.end) + this.#rowBytes)
    if (this.#blocks.length > (this.end >> BLOCK_SHIFT) + 2) this.#blocks.pop()
  }

  /** The view of the row's block. The row starts at `at(row)`. */
  view(row: number): DataView {
    return this.#blocks[row >> BLOCK_SHIFT].view
  }

  /** The bytes of the row's block. The row starts at `at(row)`. */
  bytes(row: number): Uint8Array {
    return this.#blocks[row >> BLOCK_SHIFT].bytes
  }

  at(row: number): number {
    return (row & BLOCK_MASK) * this.#rowBytes
  }

  /** All rows in order, one part per block, for the state hash. */
  *parts(): Iterable<Uint8Array> {
    for (const [index, { bytes }] of this.#blocks.entries()) {
      const first = index === 0 ? 1 : 0
      const last = Math.min(BLOCK_ROWS, this.end - (index << BLOCK_SHIFT))
      if (last > first) yield bytes.subarray(first * this.#rowBytes, last * this.#rowBytes)
    }
  }

  capture(): Uint8Array {
    const all = new Uint8Array((this.end - 1) * this.#rowBytes)
    let at = 0
    for (const part of this.parts()) {
      all.set(part, at)
      at += part.length
    }
    return all
  }

  restore(all: Uint8Array): void {
    assert(this.end === 1, 'only fresh rows are restored')
    assert(all.length % this.#rowBytes === 0, 'captured rows are whole')
    for (let at = 0; at < all.length; at += this.#rowBytes) {
      const row = this.add()
      this.bytes(row).set(all.subarray(at, at + this.#rowBytes), this.at(row))
    }
  }
}
