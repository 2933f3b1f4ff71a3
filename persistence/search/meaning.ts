import { createHash } from 'node:crypto'
import { assert } from '../../engine/domain/assert.ts'
import { type Concept, readConcepts } from './concepts.ts'
import { isEmptyWord, plainOf, termsOf } from './terms.ts'
import { quantised, WordVectors } from './word-vectors.ts'

// The meaning of a text as one vector: the weighted sum of its words' vectors. Common words weigh
// less (smooth inverse frequency). A concept weighs as much as its words together. The same text
// gives the same bytes on every machine: only sums, products and square roots are used.

/** A part of a text. A title weighs more than a description. */
export interface Part {
  readonly text: string
  readonly weight: number
}

/** Frequency of a word from its rank, by Zipf's rule. */
const FIRST_SHARE = 0.1
const SMOOTH_SHARE = 5e-4
/** Weight of a concept relative to a plain word of the same text. */
const CONCEPT_WEIGHT = 3
/** Weight of a concept's own word, which distinguishes Arsenal from Chelsea. */
const OWN_WEIGHT = 0.5
const WORD_CHARACTERS_MIN = 2

export class Meaning {
  readonly #vectors: WordVectors
  /** The words of each concept by its term. */
  readonly #concepts = new Map<string, readonly string[]>()
  /** The sum of a concept's word vectors, normalised to length 1, once a text has needed it. */
  readonly #sums = new Map<readonly string[], Float64Array>()
  /** Changes with the words or concepts, because vectors of different ones cannot be compared. */
  readonly fingerprint: string
  #longestTerms = 1

  constructor(vectors = WordVectors.read(), concepts = readConcepts()) {
    this.#vectors = vectors
    this.fingerprint = fingerprintOf(vectors, concepts)
    for (const { term, words } of concepts) {
      this.#concepts.set(term, words)
      this.#longestTerms = Math.max(this.#longestTerms, term.split(' ').length)
    }
  }

  #sumOf(words: readonly string[]): Float64Array {
    const known = this.#sums.get(words)
    if (known !== undefined) return known
    const sum = new Float64Array(this.#vectors.dimensions)
    for (const word of words) {
      const place = this.#vectors.find(word)
      assert(place >= 0, 'every word of a concept has a vector')
      this.#vectors.addTo(sum, place, 1)
    }
    const normalised = ofLengthOne(sum)
    this.#sums.set(words, normalised)
    return normalised
  }

  get dimensions(): number {
    return this.#vectors.dimensions
  }

  /** The terms of all concepts. */
  names(): Iterable<string> {
    return this.#concepts.keys()
  }

  /** Whether a term is a known word or concept. */
  knows(term: string): boolean {
    const plain = plainOf(term)
    return this.#concepts.has(plain) || this.#vectors.find(plain) >= 0
  }

  /** The vector in steps of one byte; all zero if no word is known. */
  of(parts: readonly Part[]): Int8Array {
    const sum = new Float64Array(this.#vectors.dimensions)
    for (const { text, weight } of parts) this.#addText(sum, termsOf(text).map(plainOf), weight)
    return quantised(sum).steps
  }

  #addText(sum: Float64Array, terms: readonly string[], weight: number): void {
    let at = 0
    while (at < terms.length) {
      const length = this.#conceptAt(terms, at)
      if (length > 0) {
        const words = this.#concepts.get(terms.slice(at, at + length).join(' '))
        assert(words !== undefined, 'a concept in the text is known')
        const concept = this.#sumOf(words)
        for (let place = 0; place < sum.length; place++) {
          sum[place] += concept[place] * weight * CONCEPT_WEIGHT
        }
        for (const term of terms.slice(at, at + length)) {
          this.#addWord(sum, term, weight * OWN_WEIGHT)
        }
      } else this.#addWord(sum, terms[at], weight)
      at += Math.max(length, 1)
    }
  }

  /** Number of terms of the longest concept that starts here; 0 = none. */
  #conceptAt(terms: readonly string[], at: number): number {
    let name = ''
    let found = 0
    for (let length = 1; length <= this.#longestTerms && at + length <= terms.length; length++) {
      name += (length === 1 ? '' : ' ') + terms[at + length - 1]
      if (this.#concepts.has(name)) found = length
    }
    return found
  }

  #addWord(sum: Float64Array, term: string, weight: number): void {
    if (term.length < WORD_CHARACTERS_MIN || isEmptyWord(term)) return
    const place = this.#vectors.find(term)
    if (place < 0) return
    const share = FIRST_SHARE / (this.#vectors.rankAt(place) + 1)
    this.#vectors.addTo(sum, place, (weight * SMOOTH_SHARE) / (SMOOTH_SHARE + share))
  }
}

function ofLengthOne(vector: Float64Array): Float64Array {
  let squares = 0
  for (const each of vector) squares += each * each
  const length = Math.sqrt(squares)
  return length === 0 ? vector : vector.map((each) => each / length)
}

function fingerprintOf({ digest }: WordVectors, concepts: readonly Concept[]): string {
  const hash = createHash('sha256').update(digest)
  for (const { term, words } of concepts) hash.update(`${term}\t${words.join(' ')}\n`)
  return hash.digest('hex')
}
