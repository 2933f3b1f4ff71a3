// The hashed bytes behind a solvency root (rules §14), defined only here and in tree-format.ts.
// Numbers are big-endian; a sum has eight bytes. Each kind of input begins with a distinct byte, so
// inputs of different kinds are never equal. All hashes are SHA-256.
//
//   leaf    0 │ salt 16 │ address 20 │ balance u64
//   node    1 │ left hash 32 │ left sum u64 │ right hash 32 │ right sum u64
//   market  2 │ id u32 │ group u8 │ condition id: bytes u8, text │ inside u64 │ paid in advance u64
//           │ parts of YES and of NO, u64 each, 0 and 0 before the payout
//           │ YES: hash 32, claims u64, debts u64 │ NO: the same
//   all collateral  3 │ hash 32 │ sum u64
//   root    4 │ the name of the format │ seq u64 │ time u64 │ state hash 32 │ assets i64
//           │ debts u64 │ advances u64 │ hash of the tree 32 │ its sum u64
//           │ on an EVM chain: chain id u64, block u64, hash of the block 32, addresses of the
//             collateral, the conditional tokens and the exchange, 20 each
//
// A tree without leaves has the hash of the single byte 5. A node without a neighbour moves up
// unchanged.

import type { MarketId, Seq } from '../../engine/domain/ids.ts'
import { digestOf, sumBytes, type TreeNode, UnfitSum } from './tree-format.ts'

/** The second one names where the collateral is on an EVM chain. */
export const SOLVENCY_FORMAT = { own: 'outcomex/solvency/1', chain: 'outcomex/solvency/2' } as const
const NUMBER_END = 2n ** 63n

function signedBytes(raw: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  if (raw < -NUMBER_END || raw >= NUMBER_END) throw new UnfitSum('a number is too large')
  bytes.writeBigInt64BE(raw)
  return bytes
}

export interface TokenEntry extends TreeNode {
  readonly debtsRaw: bigint
}

export interface MarketEntry {
  readonly marketId: MarketId
  readonly isGroup: boolean
  readonly conditionId: string
  readonly payout: readonly [number, number] | null
  readonly insideRaw: bigint
  readonly yes: TokenEntry
  readonly no: TokenEntry
}

/** A market in the tree of all obligations. */
export function marketNode(market: MarketEntry): TreeNode {
  const { insideRaw, payout, yes, no } = market
  const [inside, advanced] = insideRaw < 0n ? [0n, -insideRaw] : [insideRaw, 0n]
  const condition = Buffer.from(market.conditionId, 'utf8')
  if (condition.length > 255) throw new UnfitSum('a condition id is too long')
  const head = Buffer.alloc(7)
  head[0] = 2
  head.writeUInt32BE(market.marketId, 1)
  head[5] = market.isGroup ? 1 : 0
  head[6] = condition.length
  const parts = (payout ?? [0, 0]).map((part) => sumBytes(BigInt(part)))
  const tokens = [yes, no].flatMap(({ hash, sumRaw, debtsRaw }) => {
    return [hash, sumBytes(sumRaw), sumBytes(debtsRaw)]
  })
  const all = [head, condition, sumBytes(inside), sumBytes(advanced), ...parts, ...tokens]
  return { hash: digestOf(Buffer.concat(all)), sumRaw: inside }
}

/** All collateral of accounts in the tree of all obligations. */
export function collateralNode({ hash, sumRaw }: TreeNode): TreeNode {
  const hashed = digestOf(Buffer.concat([Buffer.of(3), hash, sumBytes(sumRaw)]))
  return { hash: hashed, sumRaw }
}

/** Contracts on an EVM chain; addresses have 0x and lowercase hex. */
export interface CollateralContracts {
  readonly chainId: number
  /** The ERC-20 token. */
  readonly collateralAddress: string
  /** They hold the collateral behind shares. */
  readonly conditionalTokensAddress: string
  readonly exchangeAddress: string
}

/** Where the collateral is when wallets on an EVM chain have it. */
export interface CollateralPlace extends CollateralContracts {
  /** The last block up to which the moves of wallets are in the balances. */
  readonly block: number
  /** 0x and lowercase hex. */
  readonly blockHash: string
}

export function formatOf(chain: CollateralPlace | null): string {
  return chain === null ? SOLVENCY_FORMAT.own : SOLVENCY_FORMAT.chain
}

const bytesOfHex = (text: string) => Buffer.from(text.slice(2), 'hex')

function placeBytes(place: CollateralPlace): Buffer[] {
  const { chainId, block, blockHash } = place
  const { collateralAddress, conditionalTokensAddress, exchangeAddress } = place
  const addresses = [collateralAddress, conditionalTokensAddress, exchangeAddress]
  const numbers = [chainId, block].map((number) => sumBytes(BigInt(number)))
  return [...numbers, ...[blockHash, ...addresses].map(bytesOfHex)]
}

export interface RootMetadata {
  readonly seq: Seq
  readonly atMs: number
  /** Lowercase hex. */
  readonly stateHash: string
  readonly assetsRaw: bigint
  readonly debtsRaw: bigint
  readonly advancedRaw: bigint
  readonly tree: TreeNode
  /** Null when the exchange has the collateral itself. */
  readonly chain: CollateralPlace | null
}

/** The published root, in lowercase hex. */
export function rootOf(metadata: RootMetadata): string {
  const { assetsRaw, debtsRaw, advancedRaw, tree, chain } = metadata
  const all = [
    Buffer.of(4),
    Buffer.from(formatOf(chain), 'latin1'),
    sumBytes(BigInt(metadata.seq)),
    sumBytes(BigInt(metadata.atMs)),
    Buffer.from(metadata.stateHash, 'hex'),
    signedBytes(assetsRaw),
    sumBytes(debtsRaw),
    sumBytes(advancedRaw),
    tree.hash,
    sumBytes(tree.sumRaw),
    ...(chain === null ? [] : placeBytes(chain)),
  ]
  return digestOf(Buffer.concat(all)).toString('hex')
}
