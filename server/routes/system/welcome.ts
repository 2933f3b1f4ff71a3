// The page that a browser gets at the address of the exchange.

import { HTML_TYPE, htmlPage, PAGE_HEADERS } from '../../docs/html.ts'
import { open } from '../../http/access/auth-scheme.ts'
import { cached, REVALIDATE } from '../../http/caching/cache.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { text } from '../../http/schema/scalars.ts'
import type { Services } from '../services.ts'

const LINKS = [
  ['/docs', 'how to trade here, and how to run it'],
  ['/markets/active', 'active markets'],
  ['/openapi.json', 'the API as an OpenAPI document'],
  ['/maintenance/status', 'restrictions of trading'],
  ['/ready', 'whether orders are taken'],
  ['/health', 'whether the process runs'],
] as const

const items = LINKS.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`)

const pageOf = (version: string) =>
  htmlPage(
    'outcomex',
    `<h1>outcomex ${version}</h1>` +
      '<p>A self-hosted prediction-market exchange: a REST API and sockets over a deterministic ' +
      'matching engine. Programs trade here with signed orders.</p>' +
      `<ul>${items.join('')}</ul>`,
  )

export const welcome = route({
  method: 'GET',
  path: '/',
  auth: open(),
  lane: 'public',
  cache: cached(REVALIDATE),
  about: 'A page that says what this exchange is, with links to its documents and reads.',
  reply: text(),
  means: 'The page; it loads no other file.',
  produces: HTML_TYPE,
  example: { reply: '<!doctype html>' },
  handle: (_input, { settings }: Services) =>
    bytes(pageOf(settings.version), HTML_TYPE, 200, PAGE_HEADERS),
})
