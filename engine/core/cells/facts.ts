function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === false || value === 0 || value === ''
}

/**
 * The fields of a record by name, for the state hash. An empty field is no fact. So a field that a
 * later version adds does not change the hashes of older journals, where it is empty throughout.
 */
export function factsOf(fields: object): [name: string, value: unknown][] {
  const held = Object.entries(fields).filter(([, value]) => !isEmpty(value))
  return held.sort(([a], [b]) => (a < b ? -1 : 1))
}
