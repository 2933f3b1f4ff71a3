import { randomBytes, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../engine/domain/assert.ts'
import { faultPoint } from '../engine/thread/fault-point.ts'
import { DataFolderError, UnreadFolder } from './folder-error.ts'
import { journalPath } from './journal/journal-end.ts'
import { headPath } from './journal/journal-head.ts'
import { findMark, writeMark } from './journal/journal-marks.ts'
import { KEY_BYTES, Seal, SealError } from './seal.ts'
import { makeServerKey, readServerKey } from './server-key.ts'

// Each data folder has a random key, from which all seals, MACs and order ids derive. The journal
// contains this folder key, sealed by the server key, so a new server key only requires resealing
// that one value. The folder key is opened before the journal's end is checked, because the end has
// a MAC under it.

const MARK = 'folder-key'

export function defaultKeyFile(dataDir: string): string {
  return join(dataDir, 'server.key')
}

/**
 * Opens a data folder's seal. Keys are created only for a journal in which nothing was
 * acknowledged: a new key opens no secret of an older journal. The caller has the folder's lock.
 */
export function openSeal(dataDir: string, keyFile = defaultKeyFile(dataDir)): Seal {
  const known = readSeal(dataDir, keyFile)
  if (known !== null) return known
  refuseSealed(dataDir, keyFile)
  const serverKey = readServerKey(keyFile) ?? makeServerKey(keyFile)
  const folderKey = randomBytes(KEY_BYTES)
  // The head of an earlier empty start is worthless, and its MAC has another key.
  rmSync(headPath(dataDir), { force: true })
  writeMark(dataDir, MARK, new Seal(serverKey).seal(folderKey, MARK))
  return new Seal(folderKey)
}

/** A start creates the server key before it seals anything, so every seal has its key. */
function refuseSealed(dataDir: string, keyFile: string): void {
  if (findMark(dataDir, MARK).value === undefined) return
  throw new DataFolderError(
    `${journalPath(dataDir)}: it has no commands yet, but a sealed key that ${keyFile} ` +
      'does not open: it is an unfinished copy, or an exchange with another key. Give ' +
      'its key with --key-file, finish the copy, or choose an empty folder for a new exchange.',
  )
}

/** Returns the seal without writing; null where a start would create keys. */
export function readSeal(dataDir: string, keyFile = defaultKeyFile(dataDir)): Seal | null {
  const { value, isEmpty } = findMark(dataDir, MARK)
  const serverKey = readServerKey(keyFile)
  if (isEmpty && (value === undefined || serverKey === null)) return null
  if (serverKey === null) {
    throw new UnreadFolder(
      `${keyFile}: the server key is missing and the journal holds secrets sealed with it; ` +
        'restore the file from a backup, or give its path with --key-file.',
    )
  }
  if (value === undefined) {
    throw new DataFolderError(
      `${journalPath(dataDir)}: the folder's sealed key is missing from it; ` +
        'restore the data folder from a backup.',
    )
  }
  const folderKey = unsealed(value, serverKey)
  if (folderKey !== null) return new Seal(folderKey)
  if (isEmpty) return null
  throw new UnreadFolder(
    `${keyFile}: this is not the key the journal was written with; ` +
      'give the right one with --key-file.',
  )
}

function unsealed(value: Uint8Array, serverKey: Uint8Array): Uint8Array | null {
  try {
    return new Seal(serverKey).open(value, MARK)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

/** The folder key of a folder, sealed by the server key; null before its first start. */
export function sealedKeyOf(dataDir: string): Uint8Array | null {
  return findMark(dataDir, MARK).value ?? null
}

/** Gives an empty folder the key of its cluster, so that its first start makes none. */
export function adoptSealedKey(dataDir: string, sealed: Uint8Array): void {
  const { value, isEmpty } = findMark(dataDir, MARK)
  if (isEmpty && value === undefined) writeMark(dataDir, MARK, sealed)
}

/** Writes a folder's sealed key to a copy of its journal. */
export function copySealedKey(dataDir: string, copyDir: string): void {
  const { value } = findMark(dataDir, MARK)
  assert(value !== undefined, 'an open folder has its key')
  writeMark(copyDir, MARK, value)
}

/**
 * Seals the folder key under another server key, and creates that key if its file does not exist.
 * From then on the old server key opens nothing. If the process dies midway, the old key still
 * works: the new file is complete before the one value is replaced. The caller has the folder's
 * lock. Returns false if the new key already opens the folder, after an earlier interrupted run.
 */
export function resealFolderKey(dataDir: string, keyFile: string, newKeyFile: string): boolean {
  const { value } = findMark(dataDir, MARK)
  const opened = (key: Uint8Array | null) =>
    value === undefined || key === null ? null : unsealed(value, key)
  const [oldKey, knownKey] = [readServerKey(keyFile), readServerKey(newKeyFile)]
  if (oldKey !== null && knownKey !== null && timingSafeEqual(oldKey, knownKey)) {
    throw new DataFolderError(
      `${newKeyFile}: it has the same key as ${keyFile}; give a file that does not exist yet; ` +
        'nothing was changed.',
    )
  }
  if (opened(knownKey) !== null) return false
  if (oldKey === null) {
    throw new DataFolderError(
      `${keyFile}: there is no such file; give the file of the old key with --key-file. ` +
        'Nothing was changed.',
    )
  }
  const folderKey = opened(oldKey)
  if (folderKey === null) {
    throw new DataFolderError(
      `${keyFile}: this is not the key the journal was written with; nothing was changed.`,
    )
  }
  const newKey = knownKey ?? makeServerKey(newKeyFile)
  faultPoint('mid-rotate')
  writeMark(dataDir, MARK, new Seal(newKey).seal(folderKey, MARK))
  return true
}
