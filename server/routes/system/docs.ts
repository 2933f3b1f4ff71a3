// The documents of the exchange as pages: each version serves its own documents.

import { HTML_TYPE, PAGE_HEADERS } from '../../docs/html.ts'
import type { Page } from '../../docs/pages.ts'
import { open } from '../../http/auth-scheme.ts'
import { type Call, header } from '../../http/call.ts'
import { refuse } from '../../http/refusal.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { means } from '../../http/schema/meaning.ts'
import { text } from '../../http/schema/scalars.ts'
import type { Services } from '../services.ts'

const IF_NONE_MATCH = {
  'if-none-match': 'The ETag of a copy of the page; gives 304 when the page is unchanged.',
}

const NOT_CHANGED = { 304: 'The page is unchanged since that copy; there is no body.' }

/** The page, or 304 when the caller has it. */
function shown({ html, etag }: Page, call: Call) {
  const known = header(call, 'if-none-match').split(',')
  const isKnown = known.some((each) => each.trim().replace(/^W\//, '') === etag)
  const headers = [...PAGE_HEADERS, ['etag', etag], ['cache-control', 'no-cache']] as const
  return isKnown ? bytes('', HTML_TYPE, 304, headers) : bytes(html, HTML_TYPE, 200, headers)
}

export const documents = route({
  method: 'GET',
  path: '/docs',
  auth: open(),
  lane: 'public',
  about: 'A page that lists the documents.',
  headers: IF_NONE_MATCH,
  reply: text(),
  means: 'The page; it loads no other file.',
  others: NOT_CHANGED,
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: ({ call }, { pages }: Services) => shown(pages.index, call),
})

export const documentPage = route({
  method: 'GET',
  path: '/docs/:page',
  auth: open(),
  lane: 'public',
  about: 'One document as a page.',
  params: { page: means(text(), 'Name of a document, as /docs lists them.') },
  headers: IF_NONE_MATCH,
  reply: text(),
  means: 'The document as a page; it loads no other file.',
  others: NOT_CHANGED,
  produces: HTML_TYPE,
  rejects: ['PATH_NOT_FOUND'],
  example: { params: { page: 'trading' }, reply: '<!doctype html>' },
  handle: ({ params, call }, { pages }: Services) => {
    const found = pages.page(params.page)
    return found === undefined ? refuse('PATH_NOT_FOUND') : shown(found, call)
  },
})
