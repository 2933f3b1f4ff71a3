import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { encodeFunctionData, getAddress, hexToBytes, stringToHex } from 'viem'
import { compiledContracts } from '../../../server/build/contracts.ts'
import { accountOf, ownOrder } from '../../../server/edge/intake/order/client-order.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { EvmStage, OPERATOR, tradeOf } from '../../support/evm-stage.ts'
import { keyOf } from '../../support/exchange-client.ts'
import { at } from '../../support/json-path.ts'

// What trades cost, as the table of the documents has it: trades of 20 shares at 0.50 without a
// fee, between accounts that sign for themselves, and whose balances begin or end at zero. All
// makers of a trade are one account. The published figures beside it were measured so too.

const SIZE_RAW = 20_000_000
const COST_RAW = SIZE_RAW / 2
const BATCH = 16
/** As the exchange sends it. */
const GAS_EACH = 400_000n
/** Signatures and addresses with more or fewer zero bytes. */
const TOLERANCE = 0.01
const ENDLESS = 2n ** 256n - 1n
const PAGE = readFileSync(new URL('../../../server/docs/chain.md', import.meta.url), 'utf8')
const WAYS = ['complementary', 'mint', 'merge'] as const
type Way = (typeof WAYS)[number]
type Trade = ReturnType<typeof tradeOf>
const skip = anvilSkip
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

interface Market {
  readonly conditionId: string
  readonly tokens: Readonly<Record<'yes' | 'no', string>>
  readonly isChild: boolean
}

let count = 0
let trades = 0

async function marketOf(isChild: boolean): Promise<Market> {
  const { exchange, adapter } = stage.at
  const slug = `gas-${++count}`
  if (!isChild) {
    const tokens = await stage.prepareMarket(slug)
    const found = await stage.read(exchange, 'tokens', [BigInt(tokens.yes)])
    return { conditionId: String(at(found, 0)), tokens, isChild }
  }
  const metadata = stringToHex(slug)
  await stage.send(adapter, 'prepareGroup', [0n, metadata, 2n])
  const groupId = await stage.read(adapter, 'groupIdOf', [0n, metadata])
  const conditionId = String(await stage.read(adapter, 'conditionOf', [groupId, 0n]))
  const registered = await stage.send(exchange, 'registerChild', [conditionId])
  return { conditionId, tokens: stage.registered(registered), isChild }
}

class Account {
  readonly #key = keyOf(`gas ${++count}`)
  readonly address = getAddress(accountOf(this.#key))

  order({ tokens }: Market, outcome: 'yes' | 'no', isBuy: boolean, sizes: number) {
    const [sizeRaw, costRaw] = [SIZE_RAW * sizes, COST_RAW * sizes]
    const amounts = isBuy ? [costRaw, sizeRaw] : [sizeRaw, costRaw]
    const [makerAmount, takerAmount] = amounts
    const terms = { salt: ++count, tokenId: tokens[outcome], makerAmount, takerAmount }
    const order = ownOrder(this.address, { ...terms, feeRateBps: 0, side: isBuy ? 0 : 1 })
    return stage.sign(order, this.#key)
  }

  /** Receives just what its orders give: shares of one outcome, or collateral. */
  async receive(market: Market, outcome: 'yes' | 'no', isBuy: boolean, sizes: number) {
    const { collateral, tokens, adapter } = stage.at
    const sizeRaw = BigInt(SIZE_RAW * sizes)
    await stage.fund(this.address, isBuy ? COST_RAW * sizes : sizeRaw)
    if (isBuy) return
    const { conditionId, isChild } = market
    if (isChild) await stage.send(adapter, 'splitPosition', [conditionId, sizeRaw], this.address)
    else {
      await stage.send(collateral, 'approve', [tokens, ENDLESS], this.address)
      const pairs = [collateral, `0x${'00'.repeat(32)}`, conditionId, [1n, 2n], sizeRaw]
      await stage.send(tokens, 'splitPosition', pairs, this.address)
    }
    const other = BigInt(market.tokens[outcome === 'yes' ? 'no' : 'yes'])
    const given = [this.address, OPERATOR, other, sizeRaw, '0x']
    await stage.send(tokens, 'safeTransferFrom', given, this.address)
  }
}

async function tradeIn(market: Market, way: Way, makers: number): Promise<Trade> {
  const [taker, maker] = [new Account(), new Account()]
  const isBuy = way !== 'merge'
  const [outcome, isBid] =
    way === 'complementary' ? (['yes', false] as const) : (['no', isBuy] as const)
  await taker.receive(market, 'yes', isBuy, makers)
  await maker.receive(market, outcome, isBid, makers)
  const fills = Array.from({ length: makers }, () => {
    return [maker.order(market, outcome, isBid, 1), SIZE_RAW] as const
  })
  return tradeOf(++trades, taker.order(market, 'yes', isBuy, makers), fills, 0)
}

/** What a trade costs in one transaction, and without what any transaction costs. */
async function costOf(all: readonly Trade[]): Promise<[gas: number, call: number]> {
  const { abi } = compiledContracts().Exchange
  const args = [all, GAS_EACH]
  const { gasUsed, events } = await stage.send(stage.at.exchange, 'matchTrades', args)
  const settled = events.filter(({ eventName }) => eventName === 'TradeSettled')
  assert.equal(settled.length, all.length)
  const bytes = hexToBytes(encodeFunctionData({ abi, functionName: 'matchTrades', args }))
  const ofData = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0)
  const each = (gas: number) => Math.round(gas / all.length / 1000) * 1000
  return [each(Number(gasUsed)), each(Number(gasUsed) - 21_000 - ofData)]
}

function figuresIn(name: string): number[] {
  const line = PAGE.split('\n').find((each) => each.startsWith(`| ${name} |`))
  assert.ok(line !== undefined, `chain.md has a row ${name}`)
  const [, , gas, call] = line.split('|')
  return [gas, call].map((text) => Number(text.replaceAll(',', '')))
}

test('trades cost what the documents state', { skip }, async () => {
  const [plain, child] = [await marketOf(false), await marketOf(true)]
  // The first of many ids costs more.
  await costOf([await tradeIn(plain, 'mint', 1)])
  const rows: [name: string, market: Market, way: Way, makers: number, count: number][] = []
  for (const way of WAYS) {
    rows.push([`${way}, 1 maker`, plain, way, 1, 1])
    for (const makers of [2, 5]) rows.push([`${way}, ${makers} makers`, plain, way, makers, 1])
  }
  for (const way of WAYS) rows.push([`${way} in a group, 1 maker`, child, way, 1, 1])
  for (const way of WAYS) rows.push([`${way}, 1 maker, each of ${BATCH}`, plain, way, 1, BATCH])
  const wrong: string[] = []
  for (const [name, market, way, makers, length] of rows) {
    const all: Trade[] = []
    while (all.length < length) all.push(await tradeIn(market, way, makers))
    const found = await costOf(all)
    const stated = figuresIn(name)
    const isOff = found.some((gas, at) => !(Math.abs(gas - stated[at]) <= gas * TOLERANCE))
    if (isOff)
      wrong.push(`| ${name} | ${found.map((gas) => gas.toLocaleString('en')).join(' | ')} |`)
  }
  assert.deepEqual(wrong, [])
})
