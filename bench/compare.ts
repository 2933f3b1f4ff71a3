// `node --import tsx bench/compare.ts REV [bench] [passes]`: runs a bench of another commit and of
// the working tree, each with its own code, in alternating passes. It reports which figures differ
// by more than noise.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alternate, progress, type Report } from './harness/bench.ts'
import { compareTable } from './harness/compare-tables.ts'
import { withFolder } from './harness/folder.ts'
import { loadResult } from './harness/results.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The fewest passes that can show a difference; see noise.ts. */
const PASSES = 4
const INTERRUPTED = 130
const MANIFESTS = ['package.json', 'package-lock.json']

/** The running child. It has a process group of its own, so that all it started ends with it. */
let child: ChildProcess | undefined

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

async function run(cwd: string, ...words: string[]): Promise<void> {
  const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit']
  child = spawn(words[0], words.slice(1), { cwd, stdio, detached: true })
  const [code] = await once(child, 'close')
  child = undefined
  if (code !== 0) throw new Error(`${words.join(' ')} ended with code ${code}`)
}

/** Installs the packages of a checkout, or links those of this tree when the lock files agree. */
async function install(tree: string): Promise<void> {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lock(tree) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
    // With newer manifests a `make` of the checkout would install its packages again, and npm would
    // empty the linked folder first.
    for (const name of MANIFESTS) utimesSync(join(tree, name), 0, 0)
    return
  }
  progress('the packages differ: installing them')
  const script = join('.ci', 'install.mjs')
  if (existsSync(join(tree, script))) await run(tree, process.execPath, script)
  else await run(tree, 'npm', 'ci')
}

async function measure(tree: string, bench: string): Promise<Report> {
  await run(tree, process.execPath, '--import', 'tsx', 'bench/run.ts', bench)
  const result = loadResult(bench, tree)
  if (result === undefined) throw new Error(`there is no bench ${bench} at one of the commits`)
  return result
}

const [revision = '', bench = 'core', passes = String(PASSES)] = process.argv.slice(2)
if (revision === '') {
  console.error('Name the commit to compare with: make bench-compare REV=HEAD~1 [BENCH=core]')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, async () => {
    if (child?.pid !== undefined && child.exitCode === null) {
      const ended = once(child, 'close')
      process.kill(-child.pid, 'SIGTERM')
      await ended
    }
    process.exit(INTERRUPTED)
  })
}
const commit = commitOf(revision)
// Runs after the folder of the checkout is removed, also on a signal.
process.on('exit', () => git('worktree', 'prune'))
await withFolder(async (folder) => {
  const tree = join(folder, 'tree')
  git('worktree', 'add', '--detach', tree, commit)
  await install(tree)
  const about = `${bench} of ${commit} and of the working tree`
  const [before, now] = await alternate({ about, rounds: Number(passes) }, () => [
    () => measure(tree, bench),
    () => measure(ROOT, bench),
  ])
  const sides = [
    { name: commit, passes: before },
    { name: 'working tree', passes: now },
  ] as const
  console.log(`\n${compareTable(...sides)}`)
})
