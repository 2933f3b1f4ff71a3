// SHA-256 for values that must be the same on every machine and hard to forge.

import { sha256 } from '@noble/hashes/sha2.js'

export { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
export { sha256 }

/** A SHA-256 under way. `update` copies what it needs, so its caller may reuse the bytes. */
export interface Sha256 {
  update(bytes: Uint8Array): unknown
  digest(): Uint8Array
}

/** Begins a SHA-256. One that a platform has of its own may be faster; both give the same bytes. */
export type NewSha256 = () => Sha256

export const portableSha256: NewSha256 = () => sha256.create()
