import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataFolderError } from '../../persistence/folder-error.ts'
import { openSeal, readSeal, resealFolderKey } from '../../persistence/folder-key.ts'
import { Seal, SealError, tokenSecretOf, walletKeyOf } from '../../persistence/seal.ts'
import { verifyFolder } from '../../persistence/verify-folder.ts'
import { copyFolder, newFolder } from '../support/data-folder.ts'
import { recoverAll, writeBatches } from '../support/journal-records.ts'

const SECRET = new TextEncoder().encode('a secret of some length')
const OWNER = walletKeyOf(7)

test('a sealed secret opens again, also after a restart, and two seals of it differ', () => {
  const dataDir = newFolder()
  const sealed = openSeal(dataDir).seal(SECRET, OWNER)
  const again = openSeal(dataDir)
  assert.deepEqual(again.open(sealed, OWNER), SECRET)
  assert.notDeepEqual(again.seal(SECRET, OWNER), sealed)
  assert.deepEqual(again.open(again.seal(new Uint8Array(0), OWNER), OWNER), new Uint8Array(0))
})

test('a sealed secret with any bit flipped, cut or under another key does not open', () => {
  const seal = openSeal(newFolder())
  const sealed = seal.seal(SECRET, OWNER)
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at] ^= 1
    assert.throws(() => seal.open(changed, OWNER), SealError)
  }
  assert.throws(() => seal.open(sealed.subarray(0, 20), OWNER), SealError)
  assert.throws(() => openSeal(newFolder()).open(sealed, OWNER), SealError)
})

test('a sealed secret opens for its own use and owner alone', () => {
  const seal = openSeal(newFolder())
  const sealed = seal.seal(SECRET, tokenSecretOf('first', 7))
  assert.deepEqual(seal.open(sealed, tokenSecretOf('first', 7)), SECRET)
  for (const other of [
    tokenSecretOf('second', 7),
    tokenSecretOf('first', 8),
    walletKeyOf(7),
    'folder-key' as const,
  ]) {
    assert.throws(
      () => seal.open(sealed, other),
      (error) => error instanceof SealError && error.message.includes(other),
    )
  }
})

test('the key of a server wallet opens for its own profile alone', () => {
  const seal = openSeal(newFolder())
  const sealed = seal.seal(SECRET, walletKeyOf(7))
  assert.deepEqual(seal.open(sealed, walletKeyOf(7)), SECRET)
  for (const other of [walletKeyOf(8), tokenSecretOf('first', 7), 'folder-key' as const]) {
    assert.throws(() => seal.open(sealed, other), SealError)
  }
})

test('sub-keys are stable, and differ by label', () => {
  const dataDir = newFolder()
  const first = openSeal(dataDir)
  assert.deepEqual(first.derive('order ids'), openSeal(dataDir).derive('order ids'))
  assert.notDeepEqual(first.derive('order ids'), first.derive('login'))
})

test('a key is made for an empty journal only, and only its owner may read it', () => {
  const dataDir = newFolder()
  const keyFile = join(dataDir, 'server.key')
  openSeal(dataDir)
  assert.equal(statSync(keyFile).mode & 0o777, 0o600)
  writeBatches(dataDir, 1).close()
  const key = readFileSync(keyFile)
  const refuses = (sentence: RegExp) => {
    assert.throws(() => openSeal(dataDir), sentence)
    assert.throws(() => verifyFolder(dataDir), sentence, 'verify refuses the key as a start does')
  }
  rmSync(keyFile)
  refuses(/server\.key: the server key is missing/)
  writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
  refuses(/not the key the journal was written with/)
  writeFileSync(keyFile, 'short')
  assert.throws(() => openSeal(dataDir), DataFolderError)
  writeFileSync(keyFile, key)
  openSeal(dataDir)
})

test('an empty journal with a sealed key is refused without its server key', () => {
  const dataDir = newFolder()
  writeBatches(dataDir, 0).close()
  const keyFile = join(dataDir, 'server.key')
  const [key, first] = [readFileSync(keyFile), openSeal(dataDir).derive('seal')]
  const why = /no commands yet, but a sealed key that .*server\.key does not open/
  rmSync(keyFile)
  assert.equal(readSeal(dataDir), null)
  assert.throws(() => openSeal(dataDir), why)
  writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
  assert.throws(() => openSeal(dataDir), why)
  writeFileSync(keyFile, key)
  assert.deepEqual(openSeal(dataDir).derive('seal'), first)
  writeBatches(dataDir, 2).close()
  assert.equal(recoverAll(dataDir).tail.seq, 6)
})

test('a first start that died before it wrote a key or a head leaves nothing in the way', () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'server.key'), '')
  writeFileSync(join(dataDir, 'journal.head'), '')
  const key = openSeal(dataDir).derive('any')
  writeFileSync(join(dataDir, 'journal.head'), '')
  writeBatches(dataDir, 2).close()
  assert.deepEqual(openSeal(dataDir).derive('any'), key)
  assert.equal(statSync(join(dataDir, 'server.key')).mode & 0o777, 0o600)
  // After an acknowledged commit, an empty file counts as lost.
  const [lostHead, lostKey] = [copyFolder(dataDir), copyFolder(dataDir)]
  writeFileSync(join(lostHead, 'journal.head'), '')
  assert.throws(() => recoverAll(lostHead), /journal\.head: the file is missing/)
  writeFileSync(join(lostKey, 'server.key'), '')
  assert.throws(() => openSeal(lostKey), /server\.key: the server key is missing/)
})

test('the folder key is random: the server key alone derives no key of a folder', () => {
  const [first, second] = [newFolder(), newFolder()]
  const one = openSeal(first)
  copyFileSync(join(first, 'server.key'), join(second, 'server.key'))
  const other = openSeal(second)
  const serverKey = Buffer.from(readFileSync(join(first, 'server.key'), 'utf8').trim(), 'hex')
  const derived = [one, other, new Seal(serverKey)].map((seal) => seal.derive('order-ids'))
  assert.equal(new Set(derived.map((key) => key.toString('hex'))).size, 3)
})

test('a new server key seals one value again, and the old key is then refused', () => {
  const dataDir = newFolder()
  const [oldFile, newFile] = [join(dataDir, 'server.key'), join(newFolder(), 'new.key')]
  const sealed = openSeal(dataDir).seal(SECRET, OWNER)
  writeBatches(dataDir, 2).close()
  const foreign = join(newFolder(), 'foreign.key')
  writeFileSync(foreign, `${'ab'.repeat(32)}\n`)
  assert.throws(() => resealFolderKey(dataDir, foreign, newFile), /nothing was changed/)
  const missing = join(newFolder(), 'missing.key')
  assert.throws(() => resealFolderKey(dataDir, missing, newFile), /there is no such file/)
  resealFolderKey(dataDir, oldFile, newFile)
  assert.equal(statSync(newFile).mode & 0o777, 0o600)
  assert.deepEqual(openSeal(dataDir, newFile).open(sealed, OWNER), SECRET)
  assert.equal(verifyFolder(dataDir, { keyFile: newFile }).seq, 6)
  assert.throws(() => openSeal(dataDir, oldFile), /not the key the journal was written with/)
  assert.throws(() => verifyFolder(dataDir), /not the key the journal was written with/)
})
