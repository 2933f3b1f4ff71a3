import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { getAddress, type Hex, isHex } from 'viem'
import type { CapturedTransactions } from '../../../engine/core/money/chain-transactions.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { anvilSkip } from '../../support/anvil.ts'
import { Reported, shown } from '../../support/chain-desk.ts'
import {
  assertReconciled,
  fundTraders,
  RANDOM_ORDERS,
  randomTrades,
} from '../../support/chain-trades.ts'
import { newFolder } from '../../support/data-folder.ts'
import { EvmStage, FEE_RECEIVER, OWNER } from '../../support/evm-stage.ts'
import { exchange } from '../../support/exchange.ts'
import { FaultyRpc } from '../../support/faulty-rpc.ts'
import { textAt } from '../../support/json-path.ts'
import { startLive, type Trader } from '../../support/live-exchange.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { until } from '../../support/until.ts'

// Random trades of an exchange that settles on a chain: afterwards every account has in its wallet
// what the ledger says, to the raw unit.

const FUNDS_RAW = 1_000_000_000
const TRIES = 4
const RETRY_MS = 10_000
const skip = anvilSkip
const random = new Random(freshSeed())
let stage: EvmStage
before(async () => {
  if (skip === false) stage = await EvmStage.open()
})
after(() => stage?.end())

/** Whether each transaction that waits has a second attempt. */
function isRepeated(senders: CapturedTransactions): boolean {
  return senders.every(({ sent }) => sent.every(({ attempts }) => attempts.length > 1))
}

/** Makes blocks meanwhile. */
function mineUntil(isDone: () => boolean): Promise<void> {
  return until(async () => {
    await stage.anvil.client.mine({ blocks: 1 })
    return isDone()
  })
}

function hexText(text: string | null): Hex {
  assert.ok(isHex(text))
  return text
}

test('the contracts move what the ledger moved', { skip }, async () => {
  const { live, ann, ben, cid, free, fees } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann', 'ben', 'cid'],
    markets: { free: {}, fees: { fee: true } },
  })
  const traders = [ann, ben, cid]
  await fundTraders(stage, live, traders, FUNDS_RAW)
  const reported = new Reported(live)
  const trades = await randomTrades(live, traders, [free, fees], random)
  assert.ok(trades.length > RANDOM_ORDERS / 10, `${trades.length} trades`)
  for (const id of trades) await reported.of(id, 'MINED')
  await assertReconciled(stage, live, traders, [free, fees])
  const { txHash } = await shown(live, trades[trades.length - 1])
  const { transactionHash } = await stage.anvil.receiptOf(hexText(txHash))
  assert.equal(transactionHash, txHash, 'the reply has the hash of the chain')
})

test('a trade that an approval stops is tried four times, then reversed', { skip }, async () => {
  const { live, ann, poor, dry } = await exchange({
    flags: await stage.servedBy({ 'chain-confirmations': 2 }),
    traders: ['ann', 'poor'],
    markets: ['dry'],
  })
  await fundTraders(stage, live, [ann, poor], FUNDS_RAW)
  const reported = new Reported(live)
  // The exchange sees it one block later, when the trade is made.
  await stage.approve(poor.account, 0n)
  const before = [ann, poor].map((trader) => live.balances(trader).freeRaw)
  const { body } = await live.trade(poor, ann, dry, { ticks: 600 })
  const id = textAt(body, 'execution', 'tradeEventId')
  for (let tries = 1; tries < TRIES; tries++) {
    await mineUntil(() => reported.events.length >= tries)
    assert.equal((await shown(live, id)).settlementStatus, 'RETRYING')
    await live.pass(RETRY_MS)
  }
  await mineUntil(() => reported.events.at(-1)?.status === 'FAILED')
  const after = [ann, poor].map((trader) => live.balances(trader).freeRaw)
  assert.deepEqual(after, before)
  assert.deepEqual(live.faults, [])
})

