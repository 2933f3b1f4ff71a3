// The pages that browsers get, and the files that they load. The build makes them; a run from the
// sources builds them on the first request.

import { existsSync, readFileSync } from 'node:fs'
import { withBrotli } from '../edge/http/caching/compressed.ts'

/** A file that a page loads. Its name holds a digest of its bytes, so it never changes. */
export interface WebFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
  /** The same bytes, compressed once for all callers. */
  readonly brotli: Uint8Array
}

export const WEB_PAGES = ['console', 'operator', 'openapi'] as const
export type WebPage = (typeof WEB_PAGES)[number]

/** What the build makes. */
export interface MadeFiles {
  readonly pages: Readonly<Record<WebPage, string>>
  readonly files: readonly WebFile[]
}

/** The pages and files as the gateway serves them. */
export interface WebFiles {
  readonly pages: Readonly<Record<WebPage, Uint8Array>>
  file(name: string): Pick<WebFile, 'type' | 'bytes'> | undefined
}

/** In the folder of the program: the `WebIndex`, and each file with its compressed form. */
export const WEB_INDEX = 'web.json'
export const BROTLI_ENDING = '.br'

export interface WebIndex {
  readonly pages: Readonly<Record<WebPage, string>>
  readonly files: readonly { readonly name: string; readonly type: string }[]
}

/** A file is read on its first request: those of the documents may never be requested. */
function builtFiles(folder: URL): WebFiles {
  const index: WebIndex = JSON.parse(readFileSync(new URL(WEB_INDEX, folder), 'utf8'))
  const types = new Map(index.files.map(({ name, type }) => [name, type]))
  const known = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>()
  return {
    pages: bytesOf(index.pages),
    file(name) {
      const type = types.get(name)
      if (type === undefined) return undefined
      const found = known.get(name)
      if (found !== undefined) return found
      const brotli = readFileSync(new URL(name + BROTLI_ENDING, folder))
      const file = { type, bytes: withBrotli(readFileSync(new URL(name, folder)), brotli) }
      known.set(name, file)
      return file
    },
  }
}

function bytesOf(pages: MadeFiles['pages']): WebFiles['pages'] {
  return {
    console: Buffer.from(pages.console),
    operator: Buffer.from(pages.operator),
    openapi: Buffer.from(pages.openapi),
  }
}

function madeFiles({ pages, files }: MadeFiles): WebFiles {
  const byName = new Map(
    files.map(({ name, type, bytes, brotli }) => [
      name,
      { type, bytes: withBrotli(bytes, brotli) },
    ]),
  )
  return { pages: bytesOf(pages), file: (name) => byName.get(name) }
}

/** `folder` is that of the program; `make` runs once, when the files do not exist. */
export function openWebFiles(
  folder: URL,
  make: () => Promise<MadeFiles>,
): () => WebFiles | Promise<WebFiles> {
  let opened: WebFiles | Promise<WebFiles> | undefined
  return () => {
    if (opened !== undefined) return opened
    if (existsSync(new URL(WEB_INDEX, folder))) {
      opened = builtFiles(folder)
      return opened
    }
    const made = make().then(madeFiles)
    opened = made
    return made
  }
}
