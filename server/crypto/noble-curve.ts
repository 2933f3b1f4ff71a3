import { secp256k1 as noble } from '@noble/curves/secp256k1.js'
import type { Curve } from './curve.ts'

// The only importer of @noble/curves: the fallback on a machine without the native addon, and the
// reference implementation of the tests.

const SIGNATURE_BYTES = 65
const RECOVERY_AT = 64

export const nobleCurve: Curve = {
  name: '@noble/curves',
  recover(hash, compact, recovery) {
    try {
      const signature = noble.Signature.fromBytes(compact, 'compact').addRecoveryBit(recovery)
      return signature.recoverPublicKey(hash).toBytes(false)
    } catch {
      return undefined
    }
  },
  sign(hash, privateKey) {
    const signed = noble.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    const signature = new Uint8Array(SIGNATURE_BYTES)
    signature.set(signed.subarray(1))
    signature[RECOVERY_AT] = signed[0]
    return signature
  },
  publicKey(privateKey) {
    return noble.getPublicKey(privateKey, false)
  },
}
