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

// Each data folder has a random key. Every seal, MAC and order id derives from it. The journal
// holds this folder key, sealed by the server key, so a new server key means that one value is
// sealed again. The folder key is opened before the end of the journal is checked, because that
// end has a MAC under this key.

const MARK = 'folder-key'

export function defaultKeyFile(dataDir: string): string {
  return join(dataDir, 'server.key')
}

/**
 * Opens the seal of a data folder. Keys are made only for a journal in which nothing was
 * acknowledged: a fresh key opens no secret of an older journal. The caller holds the lock of the
 * folder.
 */
export function openSeal(dataDir: string, keyFile = defaultKeyFile(dataDir)): Seal {
  const known = readSeal(dataDir, keyFile)
  if (known !== null) return known
  refuseSealed(dataDir, keyFile)
  const serverKey = readServerKey(keyFile) ?? makeServerKey(keyFile)
  const folderKey = randomBytes(KEY_BYTES)
  // The head of an earlier empty start promises nothing, and its MAC has another key.
  rmSync(headPath(dataDir), { force: true })
  writeMark(dataDir, MARK, new Seal(serverKey).seal(folderKey, MARK))
  return new Seal(folderKey)
}

/** A start makes the server key before it seals anything, so a seal always has its key. */
function refuseSealed(dataDir: string, keyFile: string): void {
  if (findMark(dataDir, MARK).value === undefined) return
  throw new DataFolderError(
    `${journalPath(dataDir)}: it has no command yet, but a sealed key that ${keyFile} ` +
      'does not open: it is the beginning of a copy, or of an exchange with another key. Name ' +
      'its key with --key-file, finish the copy, or choose an empty folder for a new exchange.',
  )
}

/** Gives the seal and writes nothing; null where a start would make keys. */
export function readSeal(dataDir: string, keyFile = defaultKeyFile(dataDir)): Seal | null {
  const { value, isEmpty } = findMark(dataDir, MARK)
  const serverKey = readServerKey(keyFile)
  if (isEmpty && (value === undefined || serverKey === null)) return null
  if (serverKey === null) {
    throw new UnreadFolder(
      `${keyFile}: the server key is missing and the journal holds secrets sealed with it; ` +
        'restore the file from a backup, or name it with --key-file.',
    )
  }
  if (value === undefined) {
    throw new DataFolderError(
      `${journalPath(dataDir)}: the sealed key of the folder is gone from it; ` +
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

/** Puts the sealed key of a folder into a copy of its journal. */
export function copySealedKey(dataDir: string, copyDir: string): void {
  const { value } = findMark(dataDir, MARK)
  assert(value !== undefined, 'a folder that was opened has its key')
  writeMark(copyDir, MARK, value)
}

/**
 * Seals the folder key under another server key, and makes that key when its file does not exist.
 * From then on the old server key opens nothing. When the process dies midway the old key still
 * works: the new file is complete before the one value is replaced. The caller holds the lock of
 * the folder. False when the new key opens the folder already: an earlier run came so far.
 */
export function resealFolderKey(dataDir: string, keyFile: string, newKeyFile: string): boolean {
  const { value } = findMark(dataDir, MARK)
  const opened = (key: Uint8Array | null) =>
    value === undefined || key === null ? null : unsealed(value, key)
  const [oldKey, knownKey] = [readServerKey(keyFile), readServerKey(newKeyFile)]
  if (oldKey !== null && knownKey !== null && timingSafeEqual(oldKey, knownKey)) {
    throw new DataFolderError(
      `${newKeyFile}: it holds the same key as ${keyFile}; name a file that does not exist yet, ` +
        'nothing was changed.',
    )
  }
  if (opened(knownKey) !== null) return false
  if (oldKey === null) {
    throw new DataFolderError(
      `${keyFile}: there is no such file; name the file of the old key with --key-file. ` +
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
