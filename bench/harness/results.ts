// bench/results/NAME.json: the figures of the last full run, and the machine that gave them.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { number, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject, optional } from '../../server/edge/http/schema/schema.ts'
import type { Report } from './bench.ts'

export interface Result extends Report {
  readonly commit: string
  readonly machine: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const row = openObject({
  case: text(),
  unit: text(),
  median: number(),
  min: number(),
  max: number(),
  baseline: optional(text()),
  ratio: optional(number()),
})
const shape = compile(
  openObject({ name: text(), commit: text(), machine: text(), rows: list(row) }),
)

const pathOf = (root: string, name: string) => join(root, 'bench', 'results', `${name}.json`)

function commitText(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { encoding: 'utf8', cwd: ROOT, stdio: 'pipe' }).trim()
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' (changed)'
    return git('rev-parse', '--short', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}

function machineText(): string {
  const [first] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${first.model.trim()}, ${gigabytes} GB, Node ${process.version}`
}

export function saveResult(report: Report): void {
  mkdirSync(join(ROOT, 'bench', 'results'), { recursive: true })
  const result: Result = { commit: commitText(), machine: machineText(), ...report }
  writeFileSync(pathOf(ROOT, report.name), `${JSON.stringify(result, null, 2)}\n`)
}

/** The last result of a bench in a checkout of the repository; undefined when there is none. */
export function loadResult(name: string, root = ROOT): Result | undefined {
  const path = pathOf(root, name)
  if (!existsSync(path)) return undefined
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!shape.holds(value)) throw new Error(`${path} is not a result; measure it again`)
  return value
}
