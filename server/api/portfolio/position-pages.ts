// Pages of positions: newest markets first, by a cursor that holds the last market of its page.

import type { MarketId } from '../../../engine/domain/ids.ts'
import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { slug } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { defaulted, integer, pattern } from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import { NEWEST_ID } from './portfolio.ts'

const PAGE_MAX = MOVE_LIMITS.heldPageMax
const CURSOR_CHARACTERS_MAX = 40
const CURSOR = /^m([1-9][0-9]{0,15})$/

export const pageQuery = (pageMax: number = PAGE_MAX) => ({
  limit: means(defaulted(integer(1, pageMax), pageMax), 'Maximum markets per page.'),
  cursor: means(
    optional(pattern(`^[A-Za-z0-9_-]{0,${CURSOR_CHARACTERS_MAX}}$`, 'Base64url text.')),
    'nextCursor of the previous page; absent or empty for the first page.',
  ),
  market: means(optional(slug()), 'Slug of the one market to list; absent for all.'),
})

export function cursorOf(marketId: MarketId): string {
  return Buffer.from(`m${marketId}`).toString('base64url')
}

/** The market before which a page begins; null for a text that is not a cursor of positions. */
export function marketIn(cursor: string): MarketId | null {
  if (cursor === '') return NEWEST_ID
  const stated = CURSOR.exec(Buffer.from(cursor, 'base64url').toString())
  if (stated === null) return null
  const marketId = Number(stated[1])
  return cursorOf(marketId) === cursor ? marketId : null
}
