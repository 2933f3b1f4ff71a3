// Numbers in the form of decimal text.

import { pattern } from './scalars.ts'

/** Raw units as text; negative where more is owed than held. */
export function rawText() {
  return pattern('^-?(0|[1-9][0-9]*)$', 'Raw units as decimal text.')
}

/** Whole units as text, with at most six decimals. */
export function wholeText() {
  return pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,6})?$', 'Whole units as decimal text.')
}

/** A price or another ratio as text. */
export function decimalText() {
  return pattern('^-?(0|[1-9][0-9]*)([.][0-9]{1,9})?$', 'Decimal text.')
}
