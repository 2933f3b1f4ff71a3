import { assert } from '../../../engine/domain/assert.ts'
import type { Seq } from '../../../engine/domain/ids.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Ring } from '../../../engine/thread/ring.ts'
import { HEAD } from '../../../engine/wire/record-layout.ts'

assert(LIMITS.recordBytesMax <= LIMITS.batchBytesMax, 'a record fits into a batch')

/** The records of one group commit, in one buffer. Invariant: their seqs have no gap. */
export class BatchBuffer {
  readonly #bytes = Buffer.alloc(LIMITS.batchBytesMax)
  readonly #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset)
  #used = 0
  #count = 0
  #lastSeq: Seq

  constructor(lastSeq: Seq) {
    this.#lastSeq = lastSeq
  }

  get count(): number {
    return this.#count
  }

  get lastSeq(): Seq {
    return this.#lastSeq
  }

  /** The records so far. The bytes are valid until `clear`. */
  get records(): Uint8Array {
    return this.#bytes.subarray(0, this.#used)
  }

  fits(recordBytes: number): boolean {
    return this.#used + recordBytes <= this.#bytes.length
  }

  /** Copies the record that is the current frame of `ring`. */
  add({ view, words, byteOffset, payloadBytes }: Ring): void {
    const seq = view.getFloat64(byteOffset + HEAD.seq, true)
    assert(seq === this.#lastSeq + 1, 'records reach the journal without gaps')
    assert(this.fits(payloadBytes) && payloadBytes % 8 === 0, 'a record is copied completely')
    const from = byteOffset >> 2
    const to = this.#used >> 2
    for (let word = 0; word < payloadBytes >> 2; word++) this.#words[to + word] = words[from + word]
    this.#used += payloadBytes
    this.#lastSeq++
    this.#count++
  }

  /** The next record follows this seq. */
  startAfter(seq: Seq): void {
    assert(this.#count === 0, 'an empty buffer starts anywhere')
    this.#lastSeq = seq
  }

  clear(): void {
    this.#used = 0
    this.#count = 0
  }
}
