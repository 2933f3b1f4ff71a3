import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readTree } from './support/source-tree.ts'
import { checkTidy, PROOF_FILES } from './support/tidy.ts'
import { oddWords } from './support/wording.ts'

const files = readTree(fileURLToPath(new URL('..', import.meta.url)))

test('the repository keeps its own rules of form', () => {
  assert.ok(files.length > 10, 'the files of the repository are found')
  const violations = checkTidy(files).map(
    ({ path, line, rule, detail }) => `${path}:${line} ${rule}: ${detail}`,
  )
  if (violations.length > 0) assert.fail(`${violations.length} found\n${violations.join('\n')}`)
})

test('names and sentences use the standard terms', () => {
  assert.deepEqual(oddWords(files), [])
  const path = 'server/ops/logging/log.ts'
  const planted = [
    '// It is told.',
    'const orderWish = 1',
    'const TWIN = 1',
    'const intakeLane = 1',
    '// A rare command waits for a still moment.',
    "import { x } from './market-words.ts'",
  ]
  for (const text of planted) assert.equal(oddWords([{ path, text }]).length, 1, text)
  assert.deepEqual(
    oddWords([{ path, text: '// An intelligent teller? Outlawed, earsplitting.' }]),
    [],
  )
})

test('every file that is free of a rule exists', () => {
  const there = new Set(files.map(({ path }) => path))
  assert.deepEqual(
    [...PROOF_FILES].filter((path) => !there.has(path)),
    [],
  )
})

const lines = (count: number, text: string): string => `${text}\n`.repeat(count)
// Written in parts, so that this file does not break the rules it plants; \x24 is a dollar sign.
const MACHINE = ['', 'home', 'me', 'x'].join('/')
const RESOLVED = ['"resolved"', '"https://host/x.tgz"'].join(': ')
const PROMISE = ['// TO', 'DO: later'].join('')

const PLANTED: readonly (readonly [rule: string, path: string, text: string])[] = [
  ['purity', 'engine/core/book/book.ts', 'async function later() {}'],
  ['purity', 'engine/core/book/book.ts', 'const x = `\x24{await y}`'],
  ['purity', 'engine/domain/ids.ts', 'const salt = Math.random()'],
  ['id', 'server/messages/call.ts', 'interface A { tradeSeq: number }'],
  ['id', 'engine/core/book/book.ts', 'function f(marketId?: number) {}'],
  ['one-spawn', 'server/edge/threads/edge-thread.ts', 'const w = new Worker(url)'],
  ['as', 'server/ops/logging/log.ts', 'const x = y as Order'],
  ['as', 'server/ops/logging/log.ts', 'const x = <T>(y: T) => (f(y) as Order)'],
  ['file-name', 'server/ops/utils.ts', ''],
  ['file-name', 'server/ops/index.ts', ''],
  ['file-name', 'server/ops/helpers.test.ts', ''],
  ['file-name', 'server/ops/rateLimit.ts', ''],
  ['line-columns', 'server/ops/logging/log.ts', `// ${'x'.repeat(98)}`],
  ['worker-lines', 'server/edge/threads/edge.worker.ts', lines(60, '// x')],
  ['open-promise', 'server/ops/logging/log.ts', PROMISE],
  ['machine-path', 'server/ops/logging/log.ts', `const path = '${MACHINE}'`],
  ['registry-host', 'package-lock.json', RESOLVED],
  ['top-level', 'notes/plan.md', 'x'],
]

test('each rule catches the violation that is planted against it', () => {
  for (const [rule, path, text] of PLANTED) {
    const rules = checkTidy([{ path, text }]).map((violation) => violation.rule)
    assert.deepEqual([...new Set(rules)], [rule], `${path}: ${text}`)
  }
})

const CLEAN: readonly (readonly [path: string, text: string])[] = [
  ['engine/core/book/book.ts', `// await and async belong to the server; so does x as Order.`],
  ['engine/core/book/book.ts', `const invariant = 'await a Date, as any process must'`],
  ['engine/core/book/book.ts', `import { divFloor as div } from '../../domain/units.ts'`],
  ['engine/core/book/book.ts', `const SIDES = ['buy', 'sell'] as const`],
  ['server/ops/logging/log.ts', 'export { a as b }'],
]

test('text that only looks like a violation passes', () => {
  for (const [path, text] of CLEAN) {
    assert.deepEqual(checkTidy([{ path, text }]), [], `${path}: ${text}`)
  }
})

test('a planted violation is named by its file, line and rule', () => {
  const text = 'const a = 1\n\nconst chance = Math.random()\n'
  const [found] = checkTidy([{ path: 'engine/core/book/book.ts', text }])
  assert.equal(`${found?.path}:${found?.line} ${found?.rule}`, 'engine/core/book/book.ts:3 purity')
})
