// Ids of conditional tokens (rules §6.1). They are derived from the oracle and the question, so any
// client can check them against the chain's own arithmetic.

import { formatAddress } from '../../crypto/address.ts'
import { keccak256 } from '../../crypto/keccak.ts'

/** Field and curve of alt_bn128, y² = x³ + 3. */
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const ODD_FLAG = 1n << 254n
const OUTCOMES = 2

function word(value: bigint | number): Buffer {
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
  const packed = Buffer.concat([bytesOf(oracle), questionId, word(OUTCOMES)])
  return `0x${Buffer.from(keccak256(packed)).toString('hex')}`
}

export function collectionIdOf(conditionId: string, indexSet: number): Uint8Array {
  const hash = toBigInt(keccak256(Buffer.concat([bytesOf(conditionId), word(indexSet)])))
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

// Ids of groups and their children (rules §6.3). They are derived from the adapter and the slug of
// the group, as on the chain.

const WORD_BYTES = 32
const ADDRESS_BYTES = 20

/** `abi.encode(address, uint256, bytes)`. */
function encoded(oracle: string, fee: number, metadata: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil(metadata.length / WORD_BYTES) * WORD_BYTES)
  metadata.copy(padded)
  const address = Buffer.concat([Buffer.alloc(WORD_BYTES - ADDRESS_BYTES), bytesOf(oracle)])
  return Buffer.concat([address, word(fee), word(3 * WORD_BYTES), word(metadata.length), padded])
}

/** 0x and 64 hex digits, the last two of them 0. */
export function negRiskIdOf(oracle: string, feeBps: number, metadata: string): string {
  const id = Buffer.from(keccak256(encoded(oracle, feeBps, Buffer.from(metadata, 'utf8'))))
  id[id.length - 1] = 0
  return `0x${id.toString('hex')}`
}

/** The id of a question of a group; `index` starts at 0. */
export function questionIdOf(negRiskId: string, index: number): string {
  const id = bytesOf(negRiskId)
  id[id.length - 1] = index
  return `0x${id.toString('hex')}`
}

function lastAddressOf(...parts: readonly Buffer[]): string {
  return formatAddress(keccak256(Buffer.concat(parts)).subarray(-ADDRESS_BYTES))
}

/** The default adapter of the groups of this exchange. */
export function adapterOf(exchange: string): string {
  return lastAddressOf(Buffer.from('adapter', 'utf8'), bytesOf(exchange))
}

/** Condition and tokens of a child, whose collateral is wrapped. */
export function childIds(adapter: string, collateral: string, questionId: string) {
  const wrapped = lastAddressOf(bytesOf(adapter), bytesOf(collateral))
  const conditionId = conditionIdOf(adapter, bytesOf(questionId))
  const tokenOf = (indexSet: number) => positionIdOf(wrapped, collectionIdOf(conditionId, indexSet))
  return { conditionId, yesTokenId: tokenOf(1), noTokenId: tokenOf(2) }
}

/** The address of a pool, which exists on no chain. */
export function poolAddressOf(conditionId: string): string {
  return lastAddressOf(Buffer.from('pool', 'utf8'), bytesOf(conditionId))
}
