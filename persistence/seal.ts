import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DataFolderError, speaking } from './database.ts'
import { JournalMarks } from './journal-marks.ts'

// Sealed bytes: version u8 (1) │ nonce 12 │ tag 16 │ AES-256-GCM of the secret.
// The master key encrypts nothing itself: each use has a sub-key of its own, named by a label.

const KEY_BYTES = 32
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES
const CIPHER = 'aes-256-gcm'
const KEY_CHECK = 'key-check'

/** Thrown for bytes that were not sealed under this key, or were changed since. */
export class SealError extends Error {
  override name = 'SealError'
}

export class Seal {
  readonly #masterKey: Uint8Array
  readonly #sealKey: Buffer

  constructor(masterKey: Uint8Array) {
    this.#masterKey = masterKey
    this.#sealKey = this.derive('seal')
  }

  seal(secret: Uint8Array): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#sealKey, nonce)
    const body = Buffer.concat([cipher.update(secret), cipher.final()])
    return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]))
  }

  open(sealed: Uint8Array): Uint8Array {
    if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) {
      throw new SealError('A sealed secret has an unknown form.')
    }
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#sealKey, nonce)
    decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
    try {
      const body = decipher.update(sealed.subarray(HEAD_BYTES))
      return new Uint8Array(Buffer.concat([body, decipher.final()]))
    } catch {
      throw new SealError('A sealed secret was changed, or sealed under another key.')
    }
  }

  /** A sub-key of 32 bytes for one use; the same label gives the same key. */
  derive(label: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#masterKey, '', `outcomex ${label}`, KEY_BYTES))
  }
}

/**
 * The seal of a data folder; `keyFile` defaults to server.key inside it. A key is made only for an
 * empty journal: a fresh key for an old journal could open none of its secrets, and every order id
 * would change. Call it with the folder locked and before the journal is written.
 */
export function openSeal(dataDir: string, keyFile: string = join(dataDir, 'server.key')): Seal {
  const marks = new JournalMarks(dataDir)
  try {
    const seal = new Seal(readKey(keyFile) ?? makeKey(keyFile, marks))
    checkKey(seal, keyFile, marks)
    return seal
  } finally {
    marks.close()
  }
}

function checkKey(seal: Seal, keyFile: string, marks: JournalMarks): void {
  const check = seal.derive(KEY_CHECK)
  const known = marks.read(KEY_CHECK)
  if (known !== undefined && known.length === check.length && timingSafeEqual(known, check)) return
  if (!marks.journalIsEmpty) {
    throw new DataFolderError(
      `${keyFile}: this is not the key the journal was written with; ` +
        'give the right one with --key-file.',
    )
  }
  marks.write(KEY_CHECK, check)
}

function readKey(keyFile: string): Uint8Array | null {
  let text: string
  try {
    text = readFileSync(keyFile, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    return speaking(keyFile, () => {
      throw error
    })
  }
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new DataFolderError(
      `${keyFile}: a server key is 64 hexadecimal digits and this file holds something else; ` +
        'restore it from a backup.',
    )
  }
  return new Uint8Array(Buffer.from(text, 'hex'))
}

function makeKey(keyFile: string, marks: JournalMarks): Uint8Array {
  if (!marks.journalIsEmpty) {
    throw new DataFolderError(
      `${keyFile}: the server key is missing and the journal holds secrets sealed with it; ` +
        'restore the file from a backup, or name it with --key-file.',
    )
  }
  const key = randomBytes(KEY_BYTES)
  speaking(keyFile, () => {
    const file = openSync(keyFile, 'wx', 0o600)
    writeSync(file, `${key.toString('hex')}\n`)
    fsyncSync(file)
    closeSync(file)
  })
  return key
}
