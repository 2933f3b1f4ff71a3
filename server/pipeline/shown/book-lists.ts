// Several books in one reply, joined from bytes that are encoded once per version.

import { kindOf } from '../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../engine/domain/units.ts'
import { Joined, type Part } from '../../http/caching/payload.ts'
import { orderbookBytes } from './book-views.ts'
import type { PublishedMarket } from './published.ts'

/** Whether the book of the market may be read (rules §12.3). */
function showsBook({ market, status }: PublishedMarket): boolean {
  return kindOf(market) === 'clob' && (status === 'CREATED' || status === 'FUNDED')
}

const BOOKS_HEAD = '{"books":['

interface AskedBook {
  readonly slug: string
  readonly published: PublishedMarket | undefined
}

/**
 * Encodes the books that changed, one in a step, and then joins all of them. What changed again
 * between two steps is encoded again at the end, so that all books are of one moment.
 */
export function* orderbookListSteps(
  asked: readonly AskedBook[],
  clock: () => TimeMs,
): Iterator<void, Joined, void> {
  for (const { published } of asked) {
    if (published === undefined || !showsBook(published) || published.bookBytes !== null) continue
    orderbookBytes(published, clock())
    yield
  }
  return orderbookListBytes(asked, clock())
}

/** Several books, joined from their bytes, and the slugs that have none. */
function orderbookListBytes(asked: readonly AskedBook[], nowMs: TimeMs): Joined {
  const parts: Part[] = [BOOKS_HEAD]
  const missing: string[] = []
  for (const { slug, published } of asked) {
    if (published === undefined || !showsBook(published)) {
      missing.push(slug)
      continue
    }
    const comma = parts.length === 1 ? '' : '},'
    parts.push(`${comma}{"slug":"${slug}","book":`, orderbookBytes(published, nowMs))
  }
  const end = parts.length === 1 ? '' : '}'
  parts.push(`${end}],"missing":${JSON.stringify(missing)}}`)
  return new Joined(parts)
}
