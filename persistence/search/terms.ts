// Splits texts into terms, by which queries and markets are compared.

/** Longer terms are truncated: no word is that long. */
const TERM_CHARACTERS_MAX = 40
// Letters, digits and marks of all scripts.
const NO_TERM = /[^\p{L}\p{N}\p{M}]+/u
// Joiners and direction marks do not divide a word.
const UNSEEN = /\p{Cf}+/gu
const MARKS = /\p{M}+/gu

/** Question words without meaning for the topic. */
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

/** The terms of a text in order, in lower case. */
export function termsOf(text: string): string[] {
  const plain = text.normalize('NFKC').replace(UNSEEN, '').toLowerCase()
  return plain
    .split(NO_TERM)
    .filter((term) => term !== '')
    .map((term) => term.slice(0, TERM_CHARACTERS_MAX))
}

/** A term without accents, as spelled in the vectors and concepts. */
export function plainOf(term: string): string {
  return term.normalize('NFKD').replace(MARKS, '')
}

export function isEmptyWord(term: string): boolean {
  return EMPTY_WORDS.has(term)
}
