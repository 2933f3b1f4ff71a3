import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getAddress } from 'viem'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported } from '../../support/chain-desk.ts'
import { assertReconciled, fundTraders } from '../../support/chain-trades.ts'
import { runSample, samplesWith } from '../../support/client-samples.ts'
import { EvmStage, FEE_RECEIVER, PUBLIC_PLACES } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { FaultyRpc } from '../../support/faulty-rpc.ts'
import { at, textAt } from '../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../support/live-exchange.ts'
import type { LiveMarket } from '../../support/live-orders.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { accepted, assertRefused } from '../../support/replies.ts'
import { until } from '../../support/until.ts'

// The approvals in the README of the public client are all that a wallet needs to trade. The token
// contracts are where the client looks for them; the API states the other addresses.

const FUNDS_RAW = 1_000_000_000
const SHARES_RAW = 10_000_000
const skip = anvilSkip
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open(PUBLIC_PLACES)
})
after(() => stage?.end())

/** What the sample takes for granted; its market is a literal. */
const GIVEN = `
import { HttpClient } from '@limitless-exchange/sdk'
const { API_URL: baseURL, RPC_URL, PRIVATE_KEY } = process.env
const marketFetcher = new MarketFetcher(new HttpClient({ baseURL }))
// The provider keeps answers for a moment, and this chain has a new nonce sooner.
const provider = new ethers.JsonRpcProvider(RPC_URL, undefined, { cacheTimeout: -1 })
const wallet = new ethers.Wallet(PRIVATE_KEY, provider)
`

async function approveAsClient(live: LiveExchange, { key }: Trader, slug: string): Promise<void> {
  const [sample, ...others] = samplesWith('setApprovalForAll')
  assert.deepEqual(others, [])
  await runSample(GIVEN + sample.replace("'market-slug'", `'${slug}'`), {
    API_URL: `http://127.0.0.1:${live.port}`,
    RPC_URL: stage.anvil.url,
    PRIVATE_KEY: `0x${Buffer.from(key).toString('hex')}`,
  })
}

/** A trader whose wallet holds collateral, and coin for gas, and approved nothing. */
async function newcomer(live: LiveExchange): Promise<Trader> {
  const trader = await live.trader(0)
  await stage.giveCoin(trader.account)
  await stage.send(stage.at.collateral, 'mint', [getAddress(trader.account), BigInt(FUNDS_RAW)])
  await until(() => live.balances(trader).freeRaw === FUNDS_RAW)
  return trader
}

/** Waits until the exchange has seen both approvals. */
function whenApproved(live: LiveExchange, { profileId }: Trader): Promise<void> {
  const { chainFunds } = live.exchange.pipeline.clearing
  return until(() => {
    const { collateralRaw = 0, ofShares = false } = chainFunds.allowanceOf(profileId) ?? {}
    return collateralRaw > FUNDS_RAW && ofShares
  })
}

async function spendersOf({ account }: Trader): Promise<unknown[]> {
  const { tokens, exchange: address, adapter } = stage.at
  const isApproved = (spender: string) => stage.read(tokens, 'isApprovedForAll', [account, spender])
  return [await isApproved(address), await isApproved(adapter)]
}

interface Desk {
  readonly live: LiveExchange
  readonly reported: Reported
  readonly trader: Trader
  readonly other: Trader
}

/** Mints and merges with the other trader, then buys from it and sells to it. */
async function tradeBothWays({ live, reported, trader, other }: Desk, market: LiveMarket) {
  const mined = async (outcome: 0 | 1, side: 'buy' | 'sell', against: 'buy' | 'sell') => {
    const isPair = side === against
    const rest = { side: against, sizeRaw: SHARES_RAW, ticks: isPair ? 400 : 600 }
    await live.placed(other, market, { ...rest, outcome: isPair ? 1 : outcome })
    const order = { side, outcome, ticks: 600, sizeRaw: SHARES_RAW }
    const { body } = await live.placed(trader, market, order)
    await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  }
  await mined(0, 'buy', 'buy')
  await mined(0, 'sell', 'buy')
  await mined(0, 'buy', 'sell')
  await mined(0, 'sell', 'sell')
}

async function opened() {
  const staged = await exchange({ flags: await stage.servedBy(), traders: ['other'] })
  const { live, other } = staged
  await fundTraders(stage, live, [other], FUNDS_RAW)
  const names = ['reds', 'blues', 'greens'].map((name) => ({ slug: `cup-${name}`, title: name }))
  const group = { slug: 'cup', title: 'Who wins the cup?', markets: names }
  await accepted(live.admin('/admin/groups', group), 201)
  const single = await live.openMarket('single')
  const child = await live.marketOf('cup-blues')
  return { live, other, single, child, reported: new Reported(live) }
}

test('a wallet that the client approved trades in markets and in groups', { skip }, async () => {
  const { live, other, single, child, reported } = await opened()
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  const trader = await newcomer(live)
  assertRefused(await live.place(trader, single), 400, 'ALLOWANCE_TOO_SMALL')
  await approveAsClient(live, trader, single.slug)
  await whenApproved(live, trader)
  assert.deepEqual(await spendersOf(trader), [true, false])
  const desk = { live, reported, trader, other }
  await tradeBothWays(desk, single)
  // The exchange contract splits and merges by the adapter itself.
  await tradeBothWays(desk, child)
  await assertReconciled(stage, live, [trader, other], [single, child], feesRaw)
})

test('the client approves the adapter of a group, which then converts', { skip }, async () => {
  const { live, other, child, reported } = await opened()
  const trader = await newcomer(live)
  await approveAsClient(live, trader, child.slug)
  await whenApproved(live, trader)
  assert.deepEqual(await spendersOf(trader), [true, true])
  await tradeBothWays({ live, reported, trader, other }, child)
  const { body } = await live.trade(trader, other, child, { ticks: 400, sizeRaw: SHARES_RAW })
  await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  const market = live.exchange.pipeline.clearing.catalogue.bySlug('cup')
  const amount = BigInt(SHARES_RAW)
  const args = [market?.negRiskId, 2n, amount]
  await stage.send(stage.at.adapter, 'convertPositions', args, getAddress(trader.account))
  const reds = await live.marketOf('cup-reds')
  assert.equal(await stage.sharesOf(trader.account, reds.tokens[0]), amount)
  const { ledger, catalogue } = live.exchange.pipeline.clearing
  const redsId = catalogue.bySlug('cup-reds')?.marketId ?? 0
  await until(() => ledger.freeSharesRaw(trader.profileId, redsId, 0) === SHARES_RAW)
})

test('the exchange states where shares are once the chain has answered', { skip }, async () => {
  const own = await EvmStage.open()
  const rpc = await FaultyRpc.open(own.anvil.url, new Random(freshSeed()))
  try {
    rpc.kinds = ['too many calls']
    rpc.share = 1
    const { live } = await exchange({ flags: await own.servedBy({ 'chain-rpc': rpc.url }) })
    const stated = async () => at((await live.send('GET', '/exchange-info')).body, 'chain')
    const { exchange: address, collateral, tokens } = own.at
    assert.equal(textAt(await stated(), 'exchange'), getAddress(address))
    assert.equal(textAt(await stated(), 'collateral', 'address'), getAddress(collateral))
    assert.equal(at(await stated(), 'conditionalTokens'), undefined)
    rpc.share = 0
    await until(async () => at(await stated(), 'conditionalTokens') === getAddress(tokens))
    await live.stop()
  } finally {
    await rpc.end()
    await own.end()
  }
})
