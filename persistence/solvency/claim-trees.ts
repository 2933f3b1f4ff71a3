// All claims of a snapshot as trees (rules §14): one per token, and one above them with the
// accounts' collateral and the markets as leaves. The claims of a token are in a secret order with
// secret salts, so a neighbour on a path reveals only its sum. Order and salts derive from the
// folder key and the snapshot, so a start builds the same trees.

import { createCipheriv } from 'node:crypto'
import { type ClaimSums, type Claims, sumsOf } from '../../engine/core/state/claims.ts'
import { type AccountId, isSystemAccount, type ProfileId } from '../../engine/domain/ids.ts'
import {
  collateralNode,
  type MarketEntry,
  marketNode,
  type RootMetadata,
  rootOf,
  type TokenEntry,
} from './solvency-format.ts'
import { BLOCK_LEAVES, SumTree } from './sum-tree.ts'
import { HASH_BYTES, leafNode, SALT_BYTES, type TreeNode, type TreeStep } from './tree-format.ts'

const ADDRESS_BYTES = 20
const CIPHER = 'aes-256-ctr'
/** Swaps between two pauses. */
const SWAPS = 4096
const SWAP_BYTES = 6

/** What the root covers in addition to the tree. */
export type SnapshotMetadata = Pick<RootMetadata, 'seq' | 'atMs' | 'stateHash' | 'chain'>

export interface TreeKeys {
  readonly salts: Uint8Array
  readonly order: Uint8Array
}

/** One balance of an account, and its path to the root. */
export interface BalanceProof {
  readonly token: number
  readonly salt: Uint8Array
  readonly balanceRaw: number
  readonly path: readonly TreeStep[]
  /** null for collateral. */
  readonly market: MarketEntry | null
  readonly topPath: readonly TreeStep[]
}

/** Shuffles the claims of each token into the secret order. */
function* shuffled({ starts, holders, amountsRaw }: Claims, key: Uint8Array): Generator<undefined> {
  const stream = createCipheriv(CIPHER, key, Buffer.alloc(16))
  const zeros = Buffer.alloc(SWAPS * SWAP_BYTES)
  let random = Buffer.alloc(0)
  let at = 0
  for (let token = 0; token + 1 < starts.length; token++) {
    const first = starts[token]
    for (let last = starts[token + 1] - 1; last > first; last--) {
      if (at === random.length) {
        random = stream.update(zeros)
        at = 0
        yield
      }
      const part = random.readUIntBE(at, SWAP_BYTES) / 2 ** (SWAP_BYTES * 8)
      at += SWAP_BYTES
      const other = first + Math.floor(part * (last - first + 1))
      const [holder, amountRaw] = [holders[other], amountsRaw[other]]
      holders[other] = holders[last]
      amountsRaw[other] = amountsRaw[last]
      holders[last] = holder
      amountsRaw[last] = amountRaw
    }
  }
}

/** The leaves of each profile, by ascending token. */
class LeavesOfHolders {
  readonly #firstOf: Uint32Array
  readonly #leaves: Uint32Array

  constructor(holders: Uint32Array, profileCount: number) {
    const firstOf = new Uint32Array(profileCount + 2)
    for (const holder of holders) if (!isSystemAccount(holder)) firstOf[holder + 1]++
    for (let id = 1; id < firstOf.length; id++) firstOf[id] += firstOf[id - 1]
    const next = firstOf.slice()
    this.#leaves = new Uint32Array(firstOf[firstOf.length - 1])
    for (let leaf = 0; leaf < holders.length; leaf++) {
      const holder = holders[leaf]
      if (!isSystemAccount(holder)) this.#leaves[next[holder]++] = leaf
    }
    this.#firstOf = firstOf
  }

  of(profileId: ProfileId): Uint32Array {
    if (profileId + 1 >= this.#firstOf.length) return new Uint32Array(0)
    return this.#leaves.subarray(this.#firstOf[profileId], this.#firstOf[profileId + 1])
  }
}

export class ClaimTrees {
  readonly metadata: SnapshotMetadata
  readonly claims: Claims
  readonly sums: ClaimSums
  readonly #addresses: Uint8Array
  readonly #saltKey: Uint8Array
  readonly #ofHolders: LeavesOfHolders
  /** The root hash of each token's tree. */
  readonly #tops: Uint8Array
  /** Trees of more than one block. Others are built on demand. */
  readonly #large = new Map<number, SumTree>()
  #obligations = SumTree.grown(0, () => [])

  private constructor(
    metadata: SnapshotMetadata,
    claims: Claims,
    { addresses, keys }: { addresses: Uint8Array; keys: TreeKeys },
  ) {
    this.metadata = metadata
    this.claims = claims
    this.sums = sumsOf(claims)
    this.#addresses = addresses
    this.#saltKey = keys.salts
    this.#ofHolders = new LeavesOfHolders(claims.holders, addresses.length / ADDRESS_BYTES)
    this.#tops = new Uint8Array((claims.starts.length - 1) * HASH_BYTES)
  }

