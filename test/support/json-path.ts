import assert from 'node:assert/strict'

/** The value at a path inside a JSON value, or undefined. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((node, key) => {
    if (typeof node !== 'object' || node === null) return undefined
    return Object.getOwnPropertyDescriptor(node, key)?.value
  }, value)
}

export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path)
  assert.equal(typeof found, 'string', `text at ${path.join('.')} of ${JSON.stringify(value)}`)
  return String(found)
}
