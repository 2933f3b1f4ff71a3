import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getAddress, stringToHex } from 'viem'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { assertSame } from '../../support/anvil-funds.ts'
import { Reported } from '../../support/chain-desk.ts'
import {
  assertReconciled,
  fundTraders,
  RANDOM_ORDERS,
  randomTrades,
} from '../../support/chain-trades.ts'
import { EvmStage, FEE_RECEIVER, OWNER } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { FaultyRpc } from '../../support/faulty-rpc.ts'
import { textAt } from '../../support/json-path.ts'
import { type LiveExchange, startLive } from '../../support/live-exchange.ts'
import type { LiveMarket } from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { accepted } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// Groups of an exchange that settles on a chain: their ids are those of the adapter, trades of
// their markets are split and merged by it, and it pays them out.

const FUNDS_RAW = 1_000_000_000
const SHARES_RAW = 10_000_000
const RETRY_MS = 10_000
const TRIES = 4
const skip = anvilSkip
const random = new Random(freshSeed())
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

function groupOf(slug: string, names: readonly string[], fields: object = {}) {
  const markets = names.map((name) => ({ slug: `${slug}-${name}`, title: name }))
  return { slug, title: `Who wins ${slug}?`, markets, ...fields }
}

/** Creates a group; its markets in order. */
async function openGroup(live: LiveExchange, ...group: Parameters<typeof groupOf>) {
  const body = groupOf(...group)
  await accepted(live.admin('/admin/groups', body), 201)
  return Promise.all(body.markets.map(({ slug }) => live.marketOf(slug)))
}

function marketIn(live: LiveExchange, slug: string) {
  const market = live.exchange.pipeline.clearing.catalogue.bySlug(slug)
  assert.ok(market !== undefined)
  return market
}

/** An exchange with two traders who have collateral on the chain. */
async function opened(flags: readonly string[]) {
  const staged = await exchange({ flags, traders: ['ann', 'ben'] })
  await fundTraders(stage, staged.live, [staged.ann, staged.ben], FUNDS_RAW)
  return staged
}

/** Mints pairs; the id of the trade. */
async function minted(
  { live, ann, ben }: Awaited<ReturnType<typeof opened>>,
  market: LiveMarket,
): Promise<string> {
  const { body } = await live.trade(ann, ben, market, { ticks: 600, sizeRaw: SHARES_RAW })
  return textAt(body, 'execution', 'tradeEventId')
}

async function resolved(live: LiveExchange, slug: string, winner: string): Promise<void> {
  await accepted(live.admin(`/admin/groups/${slug}/resolve`, { winner }))
  await live.pass(LIMITS.payoutEveryMs)
}

/** The account that pays, once it sent something. */
function payerOf(live: LiveExchange) {
  const [sender] = live.exchange.pipeline.clearing.transactions.capture()
  return { address: getAddress(sender.account), nextNonce: sender.nextNonce }
}

/** As the adapter holds it. */
async function groupAt(negRiskId: string | undefined) {
  const found = await stage.read(stage.at.adapter, 'groups', [negRiskId])
  assert.ok(Array.isArray(found))
  const [feeBps, children, isResolved] = found
  return { feeBps: Number(feeBps), children: Number(children), isResolved: isResolved === true }
}

function numeratorsOf(conditionId: string) {
  const { tokens } = stage.at
  return Promise.all(
    [0n, 1n].map((index) => stage.read(tokens, 'payoutNumerators', [conditionId, index])),
  )
}

