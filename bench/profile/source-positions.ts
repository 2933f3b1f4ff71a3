// A profile gives positions in the JavaScript that ran. Source maps lead back to the TypeScript.
// The program does not run with --enable-source-maps for that; the Makefile says why.

import { existsSync, readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A position as V8 gives it, counted from 0. */
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

/** Finds the map that the compiler wrote beside a file. It reads each map once. */
export function mapsBeside(): MapOf {
  const maps = new Map<string, SourceMap | undefined>()
  return (url) => {
    if (!maps.has(url)) maps.set(url, readMap(url))
    return maps.get(url)
  }
}

/** The place in the source. The given position when no map has it. */
export function originalOf(position: Position, mapOf: MapOf): Position {
  const { url, lineNumber, columnNumber } = position
  const entry = mapOf(url)?.findEntry(lineNumber, columnNumber)
  // Code before the first segment, or in a segment without a source, has no original.
  if (entry === undefined || !('originalSource' in entry)) return position
  const { originalSource, originalLine, originalColumn } = entry
  if (!originalSource) return position
  return {
    url: new URL(originalSource, url).href,
    lineNumber: originalLine,
    columnNumber: originalColumn,
  }
}
