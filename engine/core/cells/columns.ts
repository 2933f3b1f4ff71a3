// Columns that grow with their index, and columns as little-endian bytes on any machine.

import type { Sha256 } from './digest.ts'

const HASHED_BYTES = 1 << 15

/** Returns a copy of the column, at least twice as long, that includes `index`. */
export function wideEnough(column: Int32Array, index: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(Math.max(index + 1, column.length * 2))
  wider.set(column)
  return wider
}

export function wideDoubles(column: Float64Array, index: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(Math.max(index + 1, column.length * 2))
  wider.set(column)
  return wider
}

/** Like `wideEnough`, but grows by an eighth: most accounts are idle, so doubling wastes memory. */
export function wideByAccount(column: Int32Array, account: number): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(account + 1 + (account >> 3))
  wider.set(column)
  return wider
}

export function u32Bytes(numbers: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.length * 4))
  for (let at = 0; at < numbers.length; at++) view.setUint32(at * 4, numbers[at], true)
  return new Uint8Array(view.buffer)
}

export function f64Bytes(numbers: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(numbers.length * 8))
  for (let at = 0; at < numbers.length; at++) view.setFloat64(at * 8, numbers[at], true)
  return new Uint8Array(view.buffer)
}

/** Feeds numbers into a hash as the bytes of `f64Bytes`, without a copy of all of them. */
export class HashedNumbers {
  readonly #hash: Sha256
  readonly #view = new DataView(new ArrayBuffer(HASHED_BYTES))
  readonly #bytes = new Uint8Array(this.#view.buffer)
  #at = 0

  constructor(hash: Sha256) {
    this.#hash = hash
  }

  add(value: number): void {
    if (this.#at === HASHED_BYTES) this.end()
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  /** Hashes the numbers not hashed yet. */
  end(): void {
    this.#hash.update(this.#bytes.subarray(0, this.#at))
    this.#at = 0
  }
}
