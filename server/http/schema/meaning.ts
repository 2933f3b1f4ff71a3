// Adds the meaning of a value, a sentence for the OpenAPI document. No check reads it.
import { FORM, formOf } from './issue-words.ts'
import type { Schema } from './schema.ts'

/**
 * The same shape with a sentence that says what its value means. The form of a pattern follows that
 * sentence; refusals still give the form alone.
 */
export function means<S extends Schema>(schema: S, meaning: string): S {
  const form = formOf(schema)
  const said = form === undefined ? { description: meaning } : formed(meaning, form)
  const copy = { ...schema, ...said }
  // The mark `~optional` is not enumerable, so the copy lost it.
  if ('~optional' in schema) Object.defineProperty(copy, '~optional', { value: true })
  return copy
}

function formed(meaning: string, form: string) {
  return { description: `${meaning} ${form}`, [FORM]: form }
}
