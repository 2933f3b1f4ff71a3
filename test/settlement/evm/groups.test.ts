import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Address, getAddress, stringToHex } from 'viem'
import { accountOf, ownOrder } from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import {
  assertReverts,
  EvmStage,
  FEE_RECEIVER,
  RESOLVER,
  tradeOf,
} from '../../support/evm-stage.ts'
import { keyOf } from '../../support/exchange-client.ts'
import { at } from '../../support/json-path.ts'

// Groups on the chain: ids, conversions and payouts of rules §6.3.

const SHARE = 1_000_000
/** EIP-7825. */
const TRANSACTION_GAS_MAX = 2n ** 24n
const skip = anvilSkip
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

let groups = 0
let trades = 0

/** A group with a holder who split a pair of each child. */
class Desk {
  readonly groupId: string
  readonly children: readonly { readonly conditionId: string; readonly tokens: readonly bigint[] }[]
  readonly holder: Address

  private constructor(groupId: string, children: Desk['children'], holder: Address) {
    this.groupId = groupId
    this.children = children
    this.holder = holder
  }

  static async open(count: number, feeBps: number, pairs: number): Promise<Desk> {
    const { adapter, exchange, collateral, tokens } = stage.at
    const metadata = stringToHex(`group-${++groups}`)
    await stage.send(adapter, 'prepareGroup', [BigInt(feeBps), metadata, BigInt(count)])
    const groupId = String(await stage.read(adapter, 'groupIdOf', [BigInt(feeBps), metadata]))
    const holder = getAddress(accountOf(keyOf(`holder ${groups}`)))
    await stage.fund(holder, pairs * count * SHARE)
    const children = []
    for (let index = 0; index < count; index++) {
      const conditionId = String(await stage.read(adapter, 'conditionOf', [groupId, BigInt(index)]))
      const registered = await stage.send(exchange, 'registerChild', [conditionId])
      const { yes, no } = stage.registered(registered)
      children.push({ conditionId, tokens: [BigInt(yes), BigInt(no)] })
      await stage.send(adapter, 'splitPosition', [conditionId, BigInt(pairs * SHARE)], holder)
    }
    await stage.send(tokens, 'setApprovalForAll', [exchange, true], holder)
    await stage.send(collateral, 'approve', [exchange, 2n ** 256n - 1n], holder)
    return new Desk(groupId, children, holder)
  }

  convert(indexSet: number, units: number) {
    const args = [this.groupId, BigInt(indexSet), BigInt(units * SHARE)]
    return stage.send(stage.at.adapter, 'convertPositions', args, this.holder)
  }

  /** Of an account: its collateral, and the shares of each child and outcome; raw. */
  async holdings(account: string = this.holder): Promise<unknown[]> {
    const shares = this.children.map(({ tokens }) =>
      Promise.all(tokens.map((id) => stage.sharesOf(account, String(id)).then(Number))),
    )
    return [Number(await stage.collateralOf(account)), ...(await Promise.all(shares))]
  }

  resolve(winner: number) {
    const args = [this.groupId, BigInt(winner)]
    return stage.send(stage.at.adapter, 'resolveGroup', args, RESOLVER)
  }

  redeem(index: number, yes: number, no: number, from = this.holder) {
    const args = [this.children[index].conditionId, BigInt(yes), BigInt(no)]
    return stage.send(stage.at.adapter, 'redeemPositions', args, from)
  }
}

test('a group has the id of its adapter, fee and slug', { skip }, async () => {
  const desk = await Desk.open(4, 0, 1)
  assert.equal(desk.groupId.slice(-2), '00')
  const again = [0n, stringToHex(`group-${groups}`), 4n]
  await assertReverts(stage.send(stage.at.adapter, 'prepareGroup', again), 'GroupKnown')
  const few = [0n, stringToHex('few'), 1n]
  await assertReverts(stage.send(stage.at.adapter, 'prepareGroup', few), 'ChildrenInvalid')
})

test('a NO of some children converts into YES of the others and collateral', { skip }, async () => {
  const [none, all] = [0, 10 * SHARE]
  const free = await Desk.open(4, 0, 10)
  await free.convert(0b0101, 10)
  assert.deepEqual(await free.holdings(), [
    10 * SHARE,
    [all, none],
    [2 * all, all],
    [all, none],
    [2 * all, all],
  ])
  const costly = await Desk.open(4, 100, 10)
  await costly.convert(0b0101, 10)
  assert.deepEqual(await costly.holdings(), [
    9_900_000,
    [all, none],
    [all + 9_900_000, all],
    [all, none],
    [all + 9_900_000, all],
  ])
  const kept = [
    [none, none],
    [100_000, none],
    [none, none],
    [100_000, none],
  ]
  assert.deepEqual(await costly.holdings(FEE_RECEIVER), [100_000, ...kept])
  const one = await Desk.open(3, 0, 10)
  await one.convert(0b001, 10)
  assert.deepEqual(await one.holdings(), [0, [all, none], [2 * all, all], [2 * all, all]])
  const whole = await Desk.open(3, 0, 10)
  await whole.convert(0b111, 10)
  assert.deepEqual(await whole.holdings(), [2 * all, [all, none], [all, none], [all, none]])
  await assertReverts(whole.convert(0, 1), 'IndexSetInvalid')
  await assertReverts(whole.convert(0b1000, 1), 'IndexSetInvalid')
})

