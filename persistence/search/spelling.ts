/** Shorter words are too close to many others. */
const CHARACTERS_MIN = 5

/** Whether adding, removing, replacing or swapping one letter turns one word into the other. */
export function isOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const [rest, others] = [one.slice(at), other.slice(at)]
  return (
    rest.slice(1) === others.slice(1) ||
    rest.slice(1) === others ||
    rest === others.slice(1) ||
    (rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2))
  )
}

/** The first of these names one slip away from the word; undefined if there is none. */
export function slipOf(word: string, names: Iterable<string>): string | undefined {
  if (word.length < CHARACTERS_MIN) return undefined
  for (const name of names) {
    if (name.length >= CHARACTERS_MIN && isOneSlip(word, name)) return name
  }
  return undefined
}
