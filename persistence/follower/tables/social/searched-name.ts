// Search keys of names, for the tables that store them and the reads that use them.

/** Shorter texts are in no table. */
export const PREFIX_CHARACTERS_MIN = 2
export const PART_CHARACTERS_MIN = 3

/** The form in which names and queries are compared. */
export function foldedName(name: string): string {
  return name.toLowerCase()
}

/** All prefixes of a name, ending with the whole name. */
export function prefixesOf(name: string): string[] {
  const characters = [...name]
  const count = Math.max(0, characters.length - PREFIX_CHARACTERS_MIN + 1)
  return Array.from({ length: count }, (_, at) => {
    return characters.slice(0, PREFIX_CHARACTERS_MIN + at).join('')
  })
}

/** All proper suffixes of a name: a text within the name is a prefix of one of them. */
export function endsOf(name: string): string[] {
  const characters = [...name]
  const count = Math.max(0, characters.length - PART_CHARACTERS_MIN)
  return Array.from({ length: count }, (_, at) => characters.slice(at + 1).join(''))
}
