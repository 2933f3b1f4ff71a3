// Texts into terms: what a query and a market are compared by.

/** Longer terms are cut: no word is so long. */
const TERM_CHARACTERS_MAX = 40
// Letters, digits and marks of all scripts.
const NO_TERM = /[^\p{L}\p{N}\p{M}]+/u
// A joiner or a mark of direction stands inside a word without dividing it.
const UNSEEN = /\p{Cf}+/gu
const MARKS = /\p{M}+/gu

/** Words of questions that say nothing of what a question is about. */
const EMPTY_WORDS = new Set(
  `a about above after again against all am an and any are as at be became because become becomes
   been before being below between both but by can cannot could d did do does doing don down
   during each ever few for from further get gets got had has have having he her here hers him his
   how i if in into is it its itself just ll m market markets may me might more most must my no nor
   not of off on once only or other our ours out over own per re resolve resolved resolves s same
   shall she should so some such t than that the their theirs them then there these they this those
   through to too under until up us ve very was we were what when where whether which while who
   whom why will with without would yes yet you your yours`.split(/\s+/),
)

/** The terms of a text in their order, in small letters. */
export function termsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replace(UNSEEN, '').toLowerCase()
  return plain
    .split(NO_TERM)
    .filter((term) => term !== '')
    .map((term) => term.slice(0, TERM_CHARACTERS_MAX))
}

/** A term without its accents, as the vectors and the concepts spell it. */
export function plainOf(term: string): string {
  return term.normalize('NFKD').replace(MARKS, '')
}

export function isEmptyWord(term: string): boolean {
  return EMPTY_WORDS.has(term)
}
