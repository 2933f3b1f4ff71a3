import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Archive, packed } from '../../../server/build/unpacking/archive.ts'
import { unpacked } from '../../../server/build/unpacking/unpacked.ts'
import { newFolder } from '../../support/data-folder.ts'

// Where the files of the one binary lie, and who may touch them.

const FILES = [
  { name: 'main.js', bytes: Buffer.from('console.log(1)') },
  { name: 'empty.md', bytes: Buffer.alloc(0) },
  { name: 'addon.node', bytes: Buffer.from(Array.from({ length: 5000 }, (_each, at) => at % 251)) },
]
const archive = new Archive(packed(FILES))
const into = (cache: string) => unpacked(archive, { XDG_CACHE_HOME: cache })
const modeOf = (path: string) => statSync(path).mode & 0o777

function holds(folder: string): void {
  assert.deepEqual(readdirSync(folder).sort(), FILES.map(({ name }) => name).sort())
  for (const { name, bytes } of FILES) assert.deepEqual(readFileSync(join(folder, name)), bytes)
}

test('the files are unpacked once, for their user alone', () => {
  const cache = newFolder()
  const folder = into(cache)
  holds(folder)
  assert.equal(folder, join(cache, 'outcomex', archive.digest.slice(0, 32)))
  for (const path of [folder, join(cache, 'outcomex')]) assert.equal(modeOf(path), 0o700)
  for (const { name } of FILES) assert.equal(modeOf(join(folder, name)), 0o600)
  const { ino } = statSync(folder)
  assert.equal(into(cache), folder)
  assert.equal(statSync(folder).ino, ino, 'a second start only looks')
})

test('what is not as it was built is unpacked anew', () => {
  const cache = newFolder()
  const folder = into(cache)
  const harms = [
    () => writeFileSync(join(folder, 'main.js'), 'evil()'),
    () => writeFileSync(join(folder, 'empty.md'), 'x'),
    () => chmodSync(folder, 0o777),
  ]
  for (const harm of harms) {
    harm()
    assert.equal(into(cache), folder)
    holds(folder)
    assert.equal(modeOf(folder), 0o700)
  }
  assert.deepEqual(readdirSync(join(cache, 'outcomex')).length, 1, 'nothing is left over')
})

test('another content has another folder', () => {
  const cache = newFolder()
  const other = new Archive(packed([{ name: 'main.js', bytes: Buffer.from('2') }]))
  assert.notEqual(into(cache), unpacked(other, { XDG_CACHE_HOME: cache }))
})

test('a cache that is no folder is passed over for one of the temporary files', () => {
  const cache = newFolder()
  mkdirSync(join(cache, 'there'))
  symlinkSync(join(cache, 'there'), join(cache, 'outcomex'))
  const folder = into(cache)
  assert.ok(folder.startsWith(join(tmpdir(), 'outcomex-')), folder)
  holds(folder)
  assert.deepEqual(readdirSync(join(cache, 'there')), [], 'no link is followed')
})
