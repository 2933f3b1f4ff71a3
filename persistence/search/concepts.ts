import { readFileSync } from 'node:fs'
import { assert } from '../../engine/domain/assert.ts'

// The meanings of names, as words with vectors: the vectors are older than most names and say
// little about the others. concepts.tsv is maintained by hand. A line is a term, a tab and the
// words.

const FILE = new URL('./concepts.tsv', import.meta.url)

export interface Concept {
  /** Its words in lower case, as split by `termsOf`, joined by single spaces. */
  readonly term: string
  readonly words: readonly string[]
}

/** All concepts, in file order. */
export function readConcepts(text = readFileSync(FILE, 'utf8')): Concept[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [term, words, ...others] = line.split('\t')
      assert(words !== undefined && others.length === 0, 'a concept is a term, a tab and its words')
      return { term, words: words.split(' ') }
    })
}
