// Converts addresses to bytes and back. The letter case is stored, so that the checksum need not be
// computed again.

import { assert } from '../../domain/assert.ts'

export const ADDRESS_BYTES = 20
/** One bit for each of the 40 digits, set for a capital letter. */
export const CASE_BYTES = 5

const DIGITS = '0123456789abcdef'
const TEXT = /^0x[0-9a-fA-F]{40}$/

/** Writes the 20 bytes of an address. */
export function writeAddress(text: string, to: Uint8Array, at: number): void {
  assert(TEXT.test(text), 'an account is an address')
  for (let index = 0; index < ADDRESS_BYTES; index++) {
    to[at + index] = Number.parseInt(text.slice(2 + index * 2, 4 + index * 2), 16)
  }
}

/** Writes the letter case of an address. */
export function writeCase(text: string, to: Uint8Array, at: number): void {
  for (let index = 0; index < CASE_BYTES; index++) {
    let bits = 0
    for (let bit = 0; bit < 8; bit++) {
      const code = text.charCodeAt(2 + index * 8 + bit)
      if (code >= 0x41 && code <= 0x46) bits |= 1 << bit
    }
    to[at + index] = bits
  }
}

/** The address in lower case. */
export function readAddress(from: Uint8Array, at: number): string {
  let text = '0x'
  for (let index = at; index < at + ADDRESS_BYTES; index++) {
    text += DIGITS[from[index] >> 4] + DIGITS[from[index] & 15]
  }
  return text
}

/** The address in its original letter case, whose bits are at `caseAt`. */
export function readCasedAddress(from: Uint8Array, at: number, caseAt: number): string {
  const lower = readAddress(from, at)
  let text = '0x'
  for (let digit = 0; digit < ADDRESS_BYTES * 2; digit++) {
    const isCapital = ((from[caseAt + (digit >> 3)] >> (digit & 7)) & 1) === 1
    text += isCapital ? lower[digit + 2].toUpperCase() : lower[digit + 2]
  }
  return text
}
