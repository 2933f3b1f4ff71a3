// What a value means, in a sentence of the OpenAPI document. No check reads it.
import { FORM, formOf } from './issue-words.ts'
import type { Schema } from './schema.ts'

/**
 * The same shape with a sentence that says what its value means. The form that a pattern says of
 * itself stands behind that sentence, and refusals still say the form alone.
 */
export function means<S extends Schema>(schema: S, meaning: string): S {
  const form = formOf(schema)
  const said = form === undefined ? { description: meaning } : formed(meaning, form)
  const copy = { ...schema, ...said }
  // The mark is not enumerable, so the copy lost it.
  if ('~optional' in schema) Object.defineProperty(copy, '~optional', { value: true })
  return copy
}

function formed(meaning: string, form: string) {
  return { description: `${meaning} ${form}`, [FORM]: form }
}
