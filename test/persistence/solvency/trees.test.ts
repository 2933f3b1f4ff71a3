import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { isSystemAccount } from '../../../engine/domain/ids.ts'
import { checkProof } from '../../../persistence/solvency/proof-check.ts'
import { proofView } from '../../../persistence/solvency/proof-view.ts'
import { BLOCK_LEAVES, SumTree } from '../../../persistence/solvency/sum-tree.ts'
import { leafNode } from '../../../persistence/solvency/tree-format.ts'
import { bookOf, flowOf, madeBook, slowLeaf, slowTop, treesOf } from '../../support/proof-books.ts'

const SEED = Number(process.env.SEED ?? randomInt(2 ** 31))
console.log(`seed ${SEED}`)

function randoms(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const SIZES = [0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 47, 48, 49, 100, 255, 256, 257, 1000]

test('a tree of any size has the top, the sum and the branches of the slow tree', () => {
  for (const size of SIZES) {
    const leaves = Array.from({ length: size }, (_none, index) => {
      const salt = Buffer.alloc(16, index)
      const address = Buffer.alloc(20, index >> 8)
      return { salt, address, balanceRaw: BigInt(index * 7 + 1) }
    })
    const tree = SumTree.grown(size, (first, count) =>
      leaves.slice(first, first + count).map((leaf) => leafNode(leaf)),
    )
    const slow = slowTop(
      leaves.map(({ salt, address, balanceRaw }) => slowLeaf(salt, address, balanceRaw)),
    )
    assert.equal(tree.top.sumRaw, slow.sum, `sum of ${size}`)
    assert.equal(Buffer.from(tree.top.hash).toString('hex'), slow.hash.toString('hex'))
    for (let index = 0; index < size; index++) {
      assert.ok(tree.path(index).length <= Math.ceil(Math.log2(size)), `${index} of ${size}`)
    }
  }
})

test('a branch of a large tree reads one block of leaves', () => {
  let read = 0
  const tree = SumTree.grown(100_000, (first, count) => {
    read += count
    return Array.from({ length: count }, (_none, index) => ({
      hash: Buffer.alloc(32, first + index),
      sumRaw: 1n,
    }))
  })
  assert.equal(read, 100_000)
  for (const index of [0, 1, 51_234, 99_999]) {
    read = 0
    assert.ok(tree.path(index).length <= 17)
    assert.ok(read <= BLOCK_LEAVES, `${read} leaves`)
  }
})

test('every claim of random books has a proof that holds, and no other account gets it', () => {
  const below = randoms(SEED)
  for (let round = 0; round < 6; round++) {
    const counts = Array.from({ length: 1 + 2 * below(5) }, () => below(round < 3 ? 5 : 80))
    const book = madeBook(counts, below)
    const { holders } = book.claims
    const claimed = holders.length
    const trees = treesOf(book)
    let proven = 0
    const profiles = book.addresses.length / 20
    for (let profileId = 1; profileId <= profiles; profileId++) {
      const address = book.addresses.subarray((profileId - 1) * 20, profileId * 20)
      const account = `0x${Buffer.from(address).toString('hex')}`
      const proofs = trees.of(profileId, -1, 1000)
      const view = proofView(trees, account, proofs)
      checkProof(view, trees.root)
      proven += proofs.length
      if (proofs.length === 0) continue
      const other = { ...view, account: `0x${'77'.repeat(20)}` }
      assert.throws(() => checkProof(other), /does not lead to/)
    }
    assert.equal(proven, claimed, `seed ${SEED}, round ${round}`)
  }
})

test('pages of proofs have every balance once, in the order of the tokens', () => {
  const trees = treesOf(madeBook([3, 3, 3, 3, 3, 3, 3], randoms(SEED)))
  const all = trees.of(2, -1, 1000).map(({ token }) => token)
  assert.deepEqual(all, [0, 1, 2, 3, 4, 5, 6])
  const paged: number[] = []
  for (let after = -1; ; after = paged[paged.length - 1]) {
    const page = trees.of(2, after, 2)
    if (page.length === 0) break
    paged.push(...page.map(({ token }) => token))
  }
  assert.deepEqual(paged, all)
  assert.deepEqual(trees.of(999, -1, 10), [])
})

test('the sums are the obligations of the ledger at that seq, and nothing is missing', () => {
  for (const seed of [SEED, SEED + 1, SEED + 2]) {
    const flow = flowOf(seed, 1500)
    const { ledger, accounts, catalogue } = flow.exchange.clearing
    const book = bookOf(flow)
    const heldRaw = (profileId: number) =>
      ledger.collateralFreeRaw[profileId] + ledger.collateralReservedRaw[profileId]
    const trees = treesOf(book)
    const { sums, claims } = trees
    assert.equal(sums.differenceRaw, 0n)
    assert.equal(sums.assetsRaw, BigInt(ledger.fundedRaw))
    let collateralRaw = BigInt(ledger.systemRaw.reduce((sum, raw) => sum + raw, 0))
    for (let id = 1; id <= accounts.count; id++) {
      collateralRaw += BigInt(heldRaw(id))
      const [first] = trees.of(id, -1, 1)
      assert.equal(first.token, 0)
      assert.equal(first.balanceRaw, heldRaw(id))
    }
    assert.equal(claims.collateral.claimsRaw, collateralRaw)
    const inside = catalogue.all().reduce((sum, { conditionRaw }) => sum + conditionRaw, 0)
    assert.equal(sums.obligationsRaw, collateralRaw + BigInt(inside))
    const ofProfiles = claims.holders.filter((holder) => !isSystemAccount(holder)).length
    let proven = 0
    for (let id = 1; id <= accounts.count; id++) proven += trees.of(id, -1, 1000).length
    assert.equal(proven, ofProfiles, `seed ${seed}`)
  }
})
