// What a browser sees that comes to the address of the exchange.

import { open } from '../../http/auth-scheme.ts'
import { bytes } from '../../http/reply.ts'
import { route } from '../../http/route.ts'
import { text } from '../../http/schema/scalars.ts'
import type { Services } from '../services.ts'

const LINKS = [
  ['/markets/active', 'active markets'],
  ['/openapi.json', 'the API as an OpenAPI document'],
  ['/maintenance/status', 'restrictions of trading'],
  ['/ready', 'whether orders are taken'],
  ['/health', 'whether the process runs'],
] as const

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:10vh auto;padding:0 1rem}' +
  '@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8cf}}'

const items = LINKS.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`)

const pageOf = (version: string) =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width"><title>outcomex</title>' +
  `<style>${STYLE}</style></head><body><h1>outcomex ${version}</h1>` +
  '<p>A self-hosted prediction-market exchange: a REST API and sockets over a deterministic ' +
  'matching engine. Programs trade here with signed orders.</p>' +
  `<ul>${items.join('')}</ul></body></html>\n`

export const welcome = route({
  method: 'GET',
  path: '/',
  auth: open(),
  lane: 'public',
  about: 'A page that says what this is, with links to what there is.',
  reply: text(),
  means: 'The page, which needs nothing but itself.',
  produces: 'text/html; charset=utf-8',
  example: { reply: '<!doctype html>' },
  handle: (_input, { settings }: Services) =>
    bytes(pageOf(settings.version), 'text/html; charset=utf-8'),
})
