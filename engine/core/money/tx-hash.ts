import type { Seq } from '../../domain/ids.ts'
import { bytesToHex, sha256 } from '../cells/digest.ts'

/**
 * The transaction of a trade in the embedded chain, `0x` and 64 lowercase hex digits:
 *
 *   SHA-256 of 24 bytes: chain id, height of the block, seq of the trade, each u64 big-endian
 *
 * All three are in the journal, so a replay and a rebuild give the same hash (rules §5.2).
 */
export function txHashOf(chainId: number, height: number, tradeSeq: Seq): string {
  const view = new DataView(new ArrayBuffer(24))
  view.setBigUint64(0, BigInt(chainId))
  view.setBigUint64(8, BigInt(height))
  view.setBigUint64(16, BigInt(tradeSeq))
  return `0x${bytesToHex(sha256(new Uint8Array(view.buffer)))}`
}

/**
 * The transaction of a command that moved money outside trading. It never fails, so its hash is
 * known before its block: it uses height 0, which no block has.
 */
export function moveHashOf(chainId: number, seq: Seq): string {
  return txHashOf(chainId, 0, seq)
}
