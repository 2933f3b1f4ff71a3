import type { SourceFile } from './source-tree.ts'

// The words of the code base: one term for one idea, and that of the field. Each word of this list
// has a standard term (published, request, capacity, worker, reference model, …), so sources,
// benches, tests and pages use it neither in names nor in sentences.

const NEVER = new Set(
  `told tell tells telling heard hear hears hearing spoken said wish wishes wished asker asked
   asking barred taught teach teaches teaching pupil pupils lesson lessons census ears twin twins
   anew mend mends mended mending bell bells doorbell doorbells stretch stretches spine news lane
   lanes seat seats door doors law laws fact facts room rooms`.split(/\s+/),
)

/** Words that stay: fields of the API and of hashes, a column, a metric, markets of the demo. */
const KEPT: readonly (readonly [path: RegExp, words: RegExp])[] = [
  // The field of GET /exchange-info, and the label of metrics that has its values.
  [/^server\/(api\/system\/exchange-info|start\/watch)\.ts$/, /^lane$/],
  [/^test\/server\/api\/(markets\/market-history|orders\/limits)\.test\.ts$/, /^lane$/],
  // The name of a record in the state hash, which no version may change.
  [/^engine\/core\/accounts\/profiles\.ts$/, /^said$/],
  // A column of read.db.
  [/^persistence\/(follower\/(schema|tables\/markets)|query\/read\/markets)\//, /^facts$/],
  // The deprecated name of a metric.
  [/^server\/(start\/watch-threads\.ts|docs\/metrics\.md)$/, /^stretch$/],
  // Titles of demo markets and of markets to search.
  [/^server\/demo\/demo-(fill|text)\.ts$/, /^(news|law)$/],
  [/^test\/support\/markets-to-search\.ts$/, /^(seats|room)$/],
  // What earlier days called things.
  [/^server\/docs\/changelog\.md$/, /./],
  // The list itself, and what its test plants.
  [/^test\/(support\/wording|tidy\.test)\.ts$/, /./],
]

/** Terms of two words, and suffixes of files, that have a standard term too. */
const PHRASES = /\b(?:rare command|still moment|slow book)s?\b|-(?:words|said|content)\.ts/i

const READ = /^((engine|persistence|server|bench|test)\/.*\.(ts|tsx|md)|README\.md|Makefile)$/
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g

/** Each line with a word that has a standard term, as `path:line word`. */
export function oddWords(files: readonly SourceFile[]): string[] {
  const found: string[] = []
  for (const { path, text } of files) {
    if (!READ.test(path)) continue
    const kept = KEPT.filter(([paths]) => paths.test(path)).map(([, words]) => words)
    for (const [index, line] of text.split('\n').entries()) {
      const phrase = PHRASES.exec(line)?.[0]
      if (phrase !== undefined && !kept.some((each) => each.test(phrase))) {
        found.push(`${path}:${index + 1} ${phrase}`)
      }
      for (const [part] of line.matchAll(WORD)) {
        const word = part.toLowerCase()
        if (!NEVER.has(word) || kept.some((each) => each.test(word))) continue
        found.push(`${path}:${index + 1} ${word}`)
      }
    }
  }
  return found
}
