// Adds the meaning of a value, a sentence for the OpenAPI document. No check reads it.
import { FORM, formOf } from './issue-text.ts'
import { withKeywords } from './printed.ts'
import type { Schema } from './schema.ts'

/**
 * The same shape with a sentence on the meaning of its value. The form of a pattern follows that
 * sentence; refusals still show the form alone.
 */
export function means<S extends Schema>(schema: S, meaning: string): S {
  const form = formOf(schema)
  return withKeywords(schema, form === undefined ? { description: meaning } : formed(meaning, form))
}

function formed(meaning: string, form: string) {
  return { description: `${meaning} ${form}`, [FORM]: form }
}
