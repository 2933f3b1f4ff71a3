import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  adapterOf,
  childIds,
  negRiskIdOf,
  poolAddressOf,
  questionIdOf,
  wrappedOf,
} from '../../../../server/api/markets/market-changes.ts'
import { isAddress } from '../../../../server/crypto/address.ts'
import { keccakReady } from '../../../../server/crypto/keccak.ts'

const ORACLE = `0x${'0'.repeat(38)}aa`
const EXCHANGE = '0x05c748E2f4DcDe0ec9Fa8DDc40DE6b867f923fa5'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

before(() => keccakReady)

test('the ids of a group are those of rules §6.3', () => {
  const id = negRiskIdOf(ORACLE, 0, 'group-1')
  assert.equal(id, '0xc08487f264132487052b818c2221375176d7723be2acd793e7a5062171ef5000')
  assert.equal(questionIdOf(id, 2), `${id.slice(0, -2)}02`)
  assert.notEqual(negRiskIdOf(ORACLE, 100, 'group-1'), id)
  assert.notEqual(negRiskIdOf(ORACLE, 0, 'x'.repeat(33)), negRiskIdOf(ORACLE, 0, 'x'.repeat(32)))
})

test('each child has tokens of its own, and derived addresses have a right checksum', () => {
  const adapter = adapterOf(EXCHANGE)
  const id = negRiskIdOf(adapter, 0, 'winner')
  const addresses = { adapter, wrapped: wrappedOf(adapter, USDC) }
  const children = [0, 1, 2].map((index) => childIds(addresses, questionIdOf(id, index)))
  const tokens = children.flatMap(({ yesTokenId, noTokenId }) => [yesTokenId, noTokenId])
  assert.equal(new Set(tokens).size, 6)
  assert.ok(isAddress(adapter) && isAddress(poolAddressOf(children[0].conditionId)))
})
