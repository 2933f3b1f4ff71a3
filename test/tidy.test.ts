import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readTree } from './support/source-tree.ts'
import { checkTidy } from './support/tidy.ts'
import { tableFaults } from './support/tidy-graph.ts'

const files = readTree(fileURLToPath(new URL('..', import.meta.url)))

test('the repository keeps its own rules of form', () => {
  assert.ok(files.length > 10, 'the files of the repository are found')
  const violations = checkTidy(files).map(
    ({ path, line, rule, detail }) => `${path}:${line} ${rule}: ${detail}`,
  )
  if (violations.length > 0) assert.fail(`${violations.length} found\n${violations.join('\n')}`)
})

test('every name in the map of the source exists, and each room has few doors or a reason', () => {
  const paths = files.map(({ path }) => path)
  assert.deepEqual(tableFaults(paths), [])
  const found = tableFaults(paths.filter((path) => path !== 'server/http/schema/schema.ts'))
  assert.deepEqual(found, ['server/http/schema/schema.ts does not exist'])
})

const lines = (count: number, text: string): string => `${text}\n`.repeat(count)
const nested = (levels: number): string =>
  `function f(a) {\n${'if (a) {\n'.repeat(levels)}${'}\n'.repeat(levels)}}`
const exported = (count: number): string =>
  Array.from({ length: count }, (_, index) => `export const a${index} = ${index}`).join('\n')
// Written in parts, so that this file does not break the rules it plants; \x24 is a dollar sign.
const MACHINE = ['', 'home', 'me', 'x'].join('/')
const RESOLVED = ['"resolved"', '"https://host/x.tgz"'].join(': ')

type Planted = readonly [rule: string, path: string, text: string, others?: [string, string][]]

const PLANTED: readonly Planted[] = [
  ['layer', 'engine/core/book/book.ts', `import { log } from '../../../server/ops/logging/log.ts'`],
  ['layer', 'engine/core/book/book.ts', `import { Ring } from '../../wire/ring.ts'`],
  ['layer', 'engine/core/book/book.ts', `import { x } from '../orders/order-table.ts'`],
  ['layer', 'engine/core/clearing.ts', `import { x } from './exchange.ts'`],
  ['layer', 'persistence/database.ts', `import type { Guard } from '../server/auth/guard.ts'`],
  ['layer', 'server/http/call.ts', `export { x } from '../routes/orders/orders.ts'`],
  ['layer', 'server/http/call.ts', `import { log } from '../ops/log.ts'`],
  ['layer', 'engine/wire/codec.ts', `const x = await import('../../server/main.ts')`],
  ['door', 'server/auth/guard.ts', `import { x } from '../../engine/core/book/book.ts'`],
  ['door', 'engine/core/clearing.ts', `import { x } from './book/levels.ts'`],
  ['door', 'server/main.ts', `import { x } from '../persistence/journal/thread/batch-buffer.ts'`],
  ['folder', 'server/stuff/a.ts', 'export const a = 1'],
  ['folder', 'engine/domain/a.ts', `import { x } from '../../bench/workload.ts'`],
  ['cycle', 'engine/core/a.ts', `import './b.ts'`, [['engine/core/b.ts', `import './a.ts'`]]],
  ['foreign', 'server/ops/b.ts', `import p from 'pino'`, [['server/http/a.ts', `import 'pino'`]]],
  ['purity', 'engine/core/book/book.ts', `import { join } from 'node:path'`],
  ['purity', 'engine/core/book/book.ts', 'const nowMs = Date.now()'],
  ['purity', 'engine/core/book/book.ts', 'const nowMs = performance.now()'],
  ['purity', 'engine/domain/ids.ts', 'const salt = Math.random()'],
  ['purity', 'engine/domain/ids.ts', `const seed = process.env.SEED`],
  ['purity', 'engine/core/book/book.ts', 'async function later() {}'],
  ['purity', 'engine/core/book/book.ts', 'const x = `\x24{await y}`'],
  ['purity', 'engine/core/book/book.ts', 'setTimeout(f, 5)'],
  ['silence', 'persistence/database.ts', `console.log('saved')`],
  ['id', 'server/http/call.ts', 'interface A { tradeSeq: number }'],
  ['id', 'engine/core/book/book.ts', 'function f(marketId?: number) {}'],
  ['one-spawn', 'server/intake/intake-pool.ts', 'const w = new Worker(url)'],
  ['any', 'server/ops/logging/log.ts', 'let x: any'],
  ['any', 'server/ops/logging/log.ts', 'let x: Map<string, any>'],
  ['non-null', 'server/ops/logging/log.ts', 'const x = list[0]!.size'],
  ['non-null', 'server/ops/logging/log.ts', 'const x = find(a)!'],
  ['as', 'server/ops/logging/log.ts', 'const x = y as Order'],
  ['as', 'server/ops/logging/log.ts', 'const x = <T>(y: T) => (f(y) as Order)'],
  ['file-name', 'server/ops/utils.ts', ''],
  ['file-name', 'server/ops/index.ts', ''],
  ['file-name', 'server/ops/helpers.test.ts', ''],
  ['file-name', 'server/ops/rateLimit.ts', ''],
  ['line-columns', 'server/ops/logging/log.ts', `// ${'x'.repeat(98)}`],
  ['file-lines', 'server/ops/logging/log.ts', lines(601, '// x')],
  ['worker-lines', 'server/intake/intake.worker.ts', lines(60, '// x')],
  ['function-lines', 'server/ops/logging/log.ts', `function f(): void {\n${lines(59, 'g()')}}`],
  [
    'function-lines',
    'server/ops/logging/log.ts',
    `class A {\nf(): { a: 1 } {\n${lines(59, 'g()')}}\n}`,
  ],
  [
    'function-lines',
    'server/ops/logging/log.ts',
    `const f = (a): a is B => {\n${lines(59, 'g()')}}`,
  ],
  ['parameters', 'server/ops/logging/log.ts', 'function f(a, b, c, d, e, g) {}'],
  ['parameters', 'server/ops/logging/log.ts', 'const f = (a, b: M<K, V>, c, d, e, g): void => g()'],
  ['parameters', 'server/ops/logging/log.ts', 'class A { f<T>(a, b, c, d, e, g = [1, 2]): T {} }'],
  ['nesting', 'server/ops/logging/log.ts', nested(4)],
  [
    'nesting',
    'server/ops/logging/log.ts',
    'const f = () => { for (;;) { try { if (a) { do { } while (b) } } finally {} } }',
  ],
  ['exports', 'server/ops/logging/log.ts', exported(9)],
  ['exports', 'server/ops/logging/log.ts', 'export { a, b, c, d, e, f, g, h, i }'],
  ['open-promise', 'server/ops/logging/log.ts', '// TODO: later'],
  ['machine-path', 'server/ops/logging/log.ts', `const path = '${MACHINE}'`],
  ['registry-host', 'package-lock.json', RESOLVED],
  ['top-level', 'notes/plan.md', 'x'],
]

