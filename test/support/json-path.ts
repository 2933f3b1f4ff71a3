/** The value at a path inside a JSON value, or undefined. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((node, key) => {
    if (typeof node !== 'object' || node === null) return undefined
    return new Map(Object.entries(node)).get(String(key))
  }, value)
}
