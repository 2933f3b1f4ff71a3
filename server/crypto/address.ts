import { keccak256 } from './keccak.ts'

// Ethereum addresses: clients see text with an EIP-55 checksum, the exchange stores twenty bytes.

export const ADDRESS_BYTES = 20
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

const ANY_ADDRESS = /^0x[0-9a-fA-F]{40}$/
const LOWERCASE_ADDRESS = /^0x[0-9a-f]{40}$/
/** Texts with a correct checksum, cached because each order of a trader names the same account. */
const proven = new Set<string>()
const PROVEN_MAX = 4096

/** The EIP-55 text of an address given as `0x` and forty lowercase digits. */
export function checksumAddress(lowercase: string): string {
  const digits = lowercase.slice(2)
  const hash = keccak256(Buffer.from(digits, 'latin1'))
  let text = '0x'
  for (let index = 0; index < digits.length; index++) {
    const nibble = (hash[index >> 1] >> (index % 2 === 0 ? 4 : 0)) & 15
    text += nibble >= 8 ? digits[index].toUpperCase() : digits[index]
  }
  return text
}

/** True for lowercase addresses and for those whose mixed case is their EIP-55 checksum. */
export function isAddress(text: string): boolean {
  if (proven.has(text) || LOWERCASE_ADDRESS.test(text)) return true
  if (!ANY_ADDRESS.test(text) || checksumAddress(text.toLowerCase()) !== text) return false
  if (proven.size >= PROVEN_MAX) proven.clear()
  proven.add(text)
  return true
}

/** The twenty bytes of an address that `isAddress` accepts; undefined for any other text. */
export function parseAddress(text: string): Uint8Array | undefined {
  return isAddress(text) ? Buffer.from(text.slice(2), 'hex') : undefined
}

/** EIP-55 text of twenty bytes. */
export function formatAddress(address: Uint8Array): string {
  return checksumAddress(lowercaseAddress(address))
}

export function lowercaseAddress(address: Uint8Array): string {
  return `0x${Buffer.from(address).toString('hex')}`
}

export function sameAddress(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
