// Text that others see: titles, names, labels and descriptions. Journals may hold older text that
// has other characters, so most replies take any text.

import { shownWith } from './printed.ts'
import { schemaOf } from './schema.ts'

/**
 * Refuses control characters, which break a line in two or steer a terminal, and characters that
 * change its direction. Ranges stand for classes of Unicode, which other languages write otherwise.
 * Half a surrogate pair has no UTF-8, so the journal could not give it back.
 */
const REFUSED = '\\x00-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2066-\\u2069'
export const VISIBLE = `[^${REFUSED}\\uD800-\\uDFFF]`
/** As documents show it: patterns of many languages do not know halves of a pair. */
export const SHOWN_VISIBLE = `[^${REFUSED}]`
/** A visible character that is no space. */
export const SHOWN_INK = `[^\\s${REFUSED}]`
const LINE = `^${VISIBLE}*$`
const LINES = `^(?:${VISIBLE}|[\\n\\t])*$`

function visible(source: string, description: string, max: number, min: number) {
  const least = min > 0 ? { minLength: min } : {}
  const checked = schemaOf<string>({
    ...{ type: 'string', pattern: source, description },
    ...least,
    maxLength: max,
  })
  return shownWith(checked, { pattern: source.replaceAll(VISIBLE, SHOWN_VISIBLE) })
}

/** One line of `min` to `max` code points. */
export function line(max: number, min = 0) {
  const form = 'One line without control characters and characters that change its direction.'
  return visible(LINE, form, max, min)
}

/** Some lines of `min` to `max` code points in all. */
export function lines(max: number, min = 0) {
  const form =
    'Text whose only control characters are newlines and tabs, without characters that change ' +
    'its direction.'
  return visible(LINES, form, max, min)
}
