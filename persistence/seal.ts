import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { ProfileId } from '../engine/domain/ids.ts'
import type { KeyedFolder } from './keyed-folder.ts'

// Sealed bytes: version u8 (2) │ nonce 12 │ tag 16 │ AES-256-GCM of the secret.
// The tag also covers the kind and the owner of the secret, so it cannot be opened for another
// owner. The master key itself encrypts nothing: each use has a sub-key with a label.

export const KEY_BYTES = 32
const VERSION = 2
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES
const CIPHER = 'aes-256-gcm'

/** Thrown for bytes that this key did not seal for this use, or that were changed. */
export class SealError extends Error {
  override name = 'SealError'
}

/** The kind and the owner of a secret. */
export type SealedFor = 'folder-key' | `token:${string}:${number}` | `wallet:${number}`

export function tokenSecretOf(tokenId: string, profileId: ProfileId): SealedFor {
  return `token:${tokenId}:${profileId}`
}

/** The key name of a sub-account's server wallet. */
export function walletKeyOf(profileId: ProfileId): SealedFor {
  return `wallet:${profileId}`
}

export class Seal {
  readonly #masterKey: Uint8Array
  readonly #sealKey: Buffer

  constructor(masterKey: Uint8Array) {
    this.#masterKey = masterKey
    this.#sealKey = this.derive('seal')
  }

  seal(secret: Uint8Array, sealedFor: SealedFor): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#sealKey, nonce).setAAD(Buffer.from(sealedFor))
    const body = Buffer.concat([cipher.update(secret), cipher.final()])
    return new Uint8Array(Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]))
  }

  open(sealed: Uint8Array, sealedFor: SealedFor): Uint8Array {
    if (sealed.length < HEAD_BYTES || sealed[0] !== VERSION) {
      throw new SealError(`The sealed secret of ${sealedFor} has an unknown format.`)
    }
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#sealKey, nonce)
    decipher.setAAD(Buffer.from(sealedFor))
    decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES))
    try {
      const body = decipher.update(sealed.subarray(HEAD_BYTES))
      return new Uint8Array(Buffer.concat([body, decipher.final()]))
    } catch {
      throw new SealError(
        `The sealed secret of ${sealedFor} cannot be opened: it was changed, moved from ` +
          'another owner, or sealed under another key.',
      )
    }
  }

  /** The folder with the only key that its threads need. */
  keyed(dataDir: string): KeyedFolder {
    return { dataDir, macKey: Uint8Array.from(this.derive('macs')) }
  }

  /** Derives a 32-byte sub-key for one use. The same label always gives the same key. */
  derive(label: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#masterKey, '', `outcomex ${label}`, KEY_BYTES))
  }
}
