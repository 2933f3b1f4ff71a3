import { assert } from '../../engine/domain/assert.ts'

// 256-bit words, big-endian, as EIP-712 encodes them. Values that fit a double, as amounts, fees
// and most salts do, need no bigint.

export const WORD_BYTES = 32
const TWO_32 = 4_294_967_296
const SAFE_DIGITS = 15
const UINT256_DIGITS_MAX = 78
const UINT256_LIMIT = 1n << 256n
const DECIMAL = /^(?:0|[1-9][0-9]*)$/

/** True for an unsigned integer below 2^256 in plain decimal digits without leading zeros. */
export function isUint256(decimal: string): boolean {
  if (decimal.length > UINT256_DIGITS_MAX || !DECIMAL.test(decimal)) return false
  return decimal.length < UINT256_DIGITS_MAX || BigInt(decimal) < UINT256_LIMIT
}

/** Writes a non-negative safe integer as the word at `offset`. */
export function writeSafeWord(value: number, out: Uint8Array, offset: number): void {
  assert(Number.isSafeInteger(value) && value >= 0, 'a word is written from a safe integer')
  out.fill(0, offset, offset + WORD_BYTES)
  let high = Math.floor(value / TWO_32)
  let low = value % TWO_32
  for (let at = offset + WORD_BYTES - 1; low > 0; at--) {
    out[at] = low % 256
    low = Math.floor(low / 256)
  }
  for (let at = offset + WORD_BYTES - 5; high > 0; at--) {
    out[at] = high % 256
    high = Math.floor(high / 256)
  }
}

/** Writes a decimal that `isUint256` accepts as the word at `offset`. */
export function writeWord(decimal: string, out: Uint8Array, offset: number): void {
  if (decimal.length <= SAFE_DIGITS) {
    writeSafeWord(Number(decimal), out, offset)
    return
  }
  assert(isUint256(decimal), 'a word is written from a uint256')
  const hex = BigInt(decimal)
    .toString(16)
    .padStart(WORD_BYTES * 2, '0')
  out.set(Buffer.from(hex, 'hex'), offset)
}

export function wordOf(decimal: string): Uint8Array {
  const word = new Uint8Array(WORD_BYTES)
  writeWord(decimal, word, 0)
  return word
}
