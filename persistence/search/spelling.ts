/** A shorter word is near too many others. */
const CHARACTERS_MIN = 5

/** Whether one letter that is added, left out, wrong or swapped makes one word the other. */
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

/** The first of these names that the word is one slip away from; undefined for none. */
export function slipOf(word: string, names: Iterable<string>): string | undefined {
  if (word.length < CHARACTERS_MIN) return undefined
  for (const name of names) {
    if (name.length >= CHARACTERS_MIN && isOneSlip(word, name)) return name
  }
  return undefined
}
