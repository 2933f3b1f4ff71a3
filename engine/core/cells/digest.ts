// SHA-256 for values that must be the same on every machine and hard to forge.

export { sha256 } from '@noble/hashes/sha2.js'
export { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
