function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === false || value === 0 || value === ''
}

/** The fields of a record sorted by name, so that their order of creation does not matter. */
export function fieldsOf(fields: object): [name: string, value: unknown][] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * The non-empty fields of a record sorted by name, for the state hash. A field added by a later
 * version is empty in older journals, so their hashes do not change.
 */
export function hashedFieldsOf(fields: object): [name: string, value: unknown][] {
  return fieldsOf(fields).filter(([, value]) => !isEmpty(value))
}
