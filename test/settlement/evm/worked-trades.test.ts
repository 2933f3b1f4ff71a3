import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Address, getAddress, type Hex, keccak256, toHex } from 'viem'
import {
  accountOf,
  type ClientOrder,
  ownOrder,
} from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import {
  assertReverts,
  EvmStage,
  FEE_RECEIVER,
  OPERATOR,
  OWNER,
  RESOLVER,
  tradeOf,
  tupleOf,
} from '../../support/evm-stage.ts'
import { keyOf } from '../../support/exchange-client.ts'
import { at } from '../../support/json-path.ts'

// The worked fills of rules §2.6 and §2.4 as the contract settles them, and what it refuses.

const SHARE = 1_000_000
const FEE_BPS = 300
const GAS_EACH = 1_000_000n

/** Opened by the first test that runs. */
let stage: EvmStage
after(() => stage?.end())

interface Wanted {
  readonly name: string
  readonly side: 'buy' | 'sell'
  readonly outcome: 'yes' | 'no'
  readonly shares: number
  /** In thousandths; absent for a market order. */
  readonly ticks?: number
  /** Collateral of a market buy. */
  readonly spendRaw?: number
  readonly nonce?: number
}

let markets = 0
let trades = 0

/** A market of its own, with traders who hold what each test gives them. */
class Floor {
  readonly #tokens: Readonly<Record<'yes' | 'no', string>>
  readonly #slug: string
  #salt = 1

  private constructor(slug: string, tokens: Floor['tokens']) {
    this.#slug = slug
    this.#tokens = tokens
  }

  static async open(): Promise<Floor> {
    stage ??= await EvmStage.open()
    const slug = `floor-${++markets}`
    const { yes, no } = await stage.prepareMarket(slug)
    return new Floor(slug, { yes, no })
  }

