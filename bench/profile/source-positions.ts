// A profile has positions in the JavaScript that ran. Source maps lead back to the TypeScript. The
// program does not run with --enable-source-maps; the Makefile explains why.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { findSourceMap, SourceMap, type SourceMapPayload } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A position as V8 reports it, counted from 0. */
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

const INTERVAL_US = 250

/**
 * Samples this thread while `work` runs, and writes a profile like `node --cpu-prof`, but with
 * places in the sources. It does so here, because only this process has the source maps of files
 * that are compiled as they load.
 */
export async function recorded<T>(path: string, work: () => Promise<T>): Promise<T> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await session.post('Profiler.start')
  const result = await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  for (const { callFrame } of profile.nodes) {
    Object.assign(callFrame, originalOf(callFrame, findSourceMap))
  }
  writeFileSync(path, JSON.stringify(profile))
  return result
}
