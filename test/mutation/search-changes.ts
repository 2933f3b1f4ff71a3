import type { FileChanges } from './mutation.ts'

// The search: what is found, in which order, and what is bounded.

const FOUND = ['test/persistence/query/search.test.ts']
const FOLLOWED = ['test/persistence/follower/search.test.ts', ...FOUND]
const VECTORS = ['word-vectors', 'nearest'].map((each) => `test/persistence/search/${each}.test.ts`)

export const SEARCH_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/query/read/markets/search.ts',
    tests: FOUND,
    changes: [
      [
        'a phrase is not quoted',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
        '`{title slug} : "${text}"`',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
        '`{title slug} : ${text}`',
      ],
      [
        'a market with one of the words has them all',
        'each.words === words.length',
        'each.words > 0',
      ],
      ['likeness comes before words', 'other.place - one.place ||', ''],
      ['a page begins at the first market', 'marketIds.slice(skip, ', 'marketIds.slice(0, '],
      ['what is less similar is found too', 'each < similarityMin', 'each < 0'],
      ['parts of words are not found', 'rows.length > 0 || [...word]', 'true || [...word]'],
      ['rankings outlive a change', 'this.#kept.clear()', 'this.#kept.count'],
    ],
  },
  {
    file: 'persistence/query/read/markets/search-index.ts',
    tests: FOLLOWED,
    changes: [
      ['a first search reads no more than changes', 'this.#vectors === null || isGap', 'isGap'],
      ['a reader goes on where changes are missing', 'this.#change < oldest - 1 || ', ''],
      ['a market that left stays in memory', 'vectors.remove(marketId)', 'vectors.rowOf(marketId)'],
    ],
  },
  {
    file: 'persistence/follower/tables/markets/search.ts',
    tests: FOLLOWED,
    changes: [
      ['words of a market that left stay', 'tables.dropWords.run(marketId)', ''],
      ['vectors of older words stay', 'if (made !== undefined) for', 'if (made === undefined) for'],
      [
        'changes are kept for ever',
        'tables.forget.run(tables.change - LIMITS.searchChangesMax)',
        '',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/markets/market-tables.ts',
    tests: FOLLOWED,
    changes: [
      [
        'the search does not learn that a market changed',
        "if (command.kind !== 'postPayouts') this.#search.changed(market)",
        "if (command.kind === 'createMarket') this.#search.changed(market)",
      ],
    ],
  },
  {
    file: 'persistence/search/market-vectors.ts',
    tests: VECTORS,
    changes: [
      ['a market is near itself', '|| each === marketId', ''],
      [
        'a market keeps the labels that it had',
        'this.#labelIndex.remove(marketId, this.#labels[known])',
        'known.toFixed()',
      ],
      ['a freed row keeps its scale', 'this.#scales[row] = this.#scales[last]', ''],
    ],
  },
  {
    file: 'persistence/search/word-vectors.ts',
    tests: VECTORS,
    changes: [
      [
        'damaged vectors are taken',
        'digestOf(file).equals(file.subarray(DIGEST_AT, HEAD_BYTES))',
        'file.length > DIGEST_AT',
      ],
    ],
  },
]
