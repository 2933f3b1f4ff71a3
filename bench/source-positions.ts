// A profile tells positions in the JavaScript that ran; source maps lead back to the TypeScript.
// The program is not run with --enable-source-maps for that: see the Makefile.

import { existsSync, readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

/** As V8 tells it: from 0 on. */
export interface Position {
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** The map of the file at a URL; undefined when there is none. */
export type MapOf = (url: string) => SourceMap | undefined

function readMap(url: string): SourceMap | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = `${fileURLToPath(url)}.map`
  if (!existsSync(path)) return undefined
  const payload: SourceMapPayload = JSON.parse(readFileSync(path, 'utf8'))
  return new SourceMap(payload)
}

/** Finds the map that the compiler wrote beside a file; reads each once. */
export function mapsBeside(): MapOf {
  const maps = new Map<string, SourceMap | undefined>()
  return (url) => {
    if (!maps.has(url)) maps.set(url, readMap(url))
    return maps.get(url)
  }
}

/** The place in the source; the position itself where no map tells it. */
export function originalOf(position: Position, mapOf: MapOf): Position {
  const { url, lineNumber, columnNumber } = position
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
  // What stands before the first segment, or in one of no source, has no original.
  if (entry === undefined || !('originalSource' in entry)) return position
  const { originalSource, originalLine, originalColumn } = entry
  if (!originalSource) return position
  return {
    url: new URL(originalSource, url).href,
    lineNumber: originalLine,
    columnNumber: originalColumn,
  }
}
