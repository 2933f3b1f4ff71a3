/** Number of edits that turn one word into the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1] + (from[at - 1] === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column] + 1, next[column - 1] + 1))
    }
    row = next
  }
  return row[to.length]
}

/** The word that was probably meant; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 2))
  for (const candidate of known) {
    const edits = distance(plain, candidate.toLowerCase())
    // People also write a word too short or too long, as often as they mistype a letter.
    const isCut = plain.length >= 3 && candidate.toLowerCase().startsWith(plain)
    const score = isCut ? Math.min(edits, 1) : edits
    if (score <= bestDistance && (best === undefined || score < bestDistance)) {
      best = candidate
      bestDistance = score
    }
  }
  return best
}