  get questionId(): Hex {
    return keccak256(toHex(this.#slug))
  }

  get tokens(): Readonly<Record<'yes' | 'no', string>> {
    return this.#tokens
  }

  #keyOf(name: string): Uint8Array {
    return keyOf(`${this.#slug} ${name}`)
  }

  account(name: string): string {
    return accountOf(this.#keyOf(name))
  }

  address(name: string): Address {
    return getAddress(this.account(name))
  }

  /** Gives a trader collateral, and shares of one outcome. */
  async gives(name: string, units: number, yes = 0, no = 0): Promise<void> {
    const account = this.address(name)
    const pairs = Math.max(yes, no)
    await stage.fund(account, (units + pairs) * SHARE)
    if (pairs === 0) return
    const { collateral, tokens, exchange } = stage.at
    await stage.send(collateral, 'approve', [tokens, 2n ** 256n - 1n], account)
    const conditionId = await stage.read(exchange, 'tokens', [BigInt(this.#tokens.yes)])
    const split = [collateral, `0x${'00'.repeat(32)}`, at(conditionId, 0), [1n, 2n]]
    await stage.send(tokens, 'splitPosition', [...split, BigInt(pairs * SHARE)], account)
    for (const [outcome, kept] of [
      ['yes', yes],
      ['no', no],
    ] as const) {
      const rest = BigInt((pairs - kept) * SHARE)
      const args = [account, OPERATOR, BigInt(this.#tokens[outcome]), rest, '0x']
      await stage.send(tokens, 'safeTransferFrom', args, account)
    }
  }

  order({ name, side, outcome, shares, ticks, spendRaw, nonce = 0 }: Wanted): ClientOrder {
    const account = this.account(name)
    const sizeRaw = Math.round(shares * SHARE)
    const costRaw = ((ticks ?? 0) * sizeRaw) / 1000
    const limit = side === 'buy' ? [costRaw, sizeRaw] : [sizeRaw, costRaw]
    const market = [spendRaw ?? sizeRaw, 1]
    const [makerAmount, takerAmount] = ticks === undefined ? market : limit
    const terms = {
      salt: this.#salt++,
      tokenId: this.#tokens[outcome],
      makerAmount,
      takerAmount,
      feeRateBps: FEE_BPS,
      side: side === 'buy' ? 0 : 1,
    }
    return stage.sign({ ...ownOrder(account, terms), nonce }, this.#keyOf(name))
  }

  /** What traders hold, raw: collateral, YES and NO. */
  async holdings(...names: readonly string[]): Promise<number[][]> {
    return Promise.all(names.map((name) => holdingsOf(this.account(name), this.#tokens)))
  }
}

async function holdingsOf(account: string, { yes, no }: Floor['tokens']): Promise<number[]> {
  const all = [
    stage.collateralOf(account),
    stage.sharesOf(account, yes),
    stage.sharesOf(account, no),
  ]
  return (await Promise.all(all)).map(Number)
}

type Fills = Parameters<typeof tradeOf>[2]

const settle = (taker: ClientOrder, makers: Fills, feeRaw: number, from = OPERATOR) =>
  stage.send(stage.at.exchange, 'matchOrders', [tradeOf(++trades, taker, makers, feeRaw)], from)

const hashOf = (order: ClientOrder) => stage.read(stage.at.exchange, 'hashOrder', [tupleOf(order)])

const skip = anvilSkip

/** Code that never ends, and code that reverts with 100 kB. */
const [LOOPS, BURSTS] = ['5b600f56', '620190006000fd']

/** The code of a wallet that takes every signature, and does `end` at any other call. */
function hostileWallet(end: string): Hex {
  const selector = '60003560e01c631626ba7e14'
  const answers = '5b631626ba7e60e01b60005260206000f3'
  const at = selector.length / 2 + 3 + end.length / 2
  return `0x${selector}60${at.toString(16)}57${end}${answers}`
}

test('a complementary fill moves at the price of the maker', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 100)
  await floor.gives('taker', 75)
  const maker = floor.order({
    name: 'maker',
    side: 'sell',
    outcome: 'yes',
    shares: 100,
    ticks: 450,
  })
  const taker = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 150, ticks: 500 })
  await settle(taker, [[maker, 100 * SHARE]], 3 * SHARE)
  assert.deepEqual(await floor.holdings('maker', 'taker'), [
    [45 * SHARE, 0, 0],
    [30 * SHARE, 97 * SHARE, 0],
  ])
  assert.equal(await stage.sharesOf(FEE_RECEIVER, floor.tokens.yes), BigInt(3 * SHARE))
})

test('two buyers of opposite outcomes mint a pair', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 80)
  await floor.gives('taker', 97.5)
  const maker = floor.order({ name: 'maker', side: 'buy', outcome: 'no', shares: 200, ticks: 400 })
  const taker = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 150, ticks: 650 })
  await settle(taker, [[maker, 150 * SHARE]], 3 * SHARE)
  assert.deepEqual(await floor.holdings('maker', 'taker'), [
    [20 * SHARE, 0, 150 * SHARE],
    [7.5 * SHARE, 147 * SHARE, 0],
  ])
})

test('two sellers of opposite outcomes merge a pair', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 0, 80)
  await floor.gives('taker', 0, 100)
  const maker = floor.order({ name: 'maker', side: 'sell', outcome: 'no', shares: 80, ticks: 350 })
  const taker = floor.order({
    name: 'taker',
    side: 'sell',
    outcome: 'yes',
    shares: 100,
    ticks: 600,
  })
  const before = await stage.collateralOf(FEE_RECEIVER)
  await settle(taker, [[maker, 80 * SHARE]], 840_000)
  assert.deepEqual(await floor.holdings('maker', 'taker'), [
    [28 * SHARE, 0, 0],
    [51_160_000, 20 * SHARE, 0],
  ])
  assert.equal((await stage.collateralOf(FEE_RECEIVER)) - before, 840_000n)
})

test('a taker over two levels pays one fee on its average price', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('ann', 0, 100)
  await floor.gives('ben', 22.5)
  await floor.gives('taker', 110)
  const ann = floor.order({ name: 'ann', side: 'sell', outcome: 'yes', shares: 100, ticks: 520 })
  const ben = floor.order({ name: 'ben', side: 'buy', outcome: 'no', shares: 50, ticks: 450 })
  const taker = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 200, ticks: 550 })
  const fills: Fills = [
    [ann, 100 * SHARE],
    [ben, 50 * SHARE],
  ]
  await assertReverts(settle(taker, fills, 3_990_567), 'FeeTooHigh')
  await settle(taker, fills, 3_990_566)
  assert.deepEqual(await floor.holdings('ann', 'ben', 'taker'), [
    [52 * SHARE, 0, 0],
    [0, 0, 50 * SHARE],
    [30.5 * SHARE, 146_009_434, 0],
  ])
})

test('market orders trade odd sizes, and only whole', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 10, 10)
  await floor.gives('taker', 1, 20)
  const ask = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 10, ticks: 300 })
  const spends = { name: 'taker', side: 'buy', outcome: 'yes', shares: 0, spendRaw: SHARE } as const
  const buys = floor.order(spends)
  await assertReverts(settle(buys, [[ask, 3_333_000]], 0), 'Overfilled')
  await settle(buys, [[ask, 3_333_333]], 99_999)
  assert.deepEqual(await floor.holdings('maker', 'taker'), [
    [11 * SHARE, 6_666_667, 0],
    [0, 20 * SHARE + 3_233_334, 0],
  ])
  const bid = floor.order({ name: 'maker', side: 'buy', outcome: 'yes', shares: 20, ticks: 370 })
  const sale = floor.order({ name: 'taker', side: 'sell', outcome: 'yes', shares: 12.345678 })
  await settle(sale, [[bid, 12_345_678]], 137_037)
  const [[, ,], [takerRaw]] = await floor.holdings('maker', 'taker')
  assert.equal(takerRaw, 4_430_863)
})

