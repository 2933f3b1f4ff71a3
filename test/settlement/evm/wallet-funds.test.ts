import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Address, getAddress } from 'viem'
import { brokenInvariant } from '../../../engine/core/state/invariants.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { EvmStage, FEE_RECEIVER, OWNER } from '../../support/evm-stage.ts'
import { exchange, stopAndVerify } from '../../support/exchange.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import { type LiveMarket, signedFor, unsigned } from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { assertRefused } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// What owners do with their wallets beside the exchange: the ledger follows the chain.

const FUNDS_RAW = 1_000_000_000
const UNIT = 1_000_000
const STEPS = 120
const RETRY_MS = 1000
const NO_PARENT = `0x${'00'.repeat(32)}`
const BOTH = [1n, 2n]
const OUTSIDER = '0x00000000000000000000000000000000000000f1'
const skip = anvilSkip
const random = new Random(freshSeed())
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

const clearingOf = (live: LiveExchange) => live.exchange.pipeline.clearing

function marketOf(live: LiveExchange, { slug }: LiveMarket) {
  const market = clearingOf(live).catalogue.bySlug(slug)
  assert.ok(market !== undefined)
  return market
}

async function open<const M extends string>(markets: readonly M[], more = {}) {
  const flags = await stage.servedBy({ 'chain-retry-ms': RETRY_MS, ...more })
  const scene = await exchange({ flags, traders: ['ann', 'ben'], markets })
  await stage.fundAll(clearingOf(scene.live), [scene.ann, scene.ben], FUNDS_RAW)
  for (const slug of markets) await stage.prepareMarket(slug)
  return scene
}

/** What the owner of a wallet does without the exchange. */
class Owner {
  readonly account: string
  readonly #conditionId: string

  constructor({ account }: Pick<Trader, 'account'>, conditionId: string) {
    this.account = account
    this.#conditionId = conditionId
  }

  #call(address: Address, name: string, args: readonly unknown[]) {
    return stage.send(address, name, args, getAddress(this.account))
  }

  async split(raw: number): Promise<void> {
    const { collateral, tokens } = stage.at
    await this.#call(collateral, 'approve', [tokens, 2n ** 256n - 1n])
    await this.#call(tokens, 'splitPosition', this.#pairs(raw))
  }

  async merge(raw: number): Promise<void> {
    await this.#call(stage.at.tokens, 'mergePositions', this.#pairs(raw))
  }

  #pairs(raw: number) {
    return [stage.at.collateral, NO_PARENT, this.#conditionId, BOTH, BigInt(raw)]
  }

  async pay(to: string, raw: number): Promise<void> {
    await this.#call(stage.at.collateral, 'transfer', [to, BigInt(raw)])
  }

  async send(to: string, token: string, raw: number): Promise<void> {
    const args = [this.account, to, BigInt(token), BigInt(raw), '0x']
    await this.#call(stage.at.tokens, 'safeTransferFrom', args)
  }

  async redeem(): Promise<void> {
    const args = [stage.at.collateral, NO_PARENT, this.#conditionId, BOTH]
    await this.#call(stage.at.tokens, 'redeemPositions', args)
  }

  async approve(raw: bigint): Promise<void> {
    await this.#call(stage.at.collateral, 'approve', [stage.at.exchange, raw])
  }
}

function sharesOf(live: LiveExchange, { profileId }: Trader, market: LiveMarket): number[] {
  const { ledger } = clearingOf(live)
  const row = ledger.rows.find(profileId, marketOf(live, market).marketId) * 2
  return [0, 1].map((outcome) => ledger.sharesFreeRaw[row + outcome])
}

async function strategies(live: LiveExchange, trader: Trader): Promise<unknown[]> {
  const { body } = await live.call(trader, 'GET', '/portfolio/history?limit=20')
  const data = at(body, 'data')
  assert.ok(Array.isArray(data))
  return data.map((each) => [at(each, 'strategy'), at(each, 'collateralAmount')])
}