test('each rule catches the violation that is planted against it', () => {
  for (const [rule, path, text, others = []] of PLANTED) {
    const planted = [...others.map(([path, text]) => ({ path, text })), { path, text }]
    const rules = checkTidy(planted).map((violation) => violation.rule)
    assert.deepEqual([...new Set(rules)], [rule], `${path}: ${text}`)
  }
})

const CLEAN: readonly (readonly [path: string, text: string])[] = [
  ['engine/core/book/book.ts', `// Date, await, any, x! and process belong to the server.`],
  ['engine/core/book/book.ts', `const law = 'await a Date, as any process must'`],
  ['engine/core/book/book.ts', 'const law = `a Date as \x24{size} of any process`'],
  ['engine/core/book/book.ts', `/* import { x } from '../../server/main.ts' */`],
  ['engine/core/book/book.ts', `const text = "import x from '../../server/main.ts'"`],
  ['engine/core/book/book.ts', `const found = /await "Date/.test(x) ? a / b / c : 'x'`],
  ['engine/core/book/book.ts', `import { divFloor as div } from '../../domain/units.ts'`],
  ['engine/core/book/book.ts', `const SIDES = ['buy', 'sell'] as const`],
  ['server/ops/logging/log.ts', 'if (!ready || !isOpen(a) !== !b) stop()'],
  ['server/ops/logging/log.ts', 'return !ready'],
  ['server/ops/logging/log.ts', 'const all = Promise.any(list)'],
  ['server/ops/logging/log.ts', nested(3)],
  [
    'server/ops/logging/log.ts',
    'if (a) { } else if (b) { } else if (c) { } else if (d) { } else { }',
  ],
  ['server/ops/logging/log.ts', `function f(): void {\n${lines(58, 'g()')}}`],
  ['server/ops/logging/log.ts', `const f = () => ({\n${lines(59, 'a,')}})`],
  ['server/ops/logging/log.ts', 'f(a, b, c, d, e, g)\nif (x) { }'],
  ['server/ops/logging/log.ts', 'function f({ a, b, c, d, e, g }: Options): void {}'],
  ['server/ops/logging/log.ts', `${exported(8)}\nexport type A = 1\nexport interface B {}`],
  ['server/main.ts', `import { log } from './ops/log.ts'\nimport { c } from './config.ts'`],
  ['server/cli/serve.ts', `import { config } from '../config.ts'`],
  [
    'persistence/journal/thread/journal-handle.ts',
    `import { spawn } from '../../../engine/thread/spawn.ts'`,
  ],
  ['server/demo/demo.ts', `import { rows } from '../../persistence/query/read/markets.ts'`],
  ['test/a.test.ts', `import { book } from '../engine/core/book/book.ts'`],
  ['test/a.test.ts', `describe('book', () => {\n${lines(60, 'test()')}})`],
]

test('text that only looks like a violation passes', () => {
  for (const [path, text] of CLEAN) {
    assert.deepEqual(checkTidy([{ path, text }]), [], `${path}: ${text}`)
  }
})

test('a planted violation is named by its file, line and rule', () => {
  const text = 'const a = 1\n\nconst nowMs = Date.now()\n'
  const [found] = checkTidy([{ path: 'engine/core/book/book.ts', text }])
  assert.equal(`${found?.path}:${found?.line} ${found?.rule}`, 'engine/core/book/book.ts:3 purity')
})

test('types of a foreign library may be named in other files', () => {
  const violations = checkTidy([
    { path: 'server/http/gateway/gateway.ts', text: `import uws from 'uWebSockets.js'` },
    { path: 'server/http/call.ts', text: `import type { HttpRequest } from 'uWebSockets.js'` },
  ])
  assert.deepEqual(violations, [])
})
