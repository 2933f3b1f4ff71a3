import { fileURLToPath, pathToFileURL } from 'node:url'
import { mapsBeside, originalOf } from '../../bench/profile/source-positions.ts'

// Node can name the lines of sources in stacks itself, but then each thread of each test file reads
// the maps of its bundles: 0.3 s of CPU in a file that starts three exchanges.

const PLACE = /(?:file:\/\/)?(\/[^\s():]+\.mjs):(\d+):(\d+)/g
const mapOf = mapsBeside()

/** Names lines of the sources wherever a stack names lines of a bundle. */
export function inSources(text: string): string {
  return text.replace(PLACE, (_place, bundle: string, line: string, column: string) => {
    const url = pathToFileURL(bundle).href
    const position = { url, lineNumber: Number(line) - 1, columnNumber: Number(column) - 1 }
    const { url: source, lineNumber, columnNumber } = originalOf(position, mapOf)
    return `${fileURLToPath(source)}:${lineNumber + 1}:${columnNumber + 1}`
  })
}
