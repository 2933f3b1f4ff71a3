import { invalid, type Refusal } from '../../messages/refusal.ts'

/** A cursor is opaque: only a page of the same list gives one. */
export function invalidCursor(): Refusal {
  const message = 'is not a cursor of this list; send one that a page gave, or none'
  return invalid({ field: 'cursor', message })
}
