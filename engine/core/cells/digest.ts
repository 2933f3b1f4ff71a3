// SHA-256 for values that must be identical on every machine and hard to forge.

import { sha256 } from '@noble/hashes/sha2.js'

export { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
export { sha256 }

/** An incremental SHA-256. `update` copies its input, so callers may reuse the bytes. */
export interface Sha256 {
  update(bytes: Uint8Array): unknown
  digest(): Uint8Array
}

/** Starts a SHA-256. A platform's own implementation may be faster; both give the same bytes. */
export type NewSha256 = () => Sha256

export const portableSha256: NewSha256 = () => sha256.create()
