import type { FileChanges } from './mutation.ts'

// The count of obligations and its proofs.

const TREES = 'test/persistence/solvency/trees.test.ts'
const FLIPS = 'test/persistence/solvency/flips.test.ts'
const CLAIMS = 'test/engine/core/claims.test.ts'

export const SOLVENCY_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/state/claims.ts',
    tests: [CLAIMS, TREES],
    changes: [
      [
        'a debt hides a claim of another account',
        'if (raw < 0) this.debts[token] -= BigInt(raw)\n    if (raw <= 0) return',
        'if (raw === 0) return',
      ],
      [
        'what orders reserve is not owed',
        'visit(0, account, collateralFreeRaw[account] + collateralReservedRaw[account])',
        'visit(0, account, collateralFreeRaw[account])',
      ],
      [
        'shares in orders are not counted',
        'visit(token, rows[at], sharesFreeRaw[at] + sharesReservedRaw[at])',
        'visit(token, rows[at], sharesFreeRaw[at])',
      ],
    ],
  },
  {
    file: 'persistence/solvency/sum-tree.ts',
    tests: [TREES],
    changes: [
      [
        'a last node without a neighbour is joined with itself',
        'above.push(at + 1 < nodes.length ? parentNode(nodes[at], nodes[at + 1]) : nodes[at])',
        'above.push(parentNode(nodes[at], nodes[Math.min(at + 1, nodes.length - 1)]))',
      ],
    ],
  },
  {
    file: 'persistence/solvency/tree-format.ts',
    tests: [TREES, FLIPS],
    changes: [
      [
        'one leaf serves two accounts',
        'leafBytes.set(address, 1 + SALT_BYTES)\n',
        'leafBytes.set(address.subarray(0, 0), 1 + SALT_BYTES)\n',
      ],
      [
        'a node does not bind the sum of its right side',
        'u64(right.sumRaw, nodeBytes, 73)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'persistence/solvency/proof-check.ts',
    tests: [FLIPS],
    changes: [
      [
        'a branch of shares need not lead to their market',
        'Buffer.compare(hash, top.hash) === 0 && sumRaw === top.sumRaw',
        'sumRaw >= 0n',
      ],
      ['the root need not follow from the snapshot', 'root === view.root,', 'root !== ``,'],
    ],
  },
]
