// The HTML shell of every page that the exchange serves to browsers. Its policy allows only the
// page's own style, so text that slips through unescaped cannot run.

import { createHash } from 'node:crypto'
import type { Header } from '../messages/call.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:6vh auto;padding:0 1rem;' +
  'overflow-wrap:break-word}' +
  'pre{overflow-x:auto;padding:.8rem;background:#8881;border-radius:4px}' +
  'code{font:.9em ui-monospace,monospace}' +
  'table{display:block;overflow-x:auto;border-collapse:collapse}' +
  'th,td{border:1px solid #8886;padding:.2rem .6rem;text-align:left;vertical-align:top}' +
  '@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8cf}}'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const HTML_TYPE = 'text/html; charset=utf-8'

/** For every page: no script, no other host, no framing. */
export const PAGE_HEADERS: readonly Header[] = [
  [
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; ` +
      "form-action 'none'; frame-ancestors 'none'",
  ],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text escaped for HTML, also inside quoted attributes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found])
}

/** A complete page; `body` is HTML already. */
export function htmlPage(title: string, body: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
    `<style>${STYLE}</style></head><body><main>${body}</main></body></html>\n`
  )
}
