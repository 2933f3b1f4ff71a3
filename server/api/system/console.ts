// What a browser gets: the page at the address of the exchange, that of operators, and their files.

import { open } from '../../auth/auth-scheme.ts'
import { HTML_TYPE } from '../../docs/html.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { text } from '../../edge/http/schema/scalars.ts'
import type { Header } from '../../messages/call.ts'
import { refuse } from '../../messages/refusal.ts'
import type { WebPage } from '../../web/web-files.ts'
import type { SystemServices } from './services.ts'

/**
 * Scripts and styles come from this exchange alone, nothing is written as markup, and no page of
 * another host frames it.
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
 * Swagger UI writes Markdown as markup, which it cleans itself, so nothing here asks for trusted
 * types. The page shows the document of this program alone: no text of a user is in it.
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
  about: 'The console: a page on which people see markets live and trade.',
  reply: text(),
  means: 'The page; it loads files of this exchange alone.',
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
    'The console of operators. The page holds no secret: it asks for the token of an operator.',
  reply: text(),
  means: 'The page; it loads files of this exchange alone.',
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
  about: 'The OpenAPI document as a page.',
  reply: text(),
  means: 'The page; it loads files of this exchange alone.',
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
  about: 'A script or a style of the console.',
  params: { file: means(text(), 'Name of a file, as the page names it.') },
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
