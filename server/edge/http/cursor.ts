import { invalid, type Refusal } from '../../messages/refusal.ts'

/** A cursor is opaque: it comes only from a page of the same list. */
export function invalidCursor(): Refusal {
  const message = 'is not a cursor of this list; send one returned by a page, or none'
  return invalid({ field: 'cursor', message })
}
