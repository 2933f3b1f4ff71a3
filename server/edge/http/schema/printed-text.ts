// In a request, an optional field with null counts as absent, unless the field accepts null. Typed
// clients write null for fields that they do not set.

import { type Checker, compile, type Infer, type Schema } from './schema.ts'

/** The checker removes such fields from the value itself, so nothing else may reference it yet. */
export function compilePrinted<S extends Schema>(schema: S | undefined): Checker<Infer<S>> {
  const plain = compile(schema)
  if (schema === undefined) return plain
  return {
    holds: (value): value is Infer<S> =>
      plain.holds(value) || (dropNulls(schema, value) && plain.holds(value)),
    issues: plain.issues,
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** A keyword of a schema that is a list; empty when there is none. */
function listOf(schema: object, keyword: string): readonly unknown[] {
  const found: unknown = Reflect.get(schema, keyword)
  return Array.isArray(found) ? found : []
}

/** Removes the fields with null; false when there are none. */
function dropNulls(schema: unknown, value: unknown): boolean {
  if (!isObject(schema) || !isObject(value)) return false
  if (Array.isArray(value)) {
    const items: unknown = Reflect.get(schema, 'items')
    return value.map((each) => dropNulls(items, each)).includes(true)
  }
  const inShapes = listOf(schema, 'anyOf').map((shape) => dropNulls(shape, value))
  const properties: unknown = Reflect.get(schema, 'properties')
  if (!isObject(properties)) return inShapes.includes(true)
  const required = listOf(schema, 'required')
  const inFields = Object.entries(properties).map(([name, field]) => {
    if (!Object.hasOwn(value, name)) return false
    const stated: unknown = Reflect.get(value, name)
    if (stated !== null) return dropNulls(field, stated)
    if (required.includes(name) || takesNull(field)) return false
    return Reflect.deleteProperty(value, name)
  })
  return inShapes.includes(true) || inFields.includes(true)
}

function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return Reflect.get(schema, 'type') === 'null' || listOf(schema, 'anyOf').some(takesNull)
}
