// HMAC-SHA256 of calls. Browsers have their own only on pages over TLS or of this machine, and an
// exchange may be reached by plain HTTP, so a library computes it.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** Base64 of the HMAC of a text under a key in Base64. */
export function hmacOf(secret: string, message: string): string {
  const digest = hmac(sha256, bytesOfBase64(secret), new TextEncoder().encode(message))
  return btoa(String.fromCharCode(...digest))
}
