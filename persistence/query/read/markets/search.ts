import type { MarketId } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Statement } from '../../../database.ts'
import { Recent } from '../../../search/recent.ts'
import { slipOf } from '../../../search/spelling.ts'
import { isEmptyWord, plainOf, termsOf } from '../../../search/terms.ts'
import { query } from '../query.ts'
import { type SearchIndex, searchIndexOf } from './search-index.ts'

// Active markets for a text, best first: those whose title or slug equals the text, those with the
// text as a phrase in title or slug, those with all of its words, and then by similarity.
// Similarity is the greater of two values: the cosine of both meanings, and the weighted share of
// the query's words in the market, where rare words weigh more. So a market with all words has
// similarity 1. A market with similarity 0 is not found.
//
// Each word reads a bounded number of rows, however many markets have it: the newest ones. Terms
// contain only letters, marks and digits and are quoted, so no query is an invalid FTS5 expression.

/** Weights of title, slug, labels and about. */
const WORDS = `
SELECT rowid AS marketId, -bm25(search_words, 10.0, 6.0, 4.0, 1.0) AS score
FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ?`
const PARTS = `
SELECT rowid AS marketId, 1.0 AS score FROM search_parts WHERE search_parts MATCH ?
ORDER BY rowid DESC LIMIT ?`
const NAMES = 'SELECT title, slug FROM search_markets WHERE market_id = ?'
const PART_CHARACTERS_MIN = 3
const PLACE = { exact: 3, phrase: 2, words: 1, similar: 0 }

interface WordRow {
  readonly marketId: MarketId
  readonly score: number
}

interface Found {
  readonly marketId: MarketId
  place: number
  /** The number of query words in the market, and their weight. */
  words: number
  weight: number
  score: number
  similarity: number
}

/** Markets for one text, best first, with non-increasing similarities. */
interface Ranking {
  readonly marketIds: readonly MarketId[]
  readonly similarities: readonly number[]
}

export interface SearchParams {
  readonly text: string
  readonly similarityMin: number
  readonly skip: number
  readonly limit: number
}

export interface SearchAnswer {
  readonly marketIds: readonly MarketId[]
  /** Number of markets that are similar enough, capped at `LIMITS.searchFoundMax`. */
  readonly total: number
}

class Search {
  readonly #index: SearchIndex
  readonly #words: Statement<[string, number], WordRow>
  readonly #parts: Statement<[string, number], WordRow>
  readonly #names: Statement<[MarketId], { readonly title: string; readonly slug: string }>
  /** Rankings as of `#change`, by their terms. */
  readonly #kept = new Recent<Ranking>(LIMITS.searchesKeptMax)
  #change = 0

  constructor(index: SearchIndex) {
    this.#index = index
    this.#words = index.connection.prepare(WORDS)
    this.#parts = index.connection.prepare(PARTS)
    this.#names = index.connection.prepare(NAMES)
  }

  answer({ text, similarityMin, skip, limit }: SearchParams): SearchAnswer {
    const { marketIds, similarities } = this.#rankingOf(termsOf(text))
    const below = similarities.findIndex((each) => each < similarityMin)
    const total = below < 0 ? similarities.length : below
    return { marketIds: marketIds.slice(skip, Math.min(skip + limit, total)), total }
  }

  #rankingOf(terms: readonly string[]): Ranking {
    const { change } = this.#index.current()
    if (change !== this.#change) this.#kept.clear()
    this.#change = change
    const key = terms.join(' ')
    const ranking = this.#kept.get(key) ?? this.#rank(terms)
    this.#kept.put(key, ranking)
    return ranking
  }

  #rank(given: readonly string[]): Ranking {
    const { vectors } = this.#index.current()
    const terms = this.#spelled(given)
    const text = terms.join(' ')
    const found = new Map<MarketId, Found>()
    const cosines = vectors.cosines(this.#index.meaning.of([{ text, weight: 1 }]))
    for (const [row, cosine] of cosines.entries()) {
      const marketId = vectors.idAt(row)
      const similarity = Math.max(cosine, 0)
      found.set(marketId, {
        marketId,
        place: PLACE.similar,
        words: 0,
        weight: 0,
        score: 0,
        similarity,
      })
    }
    const words = wordsOf(terms)
    let weight = 0
    for (const word of words) weight += this.#countWord(word, found)
    for (const each of found.values()) {
      if (each.words === 0) continue
      each.similarity = Math.max(each.similarity, each.weight / weight)
      if (each.words === words.length) each.place = PLACE.words
    }
    if (terms.length > 0) this.#placePhrase(text, found)
    const best = [...found.values()].filter(({ similarity }) => similarity > 0).sort(bestFirst)
    best.length = Math.min(best.length, LIMITS.searchFoundMax)
    return {
      marketIds: best.map(({ marketId }) => marketId),
      similarities: best.map(({ similarity }) => similarity),
    }
  }

  /** Records the markets with a word, and returns its weight: rare words weigh more. */
  #countWord(word: string, found: ReadonlyMap<MarketId, Found>): number {
    const rows = this.#rowsOf(word)
    const weight = Math.log(1 + found.size / (1 + rows.length))
    for (const { marketId, score } of rows) {
      const each = found.get(marketId)
      if (each === undefined) continue
      each.words++
      each.weight += weight
      each.score += score
    }
    return weight
  }

  /** Replaces an unknown word by a name that is one slip away. */
  #spelled(terms: readonly string[]): readonly string[] {
    const { meaning } = this.#index
    const slips = new Map<string, string>()
    for (const word of wordsOf(terms)) {
      if (meaning.knows(word) || this.#rowsOf(word).length > 0) continue
      const name = slipOf(plainOf(word), meaning.names())
      if (name !== undefined) slips.set(word, name)
    }
    return slips.size === 0 ? terms : terms.map((term) => slips.get(term) ?? term)
  }

  /** A word without a known meaning may be part of a word ("bitco") or a name in another script. */
  #rowsOf(word: string): WordRow[] {
    const rows = this.#words.all(`"${word}"`, LIMITS.searchRowsMax)
    if (rows.length > 0 || [...word].length < PART_CHARACTERS_MIN) return rows
    return this.#index.meaning.knows(word)
      ? rows
      : this.#parts.all(`"${word}"`, LIMITS.searchRowsMax)
  }

  #placePhrase(text: string, found: ReadonlyMap<MarketId, Found>): void {
    const rows = this.#words.all(`{title slug} : "${text}"`, LIMITS.searchRowsMax)
    for (const { marketId } of rows) {
      const each = found.get(marketId)
      if (each === undefined) continue
      const names = this.#names.get(marketId)
      const isExact = names?.title === text || names?.slug === text
      each.place = isExact ? PLACE.exact : PLACE.phrase
      each.similarity = 1
    }
  }
}

/** The words that count: the first few distinct ones; all of them if none has a meaning. */
function wordsOf(terms: readonly string[]): string[] {
  const distinct = [...new Set(terms)]
  const reporting = distinct.filter((term) => !isEmptyWord(term))
  return (reporting.length > 0 ? reporting : distinct).slice(0, LIMITS.searchWordsMax)
}

function bestFirst(one: Found, other: Found): number {
  return (
    other.place - one.place ||
    (one.place === PLACE.similar ? other.similarity - one.similarity : other.score - one.score) ||
    other.marketId - one.marketId
  )
}

export const searchMarkets = query({
  name: 'searchMarkets',
  prepare: (db) => new Search(searchIndexOf(db)),
  run: (search, params: SearchParams): SearchAnswer => search.answer(params),
})