test('a transaction that a stop leaves waiting settles its trade once', { skip }, async () => {
  const flags = await stage.servedBy()
  const { live, ann, ben, late } = await exchange({
    flags,
    traders: ['ann', 'ben'],
    markets: ['late'],
  })
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  await fundTraders(stage, live, [ann, ben], FUNDS_RAW)
  const first = new Reported(live)
  const early = await live.trade(ann, ben, late, { ticks: 600 })
  await first.of(textAt(early.body, 'execution', 'tradeEventId'), 'MINED')
  await stage.anvil.request('evm_setAutomine', false)
  const { body } = await live.trade(ann, ben, late, { ticks: 600 })
  const id = textAt(body, 'execution', 'tradeEventId')
  const sent = () => live.exchange.pipeline.clearing.transactions.capture()[0]
  await until(() => sent().sent.length > 0)
  const { account, nextNonce, sent: waiting } = sent()
  await live.restart()
  const reported = new Reported(live)
  assert.equal((await shown(live, id)).settlementStatus, 'MATCHED')
  await stage.anvil.request('evm_mine')
  await stage.anvil.request('evm_setAutomine', true)
  const { txHash } = await reported.of(id, 'MINED')
  assert.equal(txHash, waiting[0].attempts[0].txHash)
  const address = hexText(account)
  const nonce = await stage.anvil.client.getTransactionCount({ address })
  assert.equal(nonce, nextNonce, 'nothing else was sent')
  await assertReconciled(stage, live, [ann, ben], [late], feesRaw)
})

test('accounts settle side by side, and one without coins stops no other', { skip }, async () => {
  const { client } = stage.anvil
  const keys = [await stage.operatorKey(), await stage.operatorKey(), await stage.operatorKey()]
  const [poor] = keys
  await client.setBalance({ address: poor.account, value: 0n })
  const flags = await stage.servedBy({ 'chain-repeat-ms': 100 }, keys)
  const { live, wide, ann, ben, cid, dan } = await exchange({
    flags,
    traders: ['ann', 'ben', 'cid', 'dan'],
    markets: ['wide'],
  })
  const feesRaw = await stage.collateralOf(FEE_RECEIVER)
  await fundTraders(stage, live, [ann, ben, cid, dan], FUNDS_RAW)
  const reported = new Reported(live)
  const trade = async (buyer: Trader, seller: Trader) => {
    const { body } = await live.trade(buyer, seller, wide, { ticks: 600 })
    return textAt(body, 'execution', 'tradeEventId')
  }
  // It registers the market, which all others then use.
  await reported.of(await trade(ann, ben), 'MINED')
  await client.setAutomine(false)
  const ids: string[] = []
  const { transactions } = live.exchange.pipeline.clearing
  for (const [buyer, seller] of [
    [ann, ben],
    [cid, dan],
  ] as const) {
    ids.push(await trade(buyer, seller))
    // The next one is sent by another account when this one had to be sent again.
    await until(() => transactions.count === ids.length && isRepeated(transactions.capture()))
  }
  // Of the owners of both: it waits.
  ids.push(await trade(ann, dan))
  await mineUntil(() => reported.events.length > ids.length)
  await client.setAutomine(true)
  for (const id of ids) await reported.of(id, 'MINED')
  assert.equal(reported.events.length, 1 + ids.length, 'none was tried twice')
  const counts = keys.map(({ account: address }) => client.getTransactionCount({ address }))
  const [none, ...sent] = await Promise.all(counts)
  assert.equal(none, 0)
  assert.ok(Math.min(...sent) > 0, `${sent}`)
  const low = live.warnings.filter((line) => line.includes('send it some'))
  assert.equal(low.length, 1)
  assert.ok(low[0].startsWith(poor.account))
  await assertReconciled(stage, live, [ann, ben, cid, dan], [wide], feesRaw)
})

test('trading goes on while the chain does not answer', { skip }, async () => {
  const rpc = await FaultyRpc.open(stage.anvil.url, random)
  try {
    const { live, ann, ben, down } = await exchange({
      flags: await stage.servedBy({ 'chain-rpc': rpc.url }),
      traders: ['ann', 'ben'],
      markets: ['down'],
    })
    const feesRaw = await stage.collateralOf(FEE_RECEIVER)
    await fundTraders(stage, live, [ann, ben], FUNDS_RAW)
    const reported = new Reported(live)
    rpc.kinds = ['too many calls']
    rpc.share = 1
    const { body } = await live.trade(ann, ben, down, { ticks: 600 })
    const id = textAt(body, 'execution', 'tradeEventId')
    const trouble = () => live.exchange.pipeline.mining?.port.trouble ?? null
    await until(() => trouble() !== null)
    assert.match(String(trouble()), /the chain did not answer/)
    assert.equal(await live.gauge('outcomex_chain_trouble'), 1)
    assert.equal((await shown(live, id)).settlementStatus, 'MATCHED')
    rpc.share = 0
    await reported.of(id, 'MINED')
    await until(() => trouble() === null)
    await assertReconciled(stage, live, [ann, ben], [down], feesRaw)
    await live.stop()
  } finally {
    await rpc.end()
  }
})

