import type { Seq } from '../../../engine/domain/ids.ts'
import { invalid, type Refusal } from '../../messages/refusal.ts'

/** A cursor is opaque: it comes only from a page of the same list. */
export function invalidCursor(): Refusal {
  const message = 'is not a cursor of this list; send one returned by a page, or none'
  return invalid({ field: 'cursor', message })
}

// Cursors of lists that are sorted by seq, newest first.

/** A row of such a list; `leg` distinguishes rows of the same command. */
interface RowPlace {
  readonly seq: Seq
  readonly leg: number
}

const FIRST: RowPlace = { seq: Number.MAX_SAFE_INTEGER, leg: 0 }
const ROW = /^([1-9][0-9]{0,15})[.]([0-9]{1,15})[.]/

/** A cursor holds the last row of its page, and the name of its list with the filters. */
export function cursorOf({ seq, leg }: RowPlace, listed: string): string {
  return Buffer.from(`${seq}.${leg}.${listed}`).toString('base64url')
}

/** The row that a cursor holds; null for a text that is not a cursor of this list. */
export function placeIn(cursor: string, listed: string): RowPlace | null {
  if (cursor === '') return FIRST
  const stated = ROW.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const place = { seq: Number(stated[1]), leg: Number(stated[2]) }
  return cursorOf(place, listed) === cursor ? place : null
}
