// The web pages: the page at the address of the exchange, the operators' page, and their files.

import { open } from '../../auth/auth-scheme.ts'
import { HTML_TYPE, PAGE_HEADERS } from '../../docs/html.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { means, text } from '../../edge/http/schema/scalars.ts'
import type { Header } from '../../messages/call.ts'
import { refuse } from '../../messages/refusal.ts'
import type { WebPage } from '../../web/web-files.ts'
import type { SystemServices } from './services.ts'

/**
 * Scripts and styles are loaded only from this exchange, no markup is generated from text, and
 * pages of other hosts cannot frame the page.
 */
const CONSOLE_HEADERS: readonly Header[] = [
  [
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
]
/**
 * Swagger UI renders Markdown as markup and sanitizes it itself, so trusted types are not required
 * here. The page displays only this program's document: it contains no user text.
 */
const REFERENCE_HEADERS: readonly Header[] = [
  [
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ...CONSOLE_HEADERS.slice(1),
]
const FILE_HEADERS: readonly Header[] = [['x-content-type-options', 'nosniff']]
/** The name of a file changes with its bytes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

async function shown({ web }: SystemServices, page: WebPage, headers = CONSOLE_HEADERS) {
  const { pages } = await web()
  return bytes(pages[page], HTML_TYPE, 200, headers)
}

export const consolePage = route({
  method: 'GET',
  path: '/',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the console: a web page with live markets and trading.',
  reply: text(),
  means: 'The page; it only loads files of this exchange.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, services: SystemServices) => shown(services, 'console'),
})

export const operatorPage = route({
  method: 'GET',
  path: '/operator',
  auth: open(),
  rateClass: 'admin',
  cache: cached(REVALIDATE),
  about:
    "Returns the operators' console. The page contains no secret: it requests an operator's token.",
  reply: text(),
  means: 'The page; it only loads files of this exchange.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, services: SystemServices) => shown(services, 'operator'),
})

export const openApiPage = route({
  method: 'GET',
  path: '/docs/openapi',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the OpenAPI document as a web page.',
  reply: text(),
  means: 'The page; it only loads files of this exchange.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, services: SystemServices) => shown(services, 'openapi', REFERENCE_HEADERS),
})

export const webFile = route({
  method: 'GET',
  path: '/assets/:file',
  auth: open(),
  rateClass: 'public',
  cache: cached(FOR_EVER),
  about: 'Returns a script or a style of the console.',
  params: { file: means(text(), 'Name of a file of the page.') },
  reply: text(),
  means: 'The file. It never changes: a new version has another name.',
  produces: ['text/javascript; charset=utf-8', 'text/css; charset=utf-8'],
  rejects: ['PATH_NOT_FOUND'],
  example: { params: { file: 'main-ABCD1234.js' }, reply: '' },
  handle: async ({ params }, { web }: SystemServices) => {
    const file = (await web()).file(params.file)
    if (file === undefined) return refuse('PATH_NOT_FOUND')
    return bytes(file.bytes, file.type, 200, FILE_HEADERS)
  },
})

// The documents of the exchange as web pages: each version serves its own documents.

const pageReply = (html: Uint8Array) => bytes(html, HTML_TYPE, 200, PAGE_HEADERS)

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
  handle: (_input, { pages }: SystemServices) => pageReply(pages().index),
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
  handle: (_input, { asyncApiPage }: SystemServices) => pageReply(asyncApiPage()),
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
    return found === undefined ? refuse('PATH_NOT_FOUND') : pageReply(found)
  },
})