test('the contracts move what the ledger moved in markets of groups', { skip }, async () => {
  const flags = await stage.servedBy()
  const { live, ann, ben, cid, single } = await exchange({
    flags,
    traders: ['ann', 'ben', 'cid'],
    markets: ['single'],
  })
  const traders = [ann, ben, cid]
  await fundTraders(stage, live, traders, FUNDS_RAW)
  const reported = new Reported(live)
  const free = await openGroup(live, 'free', ['reds', 'blues', 'greens'])
  const costly = await openGroup(live, 'costly', ['sun', 'rain'], { fee: true, convertFeeBps: 150 })
  const children = [...free, ...costly]
  const markets = [...children, single]
  const trades = await randomTrades(live, traders, markets, random)
  assert.ok(trades.length > RANDOM_ORDERS / 10, `${trades.length} trades`)
  for (const id of trades) await reported.of(id, 'MINED')
  await assertReconciled(stage, live, traders, markets)
  const pairs = children.map(({ slug }) => marketIn(live, slug).conditionRaw)
  const pairsRaw = pairs.reduce((sum, raw) => sum + raw, 0)
  assert.equal(await stage.collateralOf(stage.at.adapter), BigInt(pairsRaw))
  const { clearing } = live.exchange.pipeline
  const named = await assertSame(stage, clearing)
  const held = clearing.ledger.rows.find(ann.profileId, marketIn(live, free[0].slug).marketId)
  assert.equal(named.includes(`YES of ${free[0].slug}`), held !== 0)
})

test('a group and its markets have the ids of the adapter', { skip }, async () => {
  const desk = await opened(await stage.servedBy())
  const { live } = desk
  const reported = new Reported(live)
  const markets = await openGroup(live, 'ids', ['one', 'two', 'three'], { convertFeeBps: 25 })
  const { adapter, exchange: address } = stage.at
  const { negRiskId, adapterAddress } = marketIn(live, 'ids')
  assert.equal(adapterAddress, getAddress(adapter))
  const metadata = stringToHex('ids')
  assert.equal(negRiskId, await stage.read(adapter, 'groupIdOf', [25n, metadata]))
  for (const [index, { slug, tokens }] of markets.entries()) {
    const { conditionId } = marketIn(live, slug)
    const onChain = await stage.read(adapter, 'conditionOf', [negRiskId, BigInt(index)])
    assert.equal(conditionId, onChain)
    await reported.of(await minted(desk, markets[index]), 'MINED')
    const [yes, no] = tokens
    const outcome = [conditionId, BigInt(no), true]
    assert.deepEqual(await stage.read(address, 'tokens', [BigInt(yes)]), outcome)
  }
  assert.deepEqual(await groupAt(negRiskId), { feeBps: 25, children: 3, isResolved: false })
})

test('a group that an operator prepared before is used', { skip }, async () => {
  const desk = await opened(await stage.servedBy())
  const { live, ann, ben } = desk
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const reported = new Reported(live)
  const [one, two] = await openGroup(live, 'known', ['one', 'two'])
  await stage.send(stage.at.adapter, 'prepareGroup', [0n, stringToHex('known'), 2n])
  const { conditionId } = marketIn(live, one.slug)
  await stage.send(stage.at.exchange, 'registerChild', [conditionId])
  for (const market of [one, two]) await reported.of(await minted(desk, market), 'MINED')
  await assertReconciled(stage, live, [ann, ben], [one, two], feesRaw)
  assert.equal(payerOf(live).nextNonce, 3, 'two trades and the registration of one market')
})

