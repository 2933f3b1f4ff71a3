import { createRequire } from 'node:module'
import type * as HashWasm from 'hash-wasm'
import { assert } from '../../engine/domain/assert.ts'

// The only importer of hash-wasm, nine times faster here than the JavaScript reference of the
// tests. Its entry point loads twenty other hashes, 280 KB of text per thread, so only one of its
// files is loaded.

const { createKeccak }: Pick<typeof HashWasm, 'createKeccak'> = createRequire(import.meta.url)(
  'hash-wasm/dist/keccak.umd.min.js',
)

let hasher: HashWasm.IHasher | undefined

/** Resolves when keccak is usable. Every thread that hashes awaits it once, as it starts. */
export const keccakReady: Promise<void> = createKeccak(256).then((loaded) => {
  hasher = loaded
})

/** keccak-256 of `bytes` in a fresh array of 32. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  assert(hasher !== undefined, 'keccak is loaded before the first hash')
  return hasher.init().update(bytes).digest('binary')
}
