import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataFolderError } from '../../persistence/database.ts'
import { openSeal, SealError } from '../../persistence/seal.ts'
import { newFolder } from '../support/data-folder.ts'
import { writeBatches } from '../support/journal-records.ts'

const SECRET = new TextEncoder().encode('a secret of some length')

test('a sealed secret opens again, also after a restart, and twice sealed looks different', () => {
  const dataDir = newFolder()
  const sealed = openSeal(dataDir).seal(SECRET)
  const again = openSeal(dataDir)
  assert.deepEqual(again.open(sealed), SECRET)
  assert.notDeepEqual(again.seal(SECRET), sealed)
  assert.deepEqual(again.open(again.seal(new Uint8Array(0))), new Uint8Array(0))
})

test('a sealed secret with any bit flipped, cut or under another key does not open', () => {
  const seal = openSeal(newFolder())
  const sealed = seal.seal(SECRET)
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at] ^= 1
    assert.throws(() => seal.open(changed), SealError)
  }
  assert.throws(() => seal.open(sealed.subarray(0, 20)), SealError)
  assert.throws(() => openSeal(newFolder()).open(sealed), SealError)
})

test('sub-keys are stable, and differ by label', () => {
  const dataDir = newFolder()
  const first = openSeal(dataDir)
  assert.deepEqual(first.derive('order ids'), openSeal(dataDir).derive('order ids'))
  assert.notDeepEqual(first.derive('order ids'), first.derive('login'))
})

test('a key is made for an empty journal alone, readable by its owner alone', () => {
  const dataDir = newFolder()
  const keyFile = join(dataDir, 'server.key')
  openSeal(dataDir)
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  writeBatches(dataDir, 1).close()
  const key = readFileSync(keyFile)
  rmSync(keyFile)
  assert.throws(() => openSeal(dataDir), /server\.key: the server key is missing/)
  writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
  assert.throws(() => openSeal(dataDir), /not the key the journal was written with/)
  writeFileSync(keyFile, 'short')
  assert.throws(() => openSeal(dataDir), DataFolderError)
  writeFileSync(keyFile, key)
  openSeal(dataDir)
})
