import { assert } from '../engine/domain/assert.ts'
import { LIMITS } from '../engine/domain/limits.ts'
import { recordSeq } from '../engine/wire/codec.ts'

assert(LIMITS.recordBytesMax <= LIMITS.batchBytesMax, 'a record fits a batch')

/** The records of one group commit, copied together. Invariant: their seqs follow each other. */
export class BatchBuffer {
  readonly #bytes = Buffer.alloc(LIMITS.batchBytesMax)
  #used = 0
  #count = 0
  #lastSeq: number

  constructor(lastSeq: number) {
    this.#lastSeq = lastSeq
  }

  get count(): number {
    return this.#count
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** The records so far; valid until `clear`. */
  get records(): Uint8Array {
    return this.#bytes.subarray(0, this.#used)
  }

  fits(record: Uint8Array): boolean {
    return this.#used + record.length <= this.#bytes.length
  }

  add(record: Uint8Array): void {
    assert(recordSeq(record) === this.#lastSeq + 1, 'records reach the journal without a gap')
    this.#bytes.set(record, this.#used)
    this.#used += record.length
    this.#lastSeq++
    this.#count++
  }

  clear(): void {
    this.#used = 0
    this.#count = 0
  }
}
