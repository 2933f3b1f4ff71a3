import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ifThere, speaking, syncFolder, UnreadFolder } from './folder-error.ts'
import { KEY_BYTES } from './seal.ts'

// The server key is a file of 64 hexadecimal digits. It seals the folder key and nothing else.

/**
 * Gives null for a file that is absent or empty: a first start may die before it writes the key.
 */
export function readServerKey(keyFile: string): Uint8Array | null {
  const text = ifThere(keyFile, () => readFileSync(keyFile, 'utf8'))
  if (text === null || text === '') return null
  if (!/^[0-9a-f]{64}$/i.test(text.trim())) {
    throw new UnreadFolder(
      `${keyFile}: a server key is 64 hexadecimal digits and this file holds something else; ` +
        'restore it from a backup.',
    )
  }
  return new Uint8Array(Buffer.from(text.trim(), 'hex'))
}

/** Writes a new key to a new or empty file. Key and file name are on the disk when this returns. */
export function makeServerKey(keyFile: string): Uint8Array {
  const key = randomBytes(KEY_BYTES)
  speaking(keyFile, () => {
    const isEmpty = statSync(keyFile, { throwIfNoEntry: false })?.size === 0
    const file = openSync(keyFile, isEmpty ? 'r+' : 'wx', 0o600)
    fchmodSync(file, 0o600)
    writeSync(file, `${key.toString('hex')}\n`)
    fsyncSync(file)
    closeSync(file)
    syncFolder(dirname(keyFile))
  })
  return key
}
