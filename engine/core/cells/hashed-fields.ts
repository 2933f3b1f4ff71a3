function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === false || value === 0 || value === ''
}

/** All fields of a record by name: the order in which they were set is no fact. */
export function fieldsOf(fields: object): [name: string, value: unknown][] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * The fields of a record by name, for the state hash. An empty field is no fact. So a field that a
 * later version adds does not change the hashes of older journals, where it is empty throughout.
 */
export function hashedFieldsOf(fields: object): [name: string, value: unknown][] {
  return fieldsOf(fields).filter(([, value]) => !isEmpty(value))
}
