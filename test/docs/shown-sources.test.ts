import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { register } from 'tsx/esm/api'
import { openInMemory } from '../../persistence/database.ts'
import { READ_SCHEMA } from '../../persistence/follower/schema/migrations.ts'
import type { Query } from '../../persistence/query/read/query.ts'
import type { Services } from '../../server/api/services.ts'
import type { Route } from '../../server/edge/http/route.ts'
import { compileFields } from '../../server/edge/http/schema/schema.ts'
import { checkTypes } from '../support/checked-types.ts'
import { newFolder } from '../support/data-folder.ts'
import {
  assertParametersSay,
  assertPropertiesSay,
  assertStatusesSay,
  documentOf,
} from '../support/openapi-tree.ts'

// The sources that the engineering page shows must fit the code. Each is checked as if it stood at
// the path in its first line.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'server', 'docs', 'engineering.md'), 'utf8')

interface Shown {
  /** Relative to the top of the repository. */
  readonly path: string
  readonly text: string
}

function shownSources(): Shown[] {
  return [...page.matchAll(/^( *)```ts\n(.*?)^ *```/gms)].map(([, indent, block]) => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const path = /^\/\/ (\S+\.ts)\n/.exec(text)?.[1]
    assert.ok(path !== undefined, `${text} names its path`)
    return { path, text }
  })
}

const sources = shownSources()
const folder = newFolder()

/** The path that a source imports, seen from the folder of this test. */
function importOf(from: string, name: string): string {
  const target = resolve(ROOT, dirname(from), name)
  const isShown = sources.some(({ path }) => resolve(ROOT, path) === target)
  return isShown ? `./${basename(target)}` : target
}

for (const { path, text } of sources) {
  const moved = text.replaceAll(/from '(\.[^']+)'/g, (_all, name: string) => {
    return `from '${importOf(path, name)}'`
  })
  writeFileSync(join(folder, basename(path)), moved)
}
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')

const loader = register({ namespace: 'shown' })

/** Every value that the shown sources export. */
async function shownValues(): Promise<unknown[]> {
  const modules = sources.map(async ({ path }) => {
    const exported: object = await loader.import(
      pathToFileURL(join(folder, basename(path))).href,
      import.meta.url,
    )
    return Object.values(exported)
  })
  return (await Promise.all(modules)).flat()
}

function isRoute(value: unknown): value is Route<Services> {
  return typeof value === 'object' && value !== null && 'run' in value
}

function isRead(value: unknown): value is Query<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'open' in value && 'name' in value
}

test('the shown sources have right types and no line that is too long', () => {
  const compilerOptions = { rewriteRelativeImportExtensions: false }
  const include = sources.map(({ path }) => basename(path))
  const { status, stdout } = checkTypes(folder, include, compilerOptions)
  assert.equal(status, 0, stdout)
  const lines = sources.flatMap(({ text }) => text.split('\n'))
  assert.deepEqual(
    lines.filter((line) => line.length > 100),
    [],
  )
})

test('the shown routes describe their fields and have right examples', async () => {
  const routes = (await shownValues()).filter(isRoute)
  assert.equal(routes.length, 2)
  const document = documentOf(routes)
  assertStatusesSay(document)
  assert.ok(assertPropertiesSay(document) >= routes.length)
  assertParametersSay(document)
  for (const { path, params, example, replyIssues } of routes) {
    assert.deepEqual(compileFields(params).issues(example.params), [], path)
    assert.deepEqual(replyIssues(example.reply), [], path)
  }
})

test('the shown read answers from the tables of the code', async () => {
  const reads = (await shownValues()).filter(isRead)
  assert.equal(reads.length, 1)
  const connection = openInMemory(READ_SCHEMA.migrations)
  for (const read of reads) {
    assert.equal(read.open(connection)({ accountId: 1, marketId: 1, countMax: 9 }), 0)
  }
  connection.close()
})