test('a payout is posted on the chain too, once all trades are there', { skip }, async () => {
  const { live, ann, ben, paid } = await exchange({
    flags: await stage.servedBy(),
    traders: ['ann', 'ben'],
    markets: ['paid'],
  })
  await fundTraders(stage, live, [ann, ben], FUNDS_RAW)
  const reported = new Reported(live)
  const { body } = await live.trade(ann, ben, paid, { ticks: 600 })
  await reported.of(textAt(body, 'execution', 'tradeEventId'), 'MINED')
  const market = live.exchange.pipeline.clearing.catalogue.bySlug('paid')
  assert.ok(market !== undefined)
  const { conditionId } = market
  const payout = { payoutNumerators: [3, 1] }
  assert.equal((await live.admin('/admin/markets/paid/resolve', payout)).status, 200)
  await live.pass(LIMITS.payoutEveryMs)
  const { tokens, collateral } = stage.at
  const denominator = () => stage.read(tokens, 'payoutDenominator', [conditionId])
  await until(async () => (await denominator()) === 4n)
  const numerators = [0n, 1n].map((index) => {
    return stage.read(tokens, 'payoutNumerators', [conditionId, index])
  })
  assert.deepEqual(await Promise.all(numerators), [3n, 1n])
  const before = await Promise.all([ann, ben].map(({ account }) => stage.collateralOf(account)))
  for (const { account } of [ann, ben]) {
    const redeemed = [collateral, `0x${'00'.repeat(32)}`, conditionId, [1n, 2n]]
    await stage.send(tokens, 'redeemPositions', redeemed, getAddress(account))
  }
  const after = await Promise.all([ann, ben].map(({ account }) => stage.collateralOf(account)))
  const gained = after.map((raw, index) => raw - before[index])
  assert.deepEqual(gained.sort(), [2_500_000n, 7_500_000n], 'ten pairs pay three to one')
})

test('a market that cannot settle on the chain is refused', { skip }, async () => {
  const { live } = await exchange({ flags: await stage.servedBy() })
  const clob = { kind: 'clob', slug: 'other', title: 'Other?', exchangeAddress: OWNER }
  const pool = { kind: 'amm', slug: 'pool', title: 'Pool?' }
  for (const [path, body, sentence] of [
    ['/admin/markets', clob, /"exchangeAddress","message":"must be 0x\w+: trades settle there/],
    [
      '/admin/markets',
      pool,
      /"kind","message":"cannot settle on an EVM chain yet; create a market of kind clob/,
    ],
  ] as const) {
    const { status, text } = await live.admin(path, body)
    assert.equal(status, 400, text)
    assert.match(text, sentence)
  }
})

test('a start with the wrong chain, contract or key is refused', { skip }, async () => {
  const { exchange: address, collateral } = stage.at
  const stranger = join(newFolder(), 'key')
  writeFileSync(stranger, '7'.repeat(64), { mode: 0o600 })
  for (const [wrong, sentence] of [
    [{ 'chain-id': 1 }, /serves chain 8453, and --chain-id is 1$/],
    [{ 'exchange-address': OWNER }, /is no contract on chain 8453; create one with outcomex chain/],
    [{ 'exchange-address': collateral }, /is no exchange, or takes orders that are signed for/],
    [{ 'domain-name': 'Other' }, /for another name than Other; set --domain-name/],
    [{ 'collateral-address': address }, /trades for 0x\w+, and --collateral-address is/],
    [{ 'chain-key': stranger }, /is no operator of 0x\w+; its owner can make it one/],
    [{ 'chain-key': '/nowhere' }, /nowhere cannot be read: ENOENT/],
  ] as const) {
    await assert.rejects(startLive({ flags: await stage.servedBy(wrong) }), sentence)
  }
})
