// The documents of the exchange as web pages: each version serves its own documents.

import { open } from '../../auth/auth-scheme.ts'
import { HTML_TYPE, PAGE_HEADERS } from '../../docs/html.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import { refuse } from '../../messages/refusal.ts'
import type { SystemServices } from './services.ts'

const shown = (html: Uint8Array) => bytes(html, HTML_TYPE, 200, PAGE_HEADERS)

export const documents = route({
  method: 'GET',
  path: '/docs',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns a page that lists the documents.',
  reply: text(),
  means: 'The page; it loads no other file.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, { pages }: SystemServices) => shown(pages().index),
})

export const asyncApiPage = route({
  method: 'GET',
  path: '/docs/asyncapi',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the AsyncAPI document as a web page.',
  reply: text(),
  means: 'The page; it loads no other file.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, { asyncApiPage }: SystemServices) => shown(asyncApiPage()),
})

export const documentPage = route({
  method: 'GET',
  path: '/docs/:page',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one document as a web page.',
  params: { page: means(text(), 'Name of a document listed at /docs.') },
  reply: text(),
  means: 'The document as a page; it loads no other file.',
  produces: HTML_TYPE,
  rejects: ['PATH_NOT_FOUND'],
  example: { params: { page: 'trading' }, reply: '<!doctype html>' },
  handle: ({ params }, { pages }: SystemServices) => {
    const found = pages().page(params.page)
    return found === undefined ? refuse('PATH_NOT_FOUND') : shown(found)
  },
})
