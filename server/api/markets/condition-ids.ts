// Ids of conditional tokens (rules §6.1). They are derived from the oracle and the question, so any
// client can check them against the chain's own arithmetic.

import { keccak256 } from '../../crypto/keccak.ts'

/** Field and curve of alt_bn128, y² = x³ + 3. */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const ODD_FLAG = 1n << 254n
const OUTCOMES = 2

function word(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % P
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

function isOnCurve(x: bigint): boolean {
  const w = (x * x * x + 3n) % P
  const y = power(w, (P + 1n) / 4n)
  return (y * y) % P === w
}

/** 0x and 64 hex digits: keccak(oracle ‖ questionId ‖ 2). */
export function conditionIdOf(oracle: string, questionId: Uint8Array): string {
  const packed = Buffer.concat([bytesOf(oracle), questionId, word(BigInt(OUTCOMES))])
  return `0x${Buffer.from(keccak256(packed)).toString('hex')}`
}

export function collectionIdOf(conditionId: string, indexSet: number): Uint8Array {
  const hash = toBigInt(keccak256(Buffer.concat([bytesOf(conditionId), word(BigInt(indexSet))])))
  let x = ((hash % P) + 1n) % P
  while (!isOnCurve(x)) x = (x + 1n) % P
  const isOdd = hash >> 255n === 1n
  return word(isOdd ? x ^ ODD_FLAG : x)
}

/** The ERC-1155 id of one outcome (index set 1 for YES, 2 for NO) as decimal text. */
export function positionIdOf(collateral: string, collectionId: Uint8Array): string {
  return toBigInt(keccak256(Buffer.concat([bytesOf(collateral), collectionId]))).toString()
}

/** The condition of a market of this exchange and its two tokens. */
export function marketIds(slug: string, oracle: string, collateral: string) {
  const questionId = keccak256(Buffer.from(slug, 'utf8'))
  const conditionId = conditionIdOf(oracle, questionId)
  const tokenOf = (indexSet: number) =>
    positionIdOf(collateral, collectionIdOf(conditionId, indexSet))
  return { conditionId, yesTokenId: tokenOf(1), noTokenId: tokenOf(2) }
}
