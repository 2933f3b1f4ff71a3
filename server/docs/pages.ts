// The pages of /docs: every Markdown file of this folder. The build renders them, because rendering
// would delay orders by a tenth of a second. A run from the sources renders them on demand.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { escaped, htmlPage } from './html.ts'
import { type Rendered, render } from './markdown.ts'

export interface Pages {
  /** A list of all pages. */
  readonly index: Uint8Array
  page(name: string): Uint8Array | undefined
  readonly names: readonly string[]
}

const ENDING = '.md'

/** The reading order; all other pages follow, by name. */
const ORDER = [
  'trading',
  'api',
  'rules',
  'operating',
  'replication',
  'chain',
  'groups-and-series',
  'metrics',
  'load-testing',
  'design',
  'engineering',
  'proofs',
  'benchmarks',
  'changelog',
]

function placeOf(name: string): number {
  const place = ORDER.indexOf(name)
  return place === -1 ? ORDER.length : place
}

function namesIn(folder: URL): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(ENDING))
  const names = files.map((file) => file.slice(0, -ENDING.length)).sort()
  return names.sort((a, b) => placeOf(a) - placeOf(b))
}

function pageOf(title: string, body: string): Uint8Array {
  return Buffer.from(htmlPage(title, body))
}

/** Pages that the program generates from its own code. */
const REFERENCES = [
  '<li><a href="/docs/openapi">OpenAPI</a>: every call with its fields and examples.</li>',
  '<li><a href="/docs/asyncapi">AsyncAPI</a>: every message of the sockets.</li>',
]

function indexOf(rendered: RenderedPages): Uint8Array {
  const items = rendered.map(([name, { title, about }]) => {
    return `<li><a href="/docs/${name}">${escaped(title)}</a>: ${escaped(about)}</li>`
  })
  const list = [...items, ...REFERENCES].join('')
  const body = `<h1>outcomex: documents</h1><ul>${list}</ul><p><a href="/">Home</a></p>`
  return pageOf('outcomex: documents', body)
}

/** The pages that the build rendered, in the folder of the program. */
export const PAGES_FILE = 'pages.json'
const HERE = new URL('./', import.meta.url)

/** Each page by its name, in the order of the index. */
type RenderedPages = readonly (readonly [name: string, page: Rendered])[]

/** Reads and renders all Markdown files of this folder. */
export function renderedPages(): RenderedPages {
  return namesIn(HERE).map((name) => {
    return [name, render(readFileSync(new URL(`${name}${ENDING}`, HERE), 'utf8'))]
  })
}

function builtPages(): RenderedPages {
  const built = new URL(PAGES_FILE, HERE)
  return existsSync(built) ? JSON.parse(readFileSync(built, 'utf8')) : renderedPages()
}

function pagesOf(rendered: RenderedPages): Pages {
  const back = '<p><a href="/docs">All documents</a></p>'
  const pages = new Map(
    rendered.map(([name, { title, body }]) => [name, pageOf(title, back + body)]),
  )
  return { index: indexOf(rendered), page: (name) => pages.get(name), names: [...pages.keys()] }
}

/** The pages are read at the first call. */
export function openPages(): () => Pages {
  let pages: Pages | undefined
  return () => {
    pages ??= pagesOf(builtPages())
    return pages
  }
}
