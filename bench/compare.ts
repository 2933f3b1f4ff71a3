// `node --import tsx bench/compare.ts REV [bench] [passes]`: runs a bench of another commit and of
// the working tree in turns, each with its own code. It says which figures differ by more than
// noise.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compareTable } from './report/compare-tables.ts'
import { progress } from './report/progress.ts'
import type { Report } from './report/report.ts'
import { loadResult } from './report/results.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The fewest passes that can show a difference; see noise.ts. */
const PASSES = 4
const INTERRUPTED = 130

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()
}

function commitOf(revision: string): string {
  try {
    return git('rev-parse', '--short', '--verify', `${revision}^{commit}`)
  } catch {
    console.error(`There is no commit ${revision}; name one as REV=…`)
    process.exit(2)
  }
}

/** Another commit, checked out beside this one until `remove`. */
class Checkout {
  readonly folder: string
  readonly tree: string
  /** The running child. It has a process group of its own, so that all it started ends with it. */
  #child: ChildProcess | undefined

  constructor(commit: string) {
    const parent = join(ROOT, '.cache')
    mkdirSync(parent, { recursive: true })
    this.folder = mkdtempSync(join(parent, 'compare-'))
    this.tree = join(this.folder, 'tree')
    git('worktree', 'add', '--detach', this.tree, commit)
  }

  async install(): Promise<void> {
    const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
    if (lock(this.tree) === lock(ROOT)) {
      symlinkSync(join(ROOT, 'node_modules'), join(this.tree, 'node_modules'))
      return
    }
    progress('its packages differ: installing them')
    const script = join('.ci', 'install.mjs')
    const hasScript = existsSync(join(this.tree, script))
    await this.run(this.tree, hasScript ? [process.execPath, script] : ['npm', 'ci'])
  }

  async run(cwd: string, words: readonly string[]): Promise<void> {
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit']
    const child = spawn(words[0], words.slice(1), { cwd, stdio, detached: true })
    this.#child = child
    const [code] = await once(child, 'close')
    this.#child = undefined
    if (code !== 0) throw new Error(`${words.join(' ')} ended with code ${code}`)
  }

  async remove(): Promise<void> {
    const child = this.#child
    if (child?.pid !== undefined && child.exitCode === null) {
      const ended = once(child, 'close')
      process.kill(-child.pid, 'SIGTERM')
      await ended
    }
    if (!existsSync(this.folder)) return
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    git('worktree', 'prune')
  }
}

async function measure(checkout: Checkout, cwd: string, bench: string): Promise<Report> {
  await checkout.run(cwd, [process.execPath, '--import', 'tsx', 'bench/run.ts', bench])
  const result = loadResult(bench, cwd)
  if (result === undefined) throw new Error(`there is no bench ${bench} at one of the commits`)
  return result
}

async function compare(checkout: Checkout, revision: string, bench: string, passes: number) {
  await checkout.install()
  const before: Report[] = []
  const now: Report[] = []
  for (let pass = 1; pass <= passes; pass++) {
    const sides = [
      { name: revision, tree: checkout.tree, results: before },
      { name: 'the working tree', tree: ROOT, results: now },
    ]
    // The order alternates, so that a machine that slows down or speeds up favours neither side.
    if (pass % 2 === 0) sides.reverse()
    for (const { name, tree, results } of sides) {
      progress(`${bench} of ${name}, pass ${pass} of ${passes}`)
      results.push(await measure(checkout, tree, bench))
    }
  }
  const sides = [
    { name: revision, passes: before },
    { name: 'working tree', passes: now },
  ] as const
  console.log(`\n${compareTable(...sides)}`)
}

const [revision = '', bench = 'core', passes = String(PASSES)] = process.argv.slice(2)
if (revision === '') {
  console.error('Name the commit to compare with: make bench-compare REV=HEAD~1 [BENCH=core]')
  process.exit(2)
}
const commit = commitOf(revision)
const checkout = new Checkout(commit)
const leave = () => {
  checkout.remove().finally(() => process.exit(INTERRUPTED))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave)
try {
  await compare(checkout, commit, bench, Number(passes))
} finally {
  await checkout.remove()
}