test('a group is paid out once, and its holders redeem by the adapter', { skip }, async () => {
  const desk = await opened(await stage.servedBy())
  const { live, ann, ben } = desk
  const { adapter } = stage.at
  const markets = await openGroup(live, 'paid', ['one', 'two', 'three'])
  const [one, two] = markets
  const after = await live.openMarket('after-paid')
  const reported = new Reported(live)
  for (const market of [one, two]) await reported.of(await minted(desk, market), 'MINED')
  const { negRiskId } = marketIn(live, 'paid')
  const conditions = markets.map(({ slug }) => marketIn(live, slug).conditionId)
  await resolved(live, 'paid', 'paid-two')
  await until(async () => (await groupAt(negRiskId)).isResolved)
  assert.deepEqual(await Promise.all(conditions.map(numeratorsOf)), [
    [0n, 1n],
    [1n, 0n],
    [0n, 1n],
  ])
  const balances = () => Promise.all([ann, ben].map(({ account }) => stage.collateralOf(account)))
  const before = await balances()
  for (const [index, { tokens }] of [one, two].entries()) {
    for (const { account } of [ann, ben]) {
      const held = await Promise.all(tokens.map((token) => stage.sharesOf(account, token)))
      const redeemed = [conditions[index], ...held]
      await stage.send(adapter, 'redeemPositions', redeemed, getAddress(account))
    }
  }
  // Ann has ten NO of each market and Ben ten YES; the second one won.
  const gained = (await balances()).map((raw, index) => raw - before[index])
  assert.deepEqual(gained, [BigInt(SHARES_RAW), BigInt(SHARES_RAW)])
  await until(() => live.exchange.pipeline.clearing.transactions.count === 0)
  const { nextNonce } = payerOf(live)
  await live.restart()
  const again = new Reported(live)
  // A look at the chain settles trades and then pays out, so the second trade is behind a payout.
  for (let count = 0; count < 2; count++) await again.of(await minted(desk, after), 'MINED')
  assert.equal(payerOf(live).nextNonce, nextNonce + 3, 'a registration and two trades')
  assert.equal(live.exchange.pipeline.mining?.port.trouble, null)
})

test('a payout waits for a resolver, and knows a winner that left memory', { skip }, async () => {
  const desk = await opened(await stage.servedBy())
  const { live } = desk
  const { adapter } = stage.at
  const [one, two] = await openGroup(live, 'late', ['one', 'two'])
  const reported = new Reported(live)
  await reported.of(await minted(desk, one), 'MINED')
  const { negRiskId } = marketIn(live, 'late')
  const { conditionId } = marketIn(live, two.slug)
  const { address } = payerOf(live)
  await stage.send(adapter, 'setResolver', [address, false], OWNER)
  await resolved(live, 'late', two.slug)
  const waits = new RegExp(`^Payouts wait: ${address} is no resolver of ${getAddress(adapter)};`)
  await until(() => live.warnings.some((sentence) => waits.test(sentence)))
  await live.pass(LIMITS.archiveEveryMs)
  await live.pass(LIMITS.archiveEveryMs)
  await live.archived(two.slug)
  await live.restart()
  assert.equal((await groupAt(negRiskId)).isResolved, false)
  await stage.send(adapter, 'setResolver', [address, true], OWNER)
  await until(async () => (await groupAt(negRiskId)).isResolved)
  assert.deepEqual(await numeratorsOf(conditionId), [1n, 0n])
})

test('payouts of a group that nobody wins wait for resolvers', { skip }, async () => {
  const { live } = await exchange({ flags: await stage.servedBy() })
  const markets = await openGroup(live, 'split', ['one', 'two'])
  const resolutions = markets.map(({ slug }) => {
    return { marketId: marketIn(live, slug).marketId, payoutNumerators: [1, 1] } as const
  })
  const { pipeline } = live.exchange
  assert.equal(await pipeline.change(() => ({ kind: 'resolveMarkets', resolutions })), null)
  await live.pass(LIMITS.payoutEveryMs)
  const waits = 'The payout of group split waits for resolvers: not exactly one of its markets won.'
  await until(() => live.warnings.includes(waits))
})

test('trades of a group wait while the key is no operator of the adapter', { skip }, async () => {
  const desk = await opened(await stage.servedBy())
  const { live, ann, ben } = desk
  const { adapter } = stage.at
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const [early] = await openGroup(live, 'early', ['one', 'two'])
  const [market] = await openGroup(live, 'stopped', ['one', 'two'])
  const reported = new Reported(live)
  await reported.of(await minted(desk, early), 'MINED')
  const { address } = payerOf(live)
  await stage.send(adapter, 'setOperator', [address, false], OWNER)
  const id = await minted(desk, market)
  const trouble = () => String(live.exchange.pipeline.mining?.port.trouble)
  await until(() => trouble().startsWith(`${address} is no operator of ${getAddress(adapter)};`))
  await stage.send(adapter, 'setOperator', [address, true], OWNER)
  await reported.of(id, 'MINED')
  await assertReconciled(stage, live, [ann, ben], [early, market], feesRaw)
})