test('the operator cannot exceed what was signed', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 100, 100)
  await floor.gives('taker', 100)
  const ask = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 10, ticks: 500 })
  const bid = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 20, ticks: 500 })
  const low = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 20, ticks: 499 })
  const own = floor.order({ name: 'maker', side: 'buy', outcome: 'yes', shares: 20, ticks: 500 })
  const other = floor.order({ name: 'maker', side: 'buy', outcome: 'yes', shares: 20, ticks: 500 })
  await assertReverts(settle(bid, [[ask, 10 * SHARE]], 0, floor.address('maker')), 'NotOperator')
  await assertReverts(settle(low, [[ask, 10 * SHARE]], 0), 'NotCrossing')
  await assertReverts(settle(bid, [[other, 10 * SHARE]], 0), 'NotCrossing')
  await assertReverts(settle(own, [[ask, 10 * SHARE]], 0), 'SelfTrade')
  await assertReverts(settle(bid, [[ask, 10 * SHARE + 1000]], 0), 'Overfilled')
  await assertReverts(settle(bid, [[ask, SHARE + 1]], 0), 'AmountsInvalid')
  await assertReverts(settle(bid, [[ask, 0]], 0), 'NothingFilled')
  await assertReverts(settle(bid, [], 0), 'NothingFilled')
  await settle(bid, [[ask, 10 * SHARE]], 0)
  await assertReverts(settle(bid, [[ask, 1000]], 0), 'Overfilled')
  const foreign = await Floor.open()
  const elsewhere = foreign.order({
    name: 'maker',
    side: 'sell',
    outcome: 'yes',
    shares: 10,
    ticks: 500,
  })
  await assertReverts(settle(bid, [[elsewhere, SHARE]], 0), 'TokenUnknown')
})

test('a trade is settled once, and none after the payout', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 100)
  await floor.gives('taker', 100)
  const ask = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 100, ticks: 500 })
  const bid = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 100, ticks: 500 })
  const { exchange } = stage.at
  const trade = tradeOf(++trades, bid, [[ask, SHARE]], 0)
  await stage.send(exchange, 'matchOrders', [trade])
  await assertReverts(stage.send(exchange, 'matchOrders', [trade]), 'TradeKnown')
  const payout = [floor.questionId, 1n, 0n]
  await assertReverts(stage.send(exchange, 'reportPayouts', payout), 'NotResolver')
  await stage.send(exchange, 'reportPayouts', payout, RESOLVER)
  await assertReverts(settle(bid, [[ask, SHARE]], 0), 'MarketResolved')
  const filled = stage.send(exchange, 'fillOrder', [tupleOf(bid), BigInt(SHARE)])
  await assertReverts(filled, 'MarketResolved')
})

test('a market can be prepared whoever prepared its condition before', { skip }, async () => {
  stage ??= await EvmStage.open()
  const { exchange, tokens } = stage.at
  const slug = `floor-${++markets}`
  const prepared = [exchange, keccak256(toHex(slug)), 2n]
  await stage.send(tokens, 'prepareCondition', prepared, FEE_RECEIVER)
  const { yes, no } = await stage.prepareMarket(slug)
  assert.notEqual(yes, no)
  await assertReverts(stage.prepareMarket(slug), 'TokenKnown')
})

test('a maker withdraws an order, or all, on the chain', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 100)
  await floor.gives('taker', 100)
  const { exchange } = stage.at
  const ask = (nonce: number) =>
    floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 10, ticks: 500, nonce })
  const bid = floor.order({ name: 'taker', side: 'buy', outcome: 'yes', shares: 20, ticks: 500 })
  const [first, second] = [ask(0), ask(0)]
  const maker = floor.address('maker')
  const stranger = floor.address('taker')
  await assertReverts(stage.send(exchange, 'cancelOrder', [tupleOf(first)], stranger), 'NotYours')
  const named = { ...first, signer: stranger }
  await stage.send(exchange, 'cancelOrder', [tupleOf(named)], stranger)
  assert.equal(await stage.read(exchange, 'filled', [await hashOf(first)]), 0n, 'another order')
  await stage.send(exchange, 'cancelOrder', [tupleOf(first)], maker)
  await assertReverts(settle(bid, [[first, SHARE]], 0), 'Overfilled')
  await settle(bid, [[second, SHARE]], 0)
  await stage.send(exchange, 'incrementNonce', [], maker)
  await assertReverts(settle(bid, [[second, SHARE]], 0), 'NonceInvalid')
  await settle(bid, [[ask(1), SHARE]], 0)
})

