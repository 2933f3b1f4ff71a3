import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api } from '../server/api.ts'
import { SERVE_ROWS } from '../server/config.ts'
import { VERSION } from '../server/version.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const manifest: unknown = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

function routesTable(): string {
  const rows = api.map(({ method, path, auth, about }) => {
    const said = auth.accepts.map(({ scheme, scopes, role = '' }) => [scheme, ...scopes, role])
    const who = said.map((words) => words.join(' ').trim()).join(', ')
    return `| ${method} | \`${path}\` | ${who || 'open'} | ${about} |`
  })
  return ['| method | path | caller | |', '|---|---|---|---|', ...rows].join('\n')
}

test('the README lists exactly the routes there are', () => {
  const between = readme.split('<!-- routes -->')[1]?.split('<!-- /routes -->')[0]?.trim()
  assert.equal(between, routesTable())
})

test('the README names every setting of serve, and no flag of serve that does not exist', () => {
  const table = readme.slice(readme.indexOf('| flag |'), readme.indexOf('Each flag is also'))
  const named = [...table.matchAll(/`--([a-z-]+)`/g)].map((found) => found[1]).sort()
  const known = SERVE_ROWS.map((row) => row.flag).sort()
  assert.deepEqual(named, known)
})

test('package.json and the program agree on the version', () => {
  assert.ok(typeof manifest === 'object' && manifest !== null && 'version' in manifest)
  assert.equal(manifest.version, VERSION)
})
