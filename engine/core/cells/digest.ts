// SHA-256 for what must be the same on every machine and hard to make alike.

export { sha256 } from '@noble/hashes/sha2.js'
export { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