test('trades in a group of another adapter are reversed', { skip }, async () => {
  const flags = await stage.servedBy()
  const addresses = flags.slice(flags.indexOf('--exchange-address'))
  const desk = await exchange({ flags: addresses, traders: ['ann', 'ben'], fundsRaw: 0 })
  const { live, ann, ben } = desk
  const [market] = await openGroup(live, 'embedded', ['one', 'two'])
  await live.restart({ flags })
  await fundTraders(stage, live, [ann, ben], FUNDS_RAW)
  const reported = new Reported(live)
  const before = [ann, ben].map((trader) => live.balances(trader).freeRaw)
  const id = await minted(desk, market)
  for (let tries = 1; tries < TRIES; tries++) {
    await reported.count('RETRYING', tries)
    await live.pass(RETRY_MS)
  }
  await reported.of(id, 'FAILED')
  assert.deepEqual(
    [ann, ben].map((trader) => live.balances(trader).freeRaw),
    before,
  )
})

test('groups that the chain cannot settle are refused', { skip }, async () => {
  const { live } = await exchange({ flags: await stage.servedBy() })
  const many = Array.from({ length: 51 }, (_, index) => `m${index}`)
  const adapterAddress = getAddress(stage.at.adapter)
  const single = { kind: 'clob', slug: 'single', title: 'Single?' }
  const rows = [
    [
      'groups',
      groupOf('big', many),
      /"markets","message":"has 51 .* an EVM chain takes 50; create/,
    ],
    ['groups', groupOf('small', ['one']), /"markets","message":"must have at least 2 items/],
    ['groups', groupOf('else', ['one', 'two'], { exchangeAddress: OWNER }), /"exchangeAddress"/],
    [
      'groups',
      groupOf('other', ['one', 'two'], { adapterAddress: OWNER }),
      new RegExp(`"adapterAddress","message":"of the chain is ${adapterAddress}; leave the field`),
    ],
    ['markets', { ...single, adapterAddress: OWNER }, /"adapterAddress","message":"of the chain/],
  ] as const
  for (const [path, body, sentence] of rows) {
    const { status, text } = await live.admin(`/admin/${path}`, body)
    assert.equal(status, 400, text)
    assert.match(text, sentence)
  }
  await openGroup(live, 'largest', many.slice(1), { adapterAddress })
  await live.openMarket('single', { adapterAddress })
})

test('groups are refused until the chain has answered', { skip }, async () => {
  const rpc = await FaultyRpc.open(stage.anvil.url, random)
  try {
    rpc.kinds = ['too many calls']
    rpc.share = 1
    const flags = await stage.servedBy({ 'chain-rpc': rpc.url })
    const { live } = await exchange({ flags })
    const group = groupOf('waiting', ['one', 'two'])
    const { status, text } = await live.admin('/admin/groups', group)
    assert.equal(status, 503, text)
    assert.match(text, /The chain has not answered since the start.*"code":"CHAIN_SILENT"/)
    const named = { ...group, adapterAddress: stage.at.adapter }
    const early = await live.admin('/admin/groups', named)
    assert.match(early.text, /of the chain is unknown until the chain answers; leave the field out/)
    rpc.share = 0
    await until(() => live.exchange.pipeline.mining?.port.groupAddresses !== null)
    await accepted(live.admin('/admin/groups', named), 201)
    await live.stop()
  } finally {
    await rpc.end()
  }
})

test('a start is refused when the exchange has no adapter of groups', { skip }, async () => {
  const { client } = stage.anvil
  const { adapter: address } = stage.at
  const flags = await stage.servedBy()
  const bytecode = await client.getCode({ address })
  assert.ok(bytecode !== undefined)
  await client.setCode({ address, bytecode: '0x' })
  await assert.rejects(startLive({ flags }), /has no adapter of groups; create one with outcomex/)
  await client.setCode({ address, bytecode })
})