test('splits, merges and redemptions of an owner are those of the ledger', { skip }, async () => {
  const { live, ann, own } = await open(['own'])
  const { conditionId } = marketOf(live, own)
  const owner = new Owner(ann, conditionId)
  const free = () => live.balances(ann).freeRaw
  await owner.split(10 * UNIT)
  await until(() => free() === FUNDS_RAW - 10 * UNIT)
  assert.deepEqual(sharesOf(live, ann, own), [10 * UNIT, 10 * UNIT])
  await owner.merge(4 * UNIT)
  await until(() => free() === FUNDS_RAW - 6 * UNIT)
  await live.resolve('own', { payoutNumerators: [2, 1] })
  await live.pass(LIMITS.payoutEveryMs)
  await until(
    async () => (await stage.read(stage.at.tokens, 'payoutDenominator', [conditionId])) === 3n,
  )
  await owner.redeem()
  await until(() => free() === FUNDS_RAW)
  await until(async () => (await strategies(live, ann)).length === 3)
  assert.deepEqual(await strategies(live, ann), [
    ['Claim', '6'],
    ['Merge', '4'],
    ['Split', '10'],
  ])
  await stopAndVerify(live)
})

test('orders are canceled when their funds or their approval leave', { skip }, async () => {
  const { live, ann, ben, left } = await open(['left'])
  const [first, second] = [ann, ben].map(
    (each) => new Owner(each, marketOf(live, left).conditionId),
  )
  await live.place(ann, left, { ticks: 500 })
  await live.place(ben, left, { ticks: 400 })
  const openOf = ({ profileId }: Trader) => clearingOf(live).orders.live.of(profileId)
  await first.pay(OUTSIDER, FUNDS_RAW - 1)
  await until(() => openOf(ann) === 0)
  assert.deepEqual(live.balances(ann), { freeRaw: 1, reservedRaw: 0 })
  assert.equal(openOf(ben), 1)
  await second.approve(1n)
  await until(() => openOf(ben) === 0)
  assert.equal(live.balances(ben).freeRaw, FUNDS_RAW)
  const { text } = await live.call(ben, 'GET', '/markets/left/user-orders?statuses=CANCELLED')
  assert.match(text, /CANCEL/)
  assertRefused(await live.place(ben, left, { ticks: 400 }), 400, 'ALLOWANCE_TOO_SMALL')
  assertRefused(await live.place(ann, left, { ticks: 400 }), 400, 'INSUFFICIENT_COLLATERAL')
  await stopAndVerify(live)
})

test('the ledger alone moves nothing', { skip }, async () => {
  const { live, ann, held } = await open(['held'])
  const { conditionId } = marketOf(live, held)
  const amount = '1000000'
  for (const [path, body] of [
    ['/portfolio/split', { conditionId, amount }],
    ['/portfolio/merge', { conditionId, amount }],
    ['/portfolio/redeem', { conditionId }],
    ['/portfolio/withdraw', { amount, destination: ann.account }],
  ] as const) {
    const reply = await live.call(ann, 'POST', path, body)
    assert.ok(reply.status >= 400 && reply.status < 500, reply.text)
  }
  const deposit = { profileId: ann.profileId, collateralRaw: UNIT }
  assertRefused(await live.admin('/admin/balances', deposit), 409, 'HELD_BY_WALLETS')
  assert.equal(live.balances(ann).freeRaw, FUNDS_RAW)
  await stopAndVerify(live)
})

test('the log warns when the account that pays has few coins', { skip }, async () => {
  const { live } = await open(['coins'], { 'chain-coin-min': 1_000_000_000 })
  await until(() => live.warnings.length > 0)
  assert.match(
    live.warnings[0],
    /^0x\w+ pays for transactions and has 1000 of the chain's coin left/,
  )
  assert.equal(await live.gauge('outcomex_chain_coin'), 1000)
})

