// How names are found, for the tables that keep them and the reads that look them up.

/** Shorter texts are in no table. */
export const PREFIX_CHARACTERS_MIN = 2
export const PART_CHARACTERS_MIN = 3

/** The form in which names and queries are compared. */
export function foldedName(name: string): string {
  return name.toLowerCase()
}

/** Every beginning of a name, the whole one last. */
export function prefixesOf(name: string): string[] {
  const characters = [...name]
  const count = Math.max(0, characters.length - PREFIX_CHARACTERS_MIN + 1)
  return Array.from({ length: count }, (_, at) => {
    return characters.slice(0, PREFIX_CHARACTERS_MIN + at).join('')
  })
}

/** Every end of a name but the whole one: a text within the name begins one of them. */
export function endsOf(name: string): string[] {
  const characters = [...name]
  const count = Math.max(0, characters.length - PART_CHARACTERS_MIN)
  return Array.from({ length: count }, (_, at) => characters.slice(at + 1).join(''))
}
