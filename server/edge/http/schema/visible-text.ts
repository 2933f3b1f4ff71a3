// Text shown to others: titles, names, labels and descriptions. Journals may hold older text with
// other characters, so most replies accept any text.

import { shownWith } from './printed.ts'
import { schemaOf } from './schema.ts'

/**
 * Refuses control characters, which break a line in two or control a terminal, and characters that
 * change the text direction. Ranges replace Unicode classes, whose syntax differs between
 * languages. An unpaired surrogate has no UTF-8, so the journal could not store it.
 */
const REFUSED = '\\x00-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2066-\\u2069'
export const VISIBLE = `[^${REFUSED}\\uD800-\\uDFFF]`
/** The form for documents: patterns of many languages do not support surrogates. */
export const SHOWN_VISIBLE = `[^${REFUSED}]`
/** A visible character that is not a space. */
export const SHOWN_INK = `[^\\s${REFUSED}]`
const LINE = `^${VISIBLE}*$`
const LINES = `^(?:${VISIBLE}|[\\n\\t])*$`

function visible(source: string, description: string, max: number, min: number) {
  const least = min > 0 ? { minLength: min } : {}
  const checked = schemaOf<string>({
    type: 'string',
    pattern: source,
    description,
    ...least,
    maxLength: max,
  })
  return shownWith(checked, { pattern: source.replaceAll(VISIBLE, SHOWN_VISIBLE) })
}

/** One line of `min` to `max` code points. */
export function line(max: number, min = 0) {
  const form = 'One line without control characters or bidirectional controls.'
  return visible(LINE, form, max, min)
}

/** Several lines of `min` to `max` code points in total. */
export function lines(max: number, min = 0) {
  const form =
    'Text whose only control characters are newlines and tabs, without bidirectional ' + 'controls.'
  return visible(LINES, form, max, min)
}
