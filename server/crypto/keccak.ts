import { createRequire } from 'node:module'
import type * as HashWasm from 'hash-wasm'
import { assert } from '../../engine/domain/assert.ts'

// The only importer of hash-wasm: nine times faster here than the JavaScript twin of the tests.
// Its entry brings twenty other hashes, 280 KB of text in each thread. So one file of it is loaded.

const { createKeccak }: Pick<typeof HashWasm, 'createKeccak'> = createRequire(import.meta.url)(
  'hash-wasm/dist/keccak.umd.min.js',
)

let hasher: HashWasm.IHasher | undefined

/** Resolves when keccak may be used. Every thread that hashes waits for it once, at its start. */
export const keccakReady: Promise<void> = createKeccak(256).then((loaded) => {
  hasher = loaded
})

/** keccak-256 of `bytes` into a fresh array of 32. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  assert(hasher !== undefined, 'keccak is loaded before the first hash')
  return hasher.init().update(bytes).digest('binary')
}