  /**
   * Builds the trees and takes over the columns of `claims`. It pauses often, so that its thread
   * can do other work.
   */
  static *growing(
    metadata: SnapshotMetadata,
    claims: Claims,
    secrets: { addresses: Uint8Array; keys: TreeKeys },
  ): Generator<undefined, ClaimTrees> {
    yield* shuffled(claims, secrets.keys.order)
    const trees = new ClaimTrees(metadata, claims, secrets)
    yield* trees.#grow()
    return trees
  }

  *#grow(): Generator<undefined> {
    for (let token = 0; token + 1 < this.claims.starts.length; token++) {
      const tree = yield* this.#growing(token)
      this.#tops.set(tree.top.hash, token * HASH_BYTES)
      if (tree.count > BLOCK_LEAVES) this.#large.set(token, tree)
    }
    const count = 1 + this.claims.markets.length
    this.#obligations = yield* SumTree.growing(count, (first, many) =>
      Array.from({ length: many }, (_none, index) => this.#entryNode(first + index)),
    )
  }

  get tree(): TreeNode {
    return this.#obligations.top
  }

  /** The published root. */
  get root(): string {
    return rootOf({ ...this.metadata, ...this.sums, tree: this.tree })
  }

  /** Claims of the profile after token `after`; -1 = from the first. */
  of(profileId: ProfileId, after: number, limit: number): BalanceProof[] {
    const proofs: BalanceProof[] = []
    for (const leaf of this.#ofHolders.of(profileId)) {
      const token = this.#tokenOf(leaf)
      if (token > after) proofs.push(this.#proof(leaf, token))
      if (proofs.length === limit) break
    }
    return proofs
  }

  #proof(leaf: number, token: number): BalanceProof {
    const place = token === 0 ? 0 : 1 + ((token - 1) >> 1)
    return {
      token,
      salt: this.#salts(leaf, 1),
      balanceRaw: this.claims.amountsRaw[leaf],
      path: this.#treeOf(token).path(leaf - this.claims.starts[token]),
      market: place === 0 ? null : this.#entry(place - 1),
      topPath: this.#obligations.path(place),
    }
  }

  /** The last token whose leaves start at or before `leaf`. */
  #tokenOf(leaf: number): number {
    const { starts } = this.claims
    let [low, high] = [0, starts.length - 2]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= leaf) low = middle
      else high = middle - 1
    }
    return low
  }

  #treeOf(token: number): SumTree {
    const known = this.#large.get(token)
    if (known !== undefined) return known
    const growing = this.#growing(token)
    for (;;) {
      const { done, value } = growing.next()
      if (done === true) return value
    }
  }

  #growing(token: number): Generator<undefined, SumTree> {
    const { starts } = this.claims
    const start = starts[token]
    return SumTree.growing(starts[token + 1] - start, (first, count) =>
      this.#leaves(start + first, count),
    )
  }

  #leaves(first: number, count: number): TreeNode[] {
    const salts = this.#salts(first, count)
    return Array.from({ length: count }, (_none, index) =>
      leafNode({
        salt: salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES),
        address: this.#addressOf(this.claims.holders[first + index]),
        balanceRaw: BigInt(this.claims.amountsRaw[first + index]),
      }),
    )
  }

  /** The salts of leaves, one cipher block each. */
  #salts(first: number, count: number): Buffer {
    const counter = Buffer.alloc(16)
    counter.writeUInt32BE(first, 12)
    return createCipheriv(CIPHER, this.#saltKey, counter).update(Buffer.alloc(count * SALT_BYTES))
  }

  #addressOf(holder: AccountId): Uint8Array {
    if (!isSystemAccount(holder)) {
      return this.#addresses.subarray((holder - 1) * ADDRESS_BYTES, holder * ADDRESS_BYTES)
    }
    const address = Buffer.alloc(ADDRESS_BYTES)
    address.writeUInt32BE(holder, ADDRESS_BYTES - 4)
    return address
  }

  #entryNode(place: number): TreeNode {
    if (place > 0) return marketNode(this.#entry(place - 1))
    return collateralNode({ hash: this.#topHash(0), sumRaw: this.claims.collateral.claimsRaw })
  }

  #entry(market: number): MarketEntry {
    const { yes, no, ...about } = this.claims.markets[market]
    const side = (token: number, { claimsRaw, debtsRaw }: typeof yes): TokenEntry => {
      return { hash: this.#topHash(token), sumRaw: claimsRaw, debtsRaw }
    }
    return { ...about, yes: side(1 + market * 2, yes), no: side(2 + market * 2, no) }
  }

  #topHash(token: number): Uint8Array {
    return this.#tops.subarray(token * HASH_BYTES, (token + 1) * HASH_BYTES)
  }
}
