// A Merkle tree whose nodes carry the sums below them. Only the hashes of blocks of leaves and of
// the levels above are stored; a proof rebuilds its own block. So a leaf costs five bytes here, and
// a proof costs a bounded number of hashes.

import { assert } from '../../engine/domain/assert.ts'
import { emptyNode, HASH_BYTES, parentNode, type TreeNode, type TreeStep } from './tree-format.ts'

/** Leaves per block: a power of two, so that blocks are whole subtrees. */
export const BLOCK_LEAVES = 16

/** Returns `count` leaves from index `first` on. */
export type LeavesOf = (first: number, count: number) => readonly TreeNode[]

/** The next level of a tree: neighbours are joined, and a node without one moves up. */
function joined(nodes: readonly TreeNode[]): TreeNode[] {
  const above: TreeNode[] = []
  for (let at = 0; at < nodes.length; at += 2) {
    above.push(at + 1 < nodes.length ? parentNode(nodes[at], nodes[at + 1]) : nodes[at])
  }
  return above
}

/** The root of a small tree, whose leaves are all in memory. */
function topOf(nodes: readonly TreeNode[]): TreeNode {
  let level = nodes
  while (level.length > 1) level = joined(level)
  return level[0] ?? emptyNode()
}

/** The neighbours of a leaf on the path to the root of a small tree. */
function stepsIn(nodes: readonly TreeNode[], index: number): TreeStep[] {
  const steps: TreeStep[] = []
  let at = index
  for (let level = nodes; level.length > 1; level = joined(level)) {
    const other = at ^ 1
    if (other < level.length) {
      steps.push({ side: other < at ? 'left' : 'right', node: level[other] })
    }
    at >>= 1
  }
  return steps
}

/** One level above the leaves. */
class Level {
  readonly count: number
  readonly #hashes: Uint8Array
  readonly #sums: BigUint64Array

  constructor(count: number) {
    this.count = count
    this.#hashes = new Uint8Array(count * HASH_BYTES)
    this.#sums = new BigUint64Array(count)
  }

  put(index: number, { hash, sumRaw }: TreeNode): void {
    this.#hashes.set(hash, index * HASH_BYTES)
    this.#sums[index] = sumRaw
  }

  at(index: number): TreeNode {
    const hash = this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    return { hash, sumRaw: this.#sums[index] }
  }
}

export class SumTree {
  readonly count: number
  readonly #leavesOf: LeavesOf
  /** From the blocks up. A tree of at most one block has only its root. */
  readonly #levels: readonly Level[]

  private constructor(count: number, leavesOf: LeavesOf, levels: readonly Level[]) {
    this.count = count
    this.#leavesOf = leavesOf
    this.#levels = levels
  }

  /** Builds a tree; it pauses after each block, so that its thread can do other work. */
  static *growing(count: number, leavesOf: LeavesOf): Generator<undefined, SumTree> {
    const blocks = new Level(Math.max(1, Math.ceil(count / BLOCK_LEAVES)))
    for (let block = 0; block < blocks.count; block++) {
      const first = block * BLOCK_LEAVES
      blocks.put(block, topOf(leavesOf(first, Math.min(BLOCK_LEAVES, count - first))))
      yield
    }
    const levels = [blocks]
    for (let below = blocks; below.count > 1; ) {
      const above = new Level(Math.ceil(below.count / 2))
      for (let at = 0; at < above.count; at++) {
        const [left, right] = [at * 2, at * 2 + 1]
        const isPair = right < below.count
        above.put(at, isPair ? parentNode(below.at(left), below.at(right)) : below.at(left))
        if (at % BLOCK_LEAVES === 0) yield
      }
      levels.push(above)
      below = above
    }
    return new SumTree(count, leavesOf, levels)
  }

  static grown(count: number, leavesOf: LeavesOf): SumTree {
    const growing = SumTree.growing(count, leavesOf)
    for (;;) {
      const { done, value } = growing.next()
      if (done === true) return value
    }
  }

  get top(): TreeNode {
    return this.#levels[this.#levels.length - 1].at(0)
  }

  /** The neighbours of a leaf on the path to the root. */
  path(index: number): TreeStep[] {
    assert(index >= 0 && index < this.count, 'a path starts at a leaf')
    let at = Math.floor(index / BLOCK_LEAVES)
    const first = at * BLOCK_LEAVES
    const block = this.#leavesOf(first, Math.min(BLOCK_LEAVES, this.count - first))
    const steps = stepsIn(block, index - first)
    for (const level of this.#levels) {
      const other = at ^ 1
      if (other < level.count) {
        steps.push({ side: other < at ? 'left' : 'right', node: level.at(other) })
      }
      at >>= 1
    }
    return steps
  }
}
