const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature of the same key over the same hash: order - s, and the other v. */
export function mirrored(signature: Uint8Array): Buffer {
  const other = Buffer.from(signature)
  const s = BigInt(`0x${other.subarray(32, 64).toString('hex')}`)
  other.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
  other[64] = signature[64] === 27 ? 28 : 27
  return other
}

/** The same of `0x` and 130 hex digits. */
export function mirroredText(signature: string): string {
  return `0x${mirrored(Buffer.from(signature.slice(2), 'hex')).toString('hex')}`
}
