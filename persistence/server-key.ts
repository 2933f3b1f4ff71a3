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

// The server key is a file of 64 hexadecimal digits. It only seals the folder key.

/** null if the file is absent or empty, because a first start may end before it writes the key. */
export function readServerKey(keyFile: string): Uint8Array | null {
  const text = ifThere(keyFile, () => readFileSync(keyFile, 'utf8'))
  if (text === null || text === '') return null
  if (!/^[0-9a-f]{64}$/i.test(text.trim())) {
    throw new UnreadFolder(
      `${keyFile}: a server key is 64 hexadecimal digits, but this file has something else; ` +
        'restore it from a backup.',
    )
  }
  return new Uint8Array(Buffer.from(text.trim(), 'hex'))
}

/** Writes a new key to a new or empty file. On return the key and the file name are on disk. */
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
