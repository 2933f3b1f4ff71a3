import { createRequire } from 'node:module'
import { assert } from '../../engine/domain/assert.ts'
import { ADDRESS_BYTES, sameAddress } from './address.ts'
import type { Curve } from './curve.ts'
import { keccak256 } from './keccak.ts'

// The only importer of `secp256k1`, which silently replaces a missing addon with slow JavaScript.
// So its native binding is loaded by name, and the log can state which curve is in use.

export const RECOVERABLE_BYTES = 65
const COMPACT_BYTES = 64
const NO_KEY = new Uint8Array(0)

interface Binding {
  ecdsaRecover(
    compact: Uint8Array,
    recovery: number,
    hash: Uint8Array,
    compressed: boolean,
    output: Uint8Array,
  ): Uint8Array
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number }
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array
}

const publicKeyBuffer = new Uint8Array(65)

function nativeCurve(binding: Binding): Curve {
  return {
    name: 'secp256k1',
    recover(hash, compact, recovery) {
      try {
        return binding.ecdsaRecover(compact, recovery, hash, false, publicKeyBuffer)
      } catch {
        return undefined
      }
    },
    sign(hash, privateKey) {
      const { signature, recid } = binding.ecdsaSign(hash, privateKey)
      const recoverable = new Uint8Array(RECOVERABLE_BYTES)
      recoverable.set(signature)
      recoverable[COMPACT_BYTES] = recid
      return recoverable
    },
    publicKey(privateKey) {
      return binding.publicKeyCreate(privateKey, false)
    },
  }
}

/** The slow curve costs each thread 1.5 MB, so it is loaded only when needed. */
async function loadCurve(): Promise<Curve> {
  try {
    const binding: Binding = createRequire(import.meta.url)('secp256k1/bindings.js')
    return nativeCurve(binding)
  } catch {
    return (await import('./noble-curve.ts')).nobleCurve
  }
}

/** The curve in use. The log shows its name, because the fallback is about 24 times slower. */
export const curve: Curve = await loadCurve()

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Half of the group order. A signature with a higher s is the mirror of a valid signature. */
const HALF_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
)

function isLowS(signature: Uint8Array): boolean {
  for (let index = 0; index < HALF_ORDER.length; index++) {
    const difference = signature[32 + index] - HALF_ORDER[index]
    if (difference !== 0) return difference < 0
  }
  return true
}

/** The signature of the same key over the same hash whose s is in the lower half of the order. */
export function withLowS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, COMPACT_BYTES)).toString('hex')}`)
  if (isLowS(signature) || s >= ORDER) return signature
  const mirrored = Buffer.from(signature)
  mirrored.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
  mirrored[COMPACT_BYTES] = signature[COMPACT_BYTES] === 27 ? 28 : 27
  return mirrored
}

function addressOfPublicKey(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey.subarray(1)).subarray(32 - ADDRESS_BYTES)
}

/** The key that signed; valid until the next recovery. */
function recoverKey(hash: Uint8Array, signature: Uint8Array, using: Curve): Uint8Array | undefined {
  if (signature.length !== RECOVERABLE_BYTES) return undefined
  const v = signature[COMPACT_BYTES]
  if (v !== 27 && v !== 28) return undefined
  if (!isLowS(signature)) return undefined
  return using.recover(hash, signature.subarray(0, COMPACT_BYTES), v - 27)
}

/**
 * The address that signed `hash`, or undefined when r‖s‖v proves none: wrong length, v not 27 or
 * 28, s in the upper half of the order, no such point, or the zero address.
 */
export function recoverAddress(
  hash: Uint8Array,
  signature: Uint8Array,
  using: Curve = curve,
): Uint8Array | undefined {
  const publicKey = recoverKey(hash, signature, using)
  if (publicKey === undefined) return undefined
  const address = addressOfPublicKey(publicKey)
  return address.every((byte) => byte === 0) ? undefined : address
}

/** Why r‖s‖v cannot be a signature of any message. */
export type SignatureFault = 'zero r' | 'zero s' | 'v' | 'high s'

/** Why `recoverAddress` rejects 65 bytes outright; null otherwise. Used only for refusals. */
export function signatureFault(signature: Uint8Array): SignatureFault | null {
  assert(signature.length === RECOVERABLE_BYTES, 'r, s and v are 65 bytes')
  const isZero = (part: Uint8Array) => part.every((byte) => byte === 0)
  if (isZero(signature.subarray(0, 32))) return 'zero r'
  if (isZero(signature.subarray(32, COMPACT_BYTES))) return 'zero s'
  const v = signature[COMPACT_BYTES]
  if (v !== 27 && v !== 28) return 'v'
  return isLowS(signature) ? null : 'high s'
}

/** An account whose signatures are checked repeatedly. */
export interface Signer {
  readonly address: Uint8Array
  /** Empty until the first valid signature reveals it. */
  publicKey: Uint8Array
}

export function signerOf(address: Uint8Array): Signer {
  return { address, publicKey: NO_KEY }
}

/**
 * Whether `recoverAddress` returns the signer's address. A known key is not hashed to its address
 * again. It is still recovered: verifying against the known key would be a sixth cheaper, but it
 * ignores v.
 */
export function isSignedBy(
  signer: Signer,
  hash: Uint8Array,
  signature: Uint8Array,
  using: Curve = curve,
): boolean {
  const publicKey = recoverKey(hash, signature, using)
  if (publicKey === undefined) return false
  if (Buffer.compare(publicKey, signer.publicKey) === 0) return true
  const address = addressOfPublicKey(publicKey)
  if (address.every((byte) => byte === 0) || !sameAddress(address, signer.address)) return false
  signer.publicKey = publicKey.slice()
  return true
}

/** Returns r‖s‖v over `hash`, with v 27 or 28. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const signature = curve.sign(hash, privateKey)
  assert(signature[COMPACT_BYTES] <= 1, 'a recovery id of a signature made here is 0 or 1')
  signature[COMPACT_BYTES] += 27
  return signature
}

export function addressOfKey(privateKey: Uint8Array): Uint8Array {
  return addressOfPublicKey(curve.publicKey(privateKey))
}
