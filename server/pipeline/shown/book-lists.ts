// Several books in one reply, joined from bytes that are encoded once per version.

import type { PublishedMarket } from './published.ts'
import { orderbookBytes } from './views.ts'

/** Whether the book of the market may be read (rules §12.3). */
function showsBook({ status }: PublishedMarket): boolean {
  return status === 'CREATED' || status === 'FUNDED'
}

const BOOKS_HEAD = Buffer.from('{"books":[')

/** Several books, joined from their bytes, and the slugs that have none. */
export function orderbookListBytes(
  asked: readonly { readonly slug: string; readonly published: PublishedMarket | undefined }[],
): Buffer {
  const parts: Buffer[] = [BOOKS_HEAD]
  const missing: string[] = []
  for (const { slug, published } of asked) {
    if (published === undefined || !showsBook(published)) {
      missing.push(slug)
      continue
    }
    const comma = parts.length === 1 ? '' : '},'
    parts.push(Buffer.from(`${comma}{"slug":"${slug}","book":`), orderbookBytes(published))
  }
  const end = parts.length === 1 ? '' : '}'
  parts.push(Buffer.from(`${end}],"missing":${JSON.stringify(missing)}}`))
  return Buffer.concat(parts)
}