test('orders are refused while the newest block is old', { skip }, async () => {
  const { live, ann, old } = await open(['old'], { 'chain-behind-ms': 60_000 })
  await stage.anvil.client.mine({ blocks: 1 })
  await until(async () => (await live.place(ann, old, { ticks: 300 })).status === 201)
  await live.pass(61_000)
  const reply = await live.place(ann, old, { ticks: 300 })
  assertRefused(reply, 503, 'CHAIN_BEHIND')
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
  await stopAndVerify(live)
})

test('a final block that is replaced stops the settlement, not trading', { skip }, async () => {
  const { live, ann, ben, forked } = await open(['forked'])
  const { anvil } = stage
  const trouble = () => live.exchange.pipeline.mining?.port.trouble ?? null
  await stage.send(stage.at.collateral, 'mint', [getAddress(ann.account), 1n], OWNER)
  await until(() => live.balances(ann).freeRaw === FUNDS_RAW + 1)
  assert.equal(trouble(), null)
  await anvil.request('anvil_reorg', 1, [])
  await anvil.client.mine({ blocks: 1 })
  await until(() => trouble() !== null)
  assert.match(String(trouble()), /the chain replaced block \d+, which had all its confirmations/)
  const { body } = await live.trade(ann, ben, forked, { ticks: 600 })
  assert.ok(textAt(body, 'execution', 'tradeEventId'))
  await stopAndVerify(live)
})

/** A step of an owner; those that the chain refuses change nothing. */
async function act(owners: readonly Owner[], tokens: readonly string[]): Promise<void> {
  const owner = random.pick(owners)
  const raw = random.between(1, 40 * UNIT)
  const to = random.pick([...owners.map(({ account }) => account), OUTSIDER])
  const steps = [
    () => owner.split(raw),
    () => owner.merge(raw),
    () => owner.pay(to, raw),
    () => owner.send(to, random.pick(tokens), raw),
    () => owner.approve(random.pick([0n, BigInt(random.between(1, 100 * UNIT)), 2n ** 255n])),
  ]
  await random
    .pick(steps)()
    .catch(() => {})
}

async function order(live: LiveExchange, trader: Trader, market: LiveMarket): Promise<void> {
  const terms = {
    side: random.pick(['buy', 'sell'] as const),
    outcome: random.pick([0, 1] as const),
    ticks: random.between(450, 550),
    sizeRaw: random.between(1, 20_000) * 1000,
  }
  const { status, text } = await live.call(trader, 'POST', '/orders', {
    order: signedFor(unsigned(trader, market, terms), trader, market),
    orderType: random.pick(['GTC', 'FAK']),
    ownerId: trader.profileId,
    marketSlug: market.slug,
  })
  assert.ok(status === 201 || status === 400, text)
}

test('random owners and traders leave ledger and chain the same', { skip }, async () => {
  const { live, ann, ben, wild } = await open(['wild'])
  const traders = [ann, ben]
  const { conditionId, marketId } = marketOf(live, wild)
  const owners = traders.map((trader) => new Owner(trader, conditionId))
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  for (let step = 0; step < STEPS; step++) {
    if (random.chance(0.4)) await act(owners, wild.tokens)
    else await order(live, random.pick(traders), wild)
    if (random.chance(0.03)) await live.restart()
  }
  const reported = new Reported(live)
  assert.equal(reported.blocks.length, 0)
  await until(async () => {
    await live.pass(RETRY_MS)
    return live.exchange.pipeline.mining?.waitingCount === 0
  })
  const { number } = await stage.anvil.client.getBlock()
  await stage.send(stage.at.collateral, 'mint', [getAddress(ann.account), 7n], OWNER)
  await until(() => (clearingOf(live).chainFunds.place?.block ?? 0) > number)
  await stage.assertReconciled(
    clearingOf(live),
    traders,
    [{ id: marketId, tokens: wild.tokens }],
    feesRaw,
  )
  assert.equal(brokenInvariant(clearingOf(live)), null)
  await stopAndVerify(live)
})
