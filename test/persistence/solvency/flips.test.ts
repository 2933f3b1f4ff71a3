import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokenProof, checkProof } from '../../../persistence/solvency/proof-check.ts'
import { type ProofView, proofView } from '../../../persistence/solvency/proof-view.ts'
import type { CollateralPlace } from '../../../persistence/solvency/solvency-format.ts'
import { PROOF_EXAMPLE } from '../../../server/api/solvency/solvency.ts'
import { bookOf, flowOf, treesOf } from '../../support/proof-books.ts'

// A proof with one thing changed, wherever it is, proves nothing.

const PLACE = {
  chainId: 8453,
  collateralAddress: `0x${'a1'.repeat(20)}`,
  conditionalTokensAddress: `0x${'b2'.repeat(20)}`,
  exchangeAddress: `0x${'c3'.repeat(20)}`,
  block: 40_000_000,
  blockHash: `0x${'d4'.repeat(32)}`,
}

function soundProof(chain: CollateralPlace | null = null): ProofView {
  const flow = flowOf(11, 1500)
  const account = flow.exchange.clearing.accounts.accountOf(3) ?? ''
  const trees = treesOf({ ...bookOf(flow), chain })
  return proofView(trees, account, trees.of(3, -1, 1000))
}

/** All ways to change one leaf of a JSON value a little, as whole values. */
function* changes(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      yield `${value.slice(0, at)}${String.fromCharCode(code ^ 1)}${value.slice(at + 1)}`
    }
    yield `${value}0`
    yield value.slice(1)
  } else if (typeof value === 'number') {
    yield value + 1
  } else if (value === null) {
    yield [1, 1]
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      for (const other of changes(each)) yield value.with(index, other)
      yield value.toSpliced(index, 1)
    }
  } else if (typeof value === 'object') {
    for (const [name, each] of Object.entries(value)) {
      for (const other of changes(each)) yield { ...value, [name]: other }
    }
  }
}

const SOUND = soundProof()

test('a proof with any character, number or step changed does not hold', () => {
  checkProof(SOUND)
  assert.ok(SOUND.balances.length >= 3, 'collateral and shares are proven')
  const [collateral] = SOUND.balances
  const shares = SOUND.balances.findLast(({ token }) => token !== 'collateral')
  assert.ok(shares !== undefined)
  let count = 0
  const small: ProofView = { ...SOUND, balances: [collateral, shares] }
  checkProof(small)
  for (const changed of changes(small)) {
    const parsed: ProofView = JSON.parse(JSON.stringify(changed))
    // A proof of fewer balances is a proof of those.
    if (parsed.balances.length < small.balances.length) continue
    count++
    assert.throws(() => checkProof(parsed), JSON.stringify(changed).slice(0, 300))
  }
  assert.ok(count > 1000, `${count} changes`)
})

test('a proof binds the place of the collateral on a chain', () => {
  const proof = soundProof(PLACE)
  checkProof(proof)
  const { snapshot, format } = proof
  assert.deepEqual([format, snapshot.chain], ['outcomex/solvency/2', PLACE])
  assert.notEqual(snapshot.root, SOUND.snapshot.root)
  for (const changed of changes(PLACE)) {
    const parsed: CollateralPlace = JSON.parse(JSON.stringify(changed))
    assert.throws(() => checkProof({ ...proof, snapshot: { ...snapshot, chain: parsed } }))
  }
  const { chain, ...without } = snapshot
  for (const each of [proof.format, SOUND.format]) {
    assert.throws(() => checkProof({ ...proof, format: each, snapshot: without }), BrokenProof)
  }
  assert.throws(() => checkProof({ ...SOUND, snapshot: { ...SOUND.snapshot, chain } }))
})

test('the example of the route is a proof that holds', () => {
  checkProof(PROOF_EXAMPLE.proof)
})

test('a balance is named once, and a root that was given must be that of the proof', () => {
  const twice = { ...SOUND, balances: [...SOUND.balances, SOUND.balances[0]] }
  assert.throws(() => checkProof(twice), /has one balance twice/)
  assert.throws(() => checkProof(SOUND, 'ab'.repeat(32)), BrokenProof)
  checkProof(SOUND, SOUND.snapshot.root)
})