test('whoever wins, a converted position pays what it would have paid', { skip }, async () => {
  for (const winner of [0, 1, 2]) {
    const desk = await Desk.open(3, 0, 10)
    await desk.convert(0b011, 4)
    await desk.resolve(winner)
    await assertReverts(desk.resolve(winner), 'GroupEnded')
    await assertReverts(desk.convert(0b001, 1), 'GroupEnded')
    const [, ...shares] = await desk.holdings()
    for (const [index, held] of shares.entries()) {
      await desk.redeem(index, Number(at(held, 0)), Number(at(held, 1)))
    }
    // Ten of each pair were paid for, whichever child wins.
    assert.deepEqual(await desk.holdings(), [30 * SHARE, [0, 0], [0, 0], [0, 0]])
  }
})

test('trades of a child split and merge through the adapter', { skip }, async () => {
  const desk = await Desk.open(2, 0, 10)
  const [{ tokens }] = desk.children
  const keys = { buyer: keyOf('buyer'), other: keyOf('other') }
  const order = (key: Uint8Array, side: number, outcome: number, ticks: number, salt: number) => {
    const account = accountOf(key)
    const size = 10 * SHARE
    const cost = (size * ticks) / 1000
    const [makerAmount, takerAmount] = side === 0 ? [cost, size] : [size, cost]
    const tokenId = String(tokens[outcome])
    const terms = { salt, tokenId, makerAmount, takerAmount, feeRateBps: 0, side }
    return stage.sign(ownOrder(account, terms), key)
  }
  for (const key of Object.values(keys)) await stage.fund(accountOf(key), 10 * SHARE)
  const { exchange } = stage.at
  const settle = (taker: ReturnType<typeof order>, maker: ReturnType<typeof order>) =>
    stage.send(exchange, 'matchOrders', [tradeOf(++trades, taker, [[maker, 10 * SHARE]], 0)])
  await settle(order(keys.buyer, 0, 0, 600, 1), order(keys.other, 0, 1, 400, 2))
  const [buyer, other] = Object.values(keys).map(accountOf)
  assert.deepEqual((await desk.holdings(buyer)).slice(0, 2), [4 * SHARE, [10 * SHARE, 0]])
  assert.deepEqual((await desk.holdings(other)).slice(0, 2), [6 * SHARE, [0, 10 * SHARE]])
  await settle(order(keys.buyer, 1, 0, 700, 3), order(keys.other, 1, 1, 300, 4))
  assert.deepEqual((await desk.holdings(buyer)).slice(0, 2), [11 * SHARE, [0, 0]])
  assert.deepEqual((await desk.holdings(other)).slice(0, 2), [9 * SHARE, [0, 0]])
})

test('the largest group fits a transaction that resolves or converts it', { skip }, async () => {
  const desk = await Desk.open(50, 0, 1)
  const { gasUsed: converted } = await desk.convert(1, 1)
  const { gasUsed: resolved } = await desk.resolve(49)
  console.log(`50 children: ${converted} gas to convert, ${resolved} to resolve`)
  assert.ok(converted < TRANSACTION_GAS_MAX && resolved < TRANSACTION_GAS_MAX)
  const more = [0n, stringToHex('more'), 51n]
  await assertReverts(stage.send(stage.at.adapter, 'prepareGroup', more), 'ChildrenInvalid')
})

test('units of collateral that somebody got at the tokens themselves are unwrapped', {
  skip,
}, async () => {
  const desk = await Desk.open(2, 0, 10)
  const { adapter, tokens } = stage.at
  const [{ conditionId }] = desk.children
  const wrapped = getAddress(String(await stage.read(adapter, 'wrapped')))
  const whole = BigInt(10 * SHARE)
  const before = await stage.collateralOf(adapter)
  const merged = [wrapped, `0x${'00'.repeat(32)}`, conditionId, [1n, 2n], whole]
  await stage.send(tokens, 'mergePositions', merged, desk.holder)
  await stage.send(adapter, 'unwrap', [whole], desk.holder)
  assert.equal(await stage.collateralOf(desk.holder), whole)
  await assert.rejects(stage.send(adapter, 'unwrap', [1n], desk.holder))
  assert.equal(before - (await stage.collateralOf(adapter)), whole)
})

test('only operators prepare and resolve groups, and only children split', { skip }, async () => {
  const desk = await Desk.open(2, 0, 1)
  const { adapter, exchange } = stage.at
  const prepared = stage.send(adapter, 'prepareGroup', [0n, '0x01', 2n], desk.holder)
  await assertReverts(prepared, 'NotOperator')
  const resolved = stage.send(adapter, 'resolveGroup', [desk.groupId, 0n], desk.holder)
  await assertReverts(resolved, 'NotResolver')
  const unknown = `0x${'11'.repeat(32)}`
  await assertReverts(stage.send(adapter, 'splitPosition', [unknown, 1n]), 'ChildUnknown')
  await assertReverts(
    stage.send(exchange, 'registerChild', [desk.children[0].conditionId]),
    'TokenKnown',
  )
  await assertReverts(stage.send(exchange, 'registerChild', [unknown]), 'ChildUnknown')
})