test('what is wrong with a trade does not stop the others; a pause stops all', {
  skip,
}, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 100)
  await floor.gives('taker', 6)
  const ask = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 100, ticks: 500 })
  const [first, second, third] = [1, 2, 3].map(() => ++trades)
  const batch = [first, second, third].map((id) => {
    const shares = id === second ? 10 : 5
    const common = { name: 'taker', side: 'buy', outcome: 'yes', shares, ticks: 500 } as const
    return tradeOf(id, floor.order(common), [[ask, shares * SHARE]], 0)
  })
  const { exchange } = stage.at
  const { events } = await stage.send(exchange, 'matchTrades', [batch, GAS_EACH])
  const shown = events.flatMap(({ eventName, args }) =>
    eventName.startsWith('Trade') ? [[eventName, Number(at(args, 'id'))]] : [],
  )
  assert.deepEqual(shown, [
    ['TradeSettled', first],
    ['TradeFailed', second],
    ['TradeSettled', third],
  ])
  assert.deepEqual(await floor.holdings('taker'), [[SHARE, 10 * SHARE, 0]])
  const outsider = floor.address('taker')
  await assertReverts(stage.send(exchange, 'pause', [], outsider), 'NotOwner')
  await stage.send(exchange, 'pause', [])
  await assertReverts(stage.send(exchange, 'matchTrades', [batch, GAS_EACH]), 'Paused')
  await assertReverts(stage.send(exchange, 'unpause', []), 'NotOwner')
  await stage.send(exchange, 'unpause', [], OWNER)
  await assertReverts(stage.send(exchange, 'settle', [batch[0]]), 'NotSelf')
})

test('a wallet that burns gas, or bursts with its reason, fails its own trade only', {
  skip,
}, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 0, 100)
  await floor.gives('taker', 50)
  const ask = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 100, ticks: 500 })
  const common = { name: 'taker', side: 'buy', outcome: 'yes', shares: 10, ticks: 500 } as const
  const { client } = stage.anvil
  for (const [index, end] of [LOOPS, BURSTS].entries()) {
    const wallet = getAddress(`0x${(0xbad0 + index).toString(16).padStart(40, '0')}`)
    await client.setCode({ address: wallet, bytecode: hostileWallet(end) })
    await stage.fund(wallet, 50 * SHARE)
    const hostile = { ...floor.order(common), maker: wallet, signer: wallet, signatureType: 3 }
    const batch = [hostile, floor.order(common)].map((taker) => {
      return tradeOf(++trades, taker, [[ask, 10 * SHARE]], 0)
    })
    const { exchange } = stage.at
    const { events, gasUsed } = await stage.send(exchange, 'matchTrades', [batch, GAS_EACH])
    const shown = events.flatMap(({ eventName }) => (/^Trade/.test(eventName) ? [eventName] : []))
    assert.deepEqual(shown, ['TradeFailed', 'TradeSettled'])
    assert.ok(gasUsed < 3n * GAS_EACH)
    const failed = events.find(({ eventName }) => eventName === 'TradeFailed')
    assert.ok(String(at(failed?.args, 'reason')).length <= 2 + 2 * 256)
    assert.equal(await stage.collateralOf(wallet), BigInt(50 * SHARE))
  }
  const many = [tradeOf(++trades, floor.order(common), [[ask, 10 * SHARE]], 0)]
  const greedy = stage.send(stage.at.exchange, 'matchTrades', [many, 10n ** 9n])
  await assertReverts(greedy, 'GasTooLow')
})

test('the operator fills an order from its own funds', { skip }, async () => {
  const floor = await Floor.open()
  await floor.gives('maker', 50, 10)
  const { exchange } = stage.at
  await stage.fund(OPERATOR, 100 * SHARE)
  const sale = floor.order({ name: 'maker', side: 'sell', outcome: 'yes', shares: 10, ticks: 400 })
  await stage.send(exchange, 'fillOrder', [tupleOf(sale), BigInt(4 * SHARE)])
  assert.deepEqual(await floor.holdings('maker'), [[51_600_000, 6 * SHARE, 0]])
  const buy = floor.order({ name: 'maker', side: 'buy', outcome: 'yes', shares: 4, ticks: 300 })
  await stage.send(exchange, 'fillOrder', [tupleOf(buy), BigInt(4 * SHARE)])
  assert.deepEqual(await floor.holdings('maker'), [[50_400_000, 10 * SHARE, 0]])
  await assertReverts(stage.send(exchange, 'fillOrder', [tupleOf(buy), 1000n]), 'Overfilled')
})
