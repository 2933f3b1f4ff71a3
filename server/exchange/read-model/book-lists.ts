// Several books in one reply, joined from bytes that are encoded once per version.

import { kindOf } from '../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { Joined, type Part } from '../../messages/payload.ts'
import { orderbookBytes } from './book-views.ts'
import type { PublishedMarket } from './published.ts'

/** Whether the book of the market may be read (rules §12.3). */
function showsBook({ market, status }: PublishedMarket): boolean {
  return kindOf(market) === 'clob' && (status === 'CREATED' || status === 'FUNDED')
}

const BOOKS_HEAD = '{"books":['

interface RequestedBook {
  readonly slug: string
  readonly published: PublishedMarket | undefined
}

/**
 * Joins the books and encodes the changed ones, one per step. Each book is current as of its step.
 * If all books were of one instant, those that change constantly would be encoded twice, the second
 * time in a single step.
 */
export function* orderbookListSteps(
  requested: readonly RequestedBook[],
  clock: () => TimeMs,
): Iterator<void, Joined, void> {
  const parts: Part[] = [BOOKS_HEAD]
  const missing: string[] = []
  for (const { slug, published } of requested) {
    if (published === undefined || !showsBook(published)) {
      missing.push(slug)
      continue
    }
    const isKnown = published.bookBytes !== null
    const comma = parts.length === 1 ? '' : '},'
    parts.push(`${comma}{"slug":"${slug}","book":`, orderbookBytes(published, clock()))
    if (!isKnown) yield
  }
  const end = parts.length === 1 ? '' : '}'
  parts.push(`${end}],"missing":${JSON.stringify(missing)}}`)
  return new Joined(parts)
}
