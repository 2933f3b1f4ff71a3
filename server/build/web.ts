// Bundles the browser pages: `server/console` and its imports. Each file name contains a digest of
// the content, and each file is compressed once.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { type MadeFiles, WEB_PAGES, type WebFile, type WebPage } from '../web/web-files.ts'
import { bundleWeb } from './bundle.ts'

const CONSOLE = fileURLToPath(new URL('../console/', import.meta.url))
const ENTRIES: Readonly<Record<WebPage, string>> = {
  console: 'main.tsx',
  operator: 'operator.tsx',
  openapi: 'reference/openapi.tsx',
}
const TITLES: Readonly<Record<WebPage, string>> = {
  console: 'outcomex',
  operator: 'outcomex for operators',
  openapi: 'outcomex: the API',
}
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}
const ASSETS = '/assets/'
const asBrotli = promisify(brotliCompress)

/** A build minimizes size; a run from the sources minimizes time. */
export type Effort = 'small' | 'soon'
const QUALITY: Readonly<Record<Effort, number>> = { small: constants.BROTLI_MAX_QUALITY, soon: 4 }
/** Larger files get less effort: the last percent of a megabyte takes seconds. */
const LARGE_BYTES = 1_000_000
const LARGE_QUALITY = 9

/** The files that an entry loads before anything is visible. */
function loadedBy(
  { outputs }: Metafile,
  entry: string,
): { main: string; early: string[]; css: string | undefined } {
  const found = Object.entries(outputs).find(([, each]) =>
    each.entryPoint?.endsWith(`console/${entry}`),
  )
  if (found === undefined) throw new Error(`the bundle has no entry ${entry}`)
  const [main, { cssBundle }] = found
  const early = new Set<string>()
  const follow = (name: string): void => {
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement' || early.has(path)) continue
      early.add(path)
      follow(path)
    }
  }
  follow(main)
  return { main, early: [...early], css: cssBundle }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function pageOf(metafile: Metafile, page: WebPage): string {
  const { main, early, css } = loadedBy(metafile, ENTRIES[page])
  const template = readFileSync(join(CONSOLE, 'page.html'), 'utf8')
  const style = css === undefined ? '' : `<link rel="stylesheet" href="${ASSETS}${nameOf(css)}">`
  const preloads = early.map((path) => `<link rel="modulepreload" href="${ASSETS}${nameOf(path)}">`)
  const script = `<script type="module" src="${ASSETS}${nameOf(main)}"></script>`
  return template
    .replace('{title}', TITLES[page])
    .replace('{files}', () => [style, ...preloads, script].join('\n    '))
}

async function fileOf(path: string, bytes: Uint8Array, effort: Effort): Promise<WebFile> {
  const name = nameOf(path)
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) throw new Error(`${name} has no content type`)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]:
      bytes.length > LARGE_BYTES ? Math.min(QUALITY[effort], LARGE_QUALITY) : QUALITY[effort],
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return { name, type, bytes, brotli: await asBrotli(bytes, { params }) }
}

/** All pages with all of their files. */
export async function makeWeb(effort: Effort): Promise<MadeFiles> {
  const { outputFiles, metafile } = await bundleWeb(
    WEB_PAGES.map((page) => join(CONSOLE, ENTRIES[page])),
  )
  const files = await Promise.all(
    outputFiles.map(({ path, contents }) => fileOf(path, contents, effort)),
  )
  const pages = {
    console: pageOf(metafile, 'console'),
    operator: pageOf(metafile, 'operator'),
    openapi: pageOf(metafile, 'openapi'),
  }
  return { pages, files }
}
