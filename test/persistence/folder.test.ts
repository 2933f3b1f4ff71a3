import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataLock } from '../../persistence/data-lock.ts'
import { freeDiskBytes } from '../../persistence/disk-space.ts'
import { newFolder } from '../support/data-folder.ts'
import { ADMIN_TOKEN, runProgram } from '../support/server-process.ts'

test('a data folder that cannot be made ends the start with a sentence and code 1', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  const places: [string, RegExp][] = [
    [join(file, 'below', 'a', 'file'), /a part of the path is a file/],
    [file, /the path is a file, not a folder/],
  ]
  // Where a file system makes no folder, as in /proc, the driver's recursive mkdir never ends.
  if (existsSync('/proc/self')) places.push(['/proc/x/y', /^outcomex: \/proc\/x: no folder can be/])
  for (const [dataDir, sentence] of places) {
    const args = ['serve', '--data', dataDir, '--port', '0', '--admin-token', ADMIN_TOKEN]
    const { code, stderr } = await runProgram(args)
    assert.equal(code, 1, dataDir)
    assert.match(stderr, sentence)
    assert.match(stderr, /^outcomex: [^\n]+\n$/, 'the error is one line')
  }
})

test('a data folder is made with its parent folders, for its owner alone', () => {
  const dataDir = join(newFolder(), 'a', 'b')
  DataLock.take(dataDir).release()
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
})

test('the free space on the disk is given in bytes, and null for a missing folder', async () => {
  const dataDir = newFolder()
  const bytes = await freeDiskBytes(dataDir)
  assert.ok(bytes !== null && Number.isSafeInteger(bytes) && bytes > 0, `${bytes}`)
  assert.equal(await freeDiskBytes(join(dataDir, 'gone')), null)
})
