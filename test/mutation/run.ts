import assert from 'node:assert/strict'
import { fromEnv, Random } from '../support/random.ts'
import { allMutations, type Mutation, sourceOf } from './all.ts'
import { Tree } from './trees.ts'

// Breaks one rule at a time and runs the tests that must notice. ONLY=text picks the changes whose
// file or rule holds the text. SHARD=i/n picks every n-th change, SAMPLE=n picks n changes by seed.
// The run fails when a change survives, when a change no longer fits its file, and when the
// unchanged sources do not pass.

const WORKERS = 2
const CONTROL_DEADLINE_MS = 300_000
/** A change may hang a test: its deadline is this many times the time without it, and a bit. */
const PATIENCE = 4
const PATIENCE_MS = 20_000

function chosen(all: readonly Mutation[]): Mutation[] {
  const only = process.env.ONLY ?? ''
  const [shard, shards] = (process.env.SHARD || '1/1').split('/').map(Number)
  const picked = all
    .filter(({ file, rule }) => `${file} ${rule}`.includes(only))
    .filter((_each, index) => index % shards === shard - 1)
  const sample = fromEnv('SAMPLE', picked.length)
  const random = new Random(fromEnv('SEED', 1))
  while (picked.length > sample) picked.splice(random.below(picked.length), 1)
  assert(picked.length > 0, 'no change is chosen')
  return picked
}

/** Runs `work` for each item in order, in the next free tree. */
async function inTrees<T>(
  trees: readonly Tree[],
  items: readonly T[],
  work: (tree: Tree, item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const serve = async (tree: Tree) => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(tree, item)
    }
  }
  await Promise.all(trees.map(serve))
}

/** The control: the unchanged sources pass, so a later failure is due to the change. */
async function checkControl(trees: readonly Tree[], mutations: readonly Mutation[]): Promise<void> {
  const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))]
  await inTrees(trees, tests, async (tree, test) => {
    const startedMs = performance.now()
    const { passed, output } = await tree.run(test, CONTROL_DEADLINE_MS)
    assert(passed, `${test} fails with nothing broken:\n${output}`)
    deadlinesMs.set(test, (performance.now() - startedMs) * PATIENCE + PATIENCE_MS)
  })
  console.log(`nothing broken: ${tests.length} test files pass`)
}

/** Which test file noticed the change, in words; null when all passed. */
async function noticedBy(
  tree: Tree,
  { file, tests, rule, broken }: Mutation,
): Promise<string | null> {
  const source = sourceOf(file)
  tree.write(file, broken)
  try {
    for (const test of tests) {
      const { passed, stuck, output } = await tree.run(
        test,
        deadlinesMs.get(test) ?? CONTROL_DEADLINE_MS,
      )
      assert(!/TransformError|SyntaxError/.test(output), `${file}, "${rule}" does not compile`)
      if (stuck) return `stuck in ${test}`
      if (!passed) return `caught by ${test}`
    }
    return null
  } finally {
    tree.write(file, source)
  }
}

const mutations = chosen(allMutations())
const trees = Array.from({ length: WORKERS }, () => new Tree())
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const tree of trees) tree.remove()
    process.exit(1)
  })
}
const startedMs = performance.now()
const survivors: Mutation[] = []
const deadlinesMs = new Map<string, number>()
let done = 0
try {
  await checkControl(trees, mutations)
  await inTrees(trees, mutations, async (tree, mutation) => {
    const verdict = await noticedBy(tree, mutation)
    if (verdict === null) survivors.push(mutation)
    const { file, rule } = mutation
    console.log(`${++done}/${mutations.length}  ${file}: ${rule}  ${verdict ?? 'SURVIVED'}`)
  })
} finally {
  for (const tree of trees) tree.remove()
}
const seconds = Math.round((performance.now() - startedMs) / 1000)
console.log(`${mutations.length - survivors.length} of ${mutations.length} caught, ${seconds} s`)
for (const { file, rule } of survivors) console.log(`  survived: ${file}: ${rule}`)
if (survivors.length > 0) process.exitCode = 1
