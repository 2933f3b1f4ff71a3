// Fields shared by several objects of a command are sent once. Each object after the first has its
// own fields, and the names of fields that only the first has.

type Fields = Readonly<Record<string, unknown>>

export interface OwnFields {
  readonly own: Fields
  /** Absent if the object has every field of the first. */
  readonly without?: readonly string[]
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

export function ownFields(whole: object, first: object): OwnFields {
  const shared = new Map<string, unknown>(Object.entries(first))
  const fields = Object.entries(whole)
  const isOwn = ([name, value]: [string, unknown]) =>
    !shared.has(name) || !isSame(shared.get(name), value)
  const own = Object.fromEntries(fields.filter(isOwn))
  for (const [name] of fields) shared.delete(name)
  return shared.size === 0 ? { own } : { own, without: [...shared.keys()] }
}

export function wholeFields({ own, without = [] }: OwnFields, first: object): Fields {
  const shared = Object.entries(first).filter(([name]) => !without.includes(name))
  return { ...Object.fromEntries(shared), ...own }
}
