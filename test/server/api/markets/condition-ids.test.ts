import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  collectionIdOf,
  conditionIdOf,
  positionIdOf,
} from '../../../../server/api/markets/market-changes.ts'
import { keccak256, keccakReady } from '../../../../server/crypto/keccak.ts'

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

before(() => keccakReady)

test('the ids of condition, collections and positions are those of rules §6.1', () => {
  const oracle = `0x${'0'.repeat(38)}aa`
  const questionId = keccak256(Buffer.from('example question 1'))
  assert.equal(
    hex(questionId),
    '0x2e3b6540d1e2ba6d686af7d7a370c6d502ccde90125df62e08848dcad720d2a5',
  )
  const condition = conditionIdOf(oracle, questionId)
  assert.equal(condition, '0xc9bbb331a79a58ef92bcdc6ef6f079a1a06683b04cc9771e34efcc6e38ad705d')
  const yes = collectionIdOf(condition, 1)
  const no = collectionIdOf(condition, 2)
  assert.equal(hex(yes), '0x137034da51b738b7f058d21985030451431bcd936f0c2f607ed8d4632de4c403')
  assert.equal(hex(no), '0x431a11858b3c34dae176546821da12bfad4e273a1027c7faeecf37880109fe52')
  assert.equal(
    positionIdOf(USDC, yes),
    '103364289371174392468136019685926995561718385607640019001157680208043276476762',
  )
  assert.equal(
    positionIdOf(USDC, no),
    '112773284054604702079889676118622580297295637465057519947669939157009394511025',
  )
})

test('the ids of a known condition are those on the live chain', () => {
  const condition = '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1'
  const collateral = '0x9c4e1703476e875070ee25b56a58b008cfb8fa78'
  assert.equal(
    positionIdOf(collateral, collectionIdOf(condition, 1)),
    '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  )
  assert.equal(
    positionIdOf(collateral, collectionIdOf(condition, 2)),
    '52114319501245915516055106046884209969926127482827954674443846427813813222426',
  )
})
