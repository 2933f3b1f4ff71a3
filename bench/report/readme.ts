import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from '../../engine/domain/assert.ts'
import { loadResult } from './results.ts'
import { readmeBlock } from './tables.ts'

const README = fileURLToPath(new URL('../../README.md', import.meta.url))
const BEGIN = '<!-- bench -->\n'
const END = '<!-- /bench -->'

/** Puts the last figures of the benches into README.md, between its marks. */
export function writeReadme(names: readonly string[]): void {
  const results = names.flatMap((name) => loadResult(name) ?? [])
  if (results.length === 0) throw new Error('nothing is measured yet; run `make bench`')
  const text = readFileSync(README, 'utf8')
  const from = text.indexOf(BEGIN) + BEGIN.length
  const to = text.indexOf(END)
  assert(from >= BEGIN.length && to >= from, 'README.md has the marks around its figures')
  writeFileSync(README, `${text.slice(0, from)}${readmeBlock(results)}\n${text.slice(to)}`)
}
