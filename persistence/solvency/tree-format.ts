// The hashed bytes of the trees behind a solvency root: leaves and nodes (rules §14).
// solvency-format.ts has the layout of all inputs.

import { createHash } from 'node:crypto'

export const SALT_BYTES = 16
export const HASH_BYTES = 32
const ADDRESS_BYTES = 20
const SUM_END = 2n ** 64n

/** A subtree: its hash and its sum. */
export interface TreeNode {
  readonly hash: Uint8Array
  readonly sumRaw: bigint
}

/** The neighbour of a node on a path, and its side. */
export interface TreeStep {
  readonly side: 'left' | 'right'
  readonly node: TreeNode
}

/** A number that does not fit eight bytes: a forged sum must not wrap around. */
export class UnfitSum extends Error {
  override name = 'UnfitSum'
}

function u64(raw: bigint, to: Buffer, at: number): void {
  if (raw < 0n || raw >= SUM_END) throw new UnfitSum('a sum does not fit eight bytes')
  to.writeBigUInt64BE(raw, at)
}

export function sumBytes(raw: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  u64(raw, bytes, 0)
  return bytes
}

export const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

export interface Leaf {
  readonly salt: Uint8Array
  readonly address: Uint8Array
  readonly balanceRaw: bigint
}

const leafBytes = Buffer.alloc(1 + SALT_BYTES + ADDRESS_BYTES + 8)

export function leafNode({ salt, address, balanceRaw }: Leaf): TreeNode {
  leafBytes.set(salt, 1)
  leafBytes.set(address, 1 + SALT_BYTES)
  u64(balanceRaw, leafBytes, 1 + SALT_BYTES + ADDRESS_BYTES)
  return { hash: digestOf(leafBytes), sumRaw: balanceRaw }
}

const nodeBytes = Buffer.alloc(1 + 2 * (HASH_BYTES + 8))
nodeBytes[0] = 1

export function parentNode(left: TreeNode, right: TreeNode): TreeNode {
  nodeBytes.set(left.hash, 1)
  u64(left.sumRaw, nodeBytes, 33)
  nodeBytes.set(right.hash, 41)
  u64(right.sumRaw, nodeBytes, 73)
  return { hash: digestOf(nodeBytes), sumRaw: left.sumRaw + right.sumRaw }
}

export function emptyNode(): TreeNode {
  return { hash: digestOf(Buffer.of(5)), sumRaw: 0n }
}
