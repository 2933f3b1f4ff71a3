// Ids of groups and their children (rules §6.3). They are derived from the adapter and the slug of
// the group, as on the chain.

import { formatAddress } from '../../crypto/address.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import { collectionIdOf, conditionIdOf, positionIdOf } from './condition-ids.ts'

const WORD_BYTES = 32
const ADDRESS_BYTES = 20

function word(value: number): Buffer {
  const bytes = Buffer.alloc(WORD_BYTES)
  bytes.writeUInt32BE(value, WORD_BYTES - 4)
  return bytes
}

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')

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
