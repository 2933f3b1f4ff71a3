import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { assert, Fault } from '../../engine/domain/assert.ts'

// Vectors of common English words. `make embeddings` creates the file; LICENSE-word-vectors.txt
// gives their origin. It is read on first use, because an exchange without markets needs no
// vectors. Numbers are little-endian.
//
//   at    bytes      what
//   0     8          "OXWORDS1"
//   8     u32        number of words, W
//   12    u32        dimensions, D
//   16    u32        bytes of all words, T
//   20    u32        0
//   24    32         SHA-256 of everything after it
//   56    u32 × W+1  start of each word in the text; the last one is T
//         f32 × W    scale of each vector, which gives its steps the length 1
//         u32 × W    rank of each word; 0 is the most common word
//         T          the words, a to z, in byte order
//         i8 × W·D   steps of each vector
//
// Invariants: words are sorted and unique, so a word is found by binary search. Words are not
// stored as JavaScript strings: 40,000 of them would take as much memory as the file.

const MAGIC = 'OXWORDS1'
const HEAD_BYTES = 56
const DIGEST_AT = 24
const FILE = new URL('./word-vectors.bin', import.meta.url)
const STEPS = 127

export interface WordVector {
  readonly word: string
  /** 0 is the most common word. */
  readonly rank: number
  readonly vector: ArrayLike<number>
}

/** A vector in steps of one byte. `scale` gives it the length 1; a zero vector has scale 0. */
export function quantised(vector: ArrayLike<number>): { steps: Int8Array; scale: number } {
  const steps = new Int8Array(vector.length)
  let largest = 0
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at]))
  for (let at = 0; at < vector.length; at++) {
    steps[at] = largest === 0 ? 0 : Math.round((vector[at] / largest) * STEPS)
  }
  return { steps, scale: scaleOf(steps) }
}

/** The scale that gives these steps the length 1. */
export function scaleOf(steps: Int8Array): number {
  let squares = 0
  for (const step of steps) squares += step * step
  return squares === 0 ? 0 : 1 / Math.sqrt(squares)
}

function placesOf(count: number, dimensions: number, textBytes: number) {
  const starts = HEAD_BYTES
  const scales = starts + 4 * (count + 1)
  const ranks = scales + 4 * count
  const text = ranks + 4 * count
  const steps = text + textBytes
  return { starts, scales, ranks, text, steps, end: steps + count * dimensions }
}

/** The file of these words, which must be sorted and consist of a to z. */
export function encodeWordVectors(words: readonly WordVector[], dimensions: number): Buffer {
  const text = Buffer.from(words.map(({ word }) => word).join(''), 'latin1')
  const at = placesOf(words.length, dimensions, text.length)
  const file = Buffer.alloc(at.end)
  file.write(MAGIC, 0, 'latin1')
  file.writeUInt32LE(words.length, 8)
  file.writeUInt32LE(dimensions, 12)
  file.writeUInt32LE(text.length, 16)
  text.copy(file, at.text)
  let start = 0
  for (const [index, { word, rank, vector }] of words.entries()) {
    const { steps, scale } = quantised(vector)
    file.writeUInt32LE(start, at.starts + 4 * index)
    file.writeFloatLE(scale, at.scales + 4 * index)
    file.writeUInt32LE(rank, at.ranks + 4 * index)
    file.set(new Uint8Array(steps.buffer), at.steps + index * dimensions)
    start += word.length
  }
  file.writeUInt32LE(start, at.starts + 4 * words.length)
  file.set(digestOf(file), DIGEST_AT)
  return file
}

function digestOf(file: Buffer): Buffer {
  return createHash('sha256').update(file.subarray(HEAD_BYTES)).digest()
}

export class WordVectors {
  readonly count: number
  readonly dimensions: number
  /** The SHA-256 of all words and vectors. */
  readonly digest: Buffer
  readonly #starts: Uint32Array
  readonly #scales: Float32Array
  readonly #ranks: Uint32Array
  readonly #text: Buffer
  readonly #steps: Int8Array

  constructor(file: Buffer) {
    const isWhole =
      file.length >= HEAD_BYTES &&
      file.toString('latin1', 0, MAGIC.length) === MAGIC &&
      digestOf(file).equals(file.subarray(DIGEST_AT, HEAD_BYTES))
    if (!isWhole) throw new Fault('the word vectors of this outcomex installation are damaged')
    this.digest = file.subarray(DIGEST_AT, HEAD_BYTES)
    this.count = file.readUInt32LE(8)
    this.dimensions = file.readUInt32LE(12)
    const at = placesOf(this.count, this.dimensions, file.readUInt32LE(16))
    assert(at.end === file.length, 'the word vector file has the length given in its head')
    const { buffer, byteOffset } = file
    assert(byteOffset % 4 === 0, 'a large file is read into a separate buffer')
    this.#starts = new Uint32Array(buffer, byteOffset + at.starts, this.count + 1)
    this.#scales = new Float32Array(buffer, byteOffset + at.scales, this.count)
    this.#ranks = new Uint32Array(buffer, byteOffset + at.ranks, this.count)
    this.#text = file.subarray(at.text, at.steps)
    this.#steps = new Int8Array(buffer, byteOffset + at.steps, this.count * this.dimensions)
  }

  /** Reads the file shipped with this program. */
  static read(): WordVectors {
    return new WordVectors(readFileSync(FILE))
  }

  /** The index of a word of a to z; −1 if it has no vector. */
  find(word: string): number {
    const sought = Buffer.from(word, 'latin1')
    let low = 0
    let high = this.count - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const start = this.#starts[middle]
      const order = this.#text.compare(sought, 0, sought.length, start, this.#starts[middle + 1])
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  /** 0 = the most common word. */
  rankAt(place: number): number {
    return this.#ranks[place]
  }

  /** Adds the unit vector at that index, multiplied by `times`. */
  addTo(sum: Float64Array, place: number, times: number): void {
    const from = place * this.dimensions
    const by = this.#scales[place] * times
    for (let at = 0; at < this.dimensions; at++) sum[at] += this.#steps[from + at] * by
  }
}
