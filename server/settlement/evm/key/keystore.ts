// Keystore files of version 3, as geth, Foundry and clef write them: AES-128-CTR under a key that
// scrypt or PBKDF2 derives from a password (Web3 Secret Storage Definition).

import { createDecipheriv, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { keccak256 } from '../../../crypto/keccak.ts'
import { integer, text } from '../../../edge/http/schema/scalars.ts'
import { compile, type Infer, openObject, optional } from '../../../edge/http/schema/schema.ts'
import { ChainTrouble } from '../chain-trouble.ts'

const DERIVED_BYTES = 32
const KEY_BYTES = 16
/** Four times what geth and Foundry write: 1 GiB of memory and some seconds. */
const SCRYPT_BYTES_MAX = 2 ** 30
const ROUNDS_MAX = 10_000_000

const parameters = openObject({
  salt: text(),
  dklen: integer(DERIVED_BYTES, DERIVED_BYTES),
  n: optional(integer(2, 2 ** 20)),
  r: optional(integer(1, 64)),
  p: optional(integer(1, 64)),
  c: optional(integer(1, ROUNDS_MAX)),
  prf: optional(text()),
})
const keystore = openObject({
  version: integer(3, 3),
  crypto: openObject({
    cipher: text(),
    ciphertext: text(),
    cipherparams: openObject({ iv: text() }),
    kdf: text(),
    kdfparams: parameters,
    mac: text(),
  }),
})
const shape = compile(keystore)
type Parameters = Infer<typeof parameters>

const bytesOf = (hex: string) => Buffer.from(hex, 'hex')

/** The private key in the text of a keystore. */
export function openKeystore(file: string, keystoreText: string, password: string): Uint8Array {
  const { crypto } = parsed(file, keystoreText)
  const derived = derivedKey(file, crypto.kdf, crypto.kdfparams, password)
  const sealed = bytesOf(crypto.ciphertext)
  const mac = keccak256(Buffer.concat([derived.subarray(KEY_BYTES), sealed]))
  const stated = bytesOf(crypto.mac)
  if (stated.length !== mac.length || !timingSafeEqual(stated, mac)) {
    throw new ChainTrouble(`the password does not open the keystore ${file}`)
  }
  const iv = bytesOf(crypto.cipherparams.iv)
  if (crypto.cipher !== 'aes-128-ctr' || iv.length !== KEY_BYTES) throw unknownForm(file)
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, KEY_BYTES), iv)
  return Buffer.concat([cipher.update(sealed), cipher.final()])
}

function parsed(file: string, keystoreText: string) {
  let value: unknown
  try {
    value = JSON.parse(keystoreText)
  } catch {
    throw new ChainTrouble(`${file} contains neither 64 hex digits nor a keystore in JSON`)
  }
  if (!shape.holds(value)) throw unknownForm(file)
  return value
}

function derivedKey(file: string, kdf: string, parameters: Parameters, password: string): Buffer {
  const { n, r, p, c, prf, salt } = parameters
  if (kdf === 'scrypt' && n !== undefined && r !== undefined && p !== undefined) {
    const bytes = 128 * n * r
    if (bytes > SCRYPT_BYTES_MAX) throw unknownForm(file)
    // OpenSSL counts some blocks more than the table.
    const options = { N: n, r, p, maxmem: bytes + 256 * r * (p + 2) }
    return scryptSync(password, bytesOf(salt), DERIVED_BYTES, options)
  }
  if (kdf === 'pbkdf2' && c !== undefined && prf === 'hmac-sha256') {
    return pbkdf2Sync(password, bytesOf(salt), c, DERIVED_BYTES, 'sha256')
  }
  throw unknownForm(file)
}

function unknownForm(file: string): ChainTrouble {
  return new ChainTrouble(
    `${file} is no keystore of version 3 with AES-128-CTR and scrypt or PBKDF2-HMAC-SHA256`,
  )
}
