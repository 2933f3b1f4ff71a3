import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { billOfMaterials } from '../../../server/build/bill-of-materials.ts'

const LOCK = fileURLToPath(new URL('../../../package-lock.json', import.meta.url))
const HERE = { os: 'linux', cpu: 'x64', libc: 'glibc', node: '20.1.2' }
const lock: unknown = JSON.parse(readFileSync(LOCK, 'utf8'))

test('a bill names the program, node and each package that the program needs', () => {
  const { metadata, components, dependencies } = billOfMaterials(lock, HERE)
  assert.equal(metadata.component.name, 'outcomex')
  const names = components.map(({ name }) => name)
  assert.equal(components.find(({ name }) => name === 'node')?.version, '20.1.2')
  // Tools of development need the last three, too.
  for (const name of ['better-sqlite3', 'uws-pack', 'socket.io-client', 'ws', 'debug']) {
    assert.ok(names.includes(name), name)
  }
  for (const name of ['esbuild', 'typescript', '@biomejs/biome']) {
    assert.ok(!names.includes(name), name)
  }
  const refs = new Set(components.map((each) => each['bom-ref']))
  assert.equal(refs.size, components.length, 'each is listed once')
  for (const { ref, dependsOn } of dependencies) {
    for (const each of dependsOn) assert.ok(refs.has(each), `${ref} needs ${each}`)
  }
})

test('packages of other platforms are left out', () => {
  const extracts = (platform: typeof HERE) =>
    billOfMaterials(lock, platform).components.flatMap(({ name }) => {
      return name.startsWith('@msgpackr-extract/') ? [name.split('extract-')[1]] : []
    })
  assert.deepEqual(extracts(HERE), ['linux-x64'])
  assert.deepEqual(extracts({ ...HERE, os: 'darwin', cpu: 'arm64' }), ['darwin-arm64'])
})

test('a package inside another one is the one that is meant there', () => {
  const of = (version: string, more = {}) => ({ version, ...more })
  const packages = {
    '': of('1.0.0', { name: 'program', dependencies: { a: '1', '@s/b': '2' } }),
    'node_modules/a': of('1.1.0', { dependencies: { '@s/b': '1' } }),
    'node_modules/a/node_modules/@s/b': of('1.9.0', { dependencies: { c: '1' } }),
    'node_modules/@s/b': of('2.0.0'),
    'node_modules/c': of('3.0.0'),
    'node_modules/unused': of('1.0.0'),
  }
  const { components, dependencies } = billOfMaterials({ packages }, HERE)
  assert.deepEqual(
    components.map(({ name, version }) => `${name} ${version}`),
    ['node 20.1.2', '@s/b 1.9.0', '@s/b 2.0.0', 'a 1.1.0', 'c 3.0.0'],
  )
  const needed = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  assert.deepEqual(needed.get('pkg:npm/a@1.1.0'), ['pkg:npm/%40s/b@1.9.0'])
  assert.deepEqual(needed.get('pkg:npm/%40s/b@1.9.0'), ['pkg:npm/c@3.0.0'])
})
