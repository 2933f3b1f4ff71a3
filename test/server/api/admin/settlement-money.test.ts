import assert from 'node:assert/strict'
import { test } from 'node:test'
import { txHashOf } from '../../../../engine/core/money/tx-hash.ts'
import { rebuildReadTables } from '../../../../persistence/follower/rebuild.ts'
import { BLOCK_MS, Reported, UNIT } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at, textAt } from '../../../support/json-path.ts'
import type { LiveExchange, Trader } from '../../../support/live-exchange.ts'
import { CHAIN_ID, type LiveMarket, type OrderRequest } from '../../../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'

// Design §5 over HTTP: money before, at and after a block. A block comes when the test moves the
// clock.

const flags = ['--block-ms', `${BLOCK_MS}`]
const { live, bob } = await exchange({ flags, traders: ['bob'] })
let reported = new Reported(live)

/** The refusal of an order that needs more than is free. */
async function refusal(
  trader: Trader,
  market: LiveMarket,
  wanted: OrderRequest,
): Promise<unknown[]> {
  const { status, body } = await live.place(trader, market, wanted)
  return [status, at(body, 'code')]
}

const tradeOf = (reply: Reply) => textAt(reply.body, 'execution', 'tradeEventId')

/**
 * The trader buys or sells ten shares at 0.50, with Bob on the other side. Gives the trader's
 * reply.
 */
async function trades(
  trader: Trader,
  market: LiveMarket,
  wanted: OrderRequest = {},
): Promise<Reply> {
  const { outcome = 0, side = 'buy' } = wanted
  if (side === 'buy') await live.placed(bob, market, { ...wanted, outcome: outcome === 0 ? 1 : 0 })
  else await live.placed(bob, market, { ...wanted, side: 'buy' })
  const reply = await live.placed(trader, market, wanted)
  assert.equal(at(reply.body, 'execution', 'settlementStatus'), 'MATCHED', reply.text)
  return reply
}

async function fault(tradeEventId: string, outcome: string): Promise<void> {
  await accepted(live.admin('/admin/settlement/faults', { tradeEventId, outcome }))
}

/** The newest trade of an order as its owner reads it. */
async function execution(on: LiveExchange, trader: Trader, orderId: string): Promise<unknown> {
  const items = [{ orderId }]
  const { body, text } = await on.call(trader, 'POST', '/orders/status/batch', { items })
  const found = at(body, 'results', 0, 'data', 'execution')
  assert(found !== undefined, text)
  return found
}

/**
 * Waits for the status. The clock moves only if needed: an early move would mine the next trade at
 * once.
 */
async function becomes(trade: string, status: string): Promise<string | null> {
  const isReported = reported.events.some(
    (event) => `${event.tradeSeq}` === trade && event.status === status,
  )
  if (!isReported) live.shiftClock(BLOCK_MS)
  return (await reported.of(trade, status)).txHash
}

/** Restarts on read tables that were rebuilt. */
async function restartRebuilt(): Promise<void> {
  let rebuiltSeq = -1
  const { seq } = await live.restart({}, (dataDir) => {
    rebuiltSeq = rebuildReadTables(dataDir)
  })
  assert.equal(rebuiltSeq, seq)
  reported = new Reported(live)
}

async function credit({ profileId }: Trader, collateralRaw: number): Promise<number> {
  return (await live.admin('/admin/balances', { profileId, collateralRaw })).status
}

test('RETRYING becomes MINED or FAILED for both owners, and a restart keeps the hash', async () => {
  const alice = await live.trader(100 * UNIT)
  const market = await live.openMarket('retries')
  const ends = [
    { end: 'MINED', status: 'MATCHED' },
    { end: 'FAILED', status: 'CANCELED' },
  ]
  for (const { end, status } of ends) {
    const made = await live.placed(alice, market, { outcome: 1 })
    const taken = await live.placed(bob, market, {})
    const trade = tradeOf(taken)
    const sides = [
      { trader: alice, orderId: orderIdOf(made) },
      { trader: bob, orderId: orderIdOf(taken) },
    ]
    const both = async () => {
      const stated = sides.map(({ trader, orderId }) => execution(live, trader, orderId))
      return (await Promise.all(stated)).map((each) => [
        at(each, 'settlementStatus'),
        at(each, 'txHash'),
      ])
    }
    await fault(trade, 'RETRYING')
    await becomes(trade, 'RETRYING')
    assert.deepEqual(await both(), Array(2).fill(['RETRYING', null]))
    if (end === 'FAILED') await fault(trade, 'FAILED')
    const txHash = await becomes(trade, end)
    const expected = Array(2).fill([end, txHash])
    assert.deepEqual(await both(), expected)
    const height = reported.blocks.at(-1)?.height ?? 0
    assert.equal(txHash, end === 'MINED' ? txHashOf(CHAIN_ID, height, Number(trade)) : null)
    const { body } = await live.call(bob, 'POST', '/orders/status/batch', {
      items: [{ orderId: orderIdOf(taken) }],
    })
    assert.equal(at(body, 'results', 0, 'data', 'order', 'status'), status)
    await restartRebuilt()
    assert.deepEqual(await both(), expected, 'a start on tables that were rebuilt shows the same')
  }
})

test('proceeds of a trade leave when it is MINED, and owners see how much may now', async () => {
  const apiToken = { scopes: ['trading', 'withdrawal'] }
  const alice = await live.trader(5 * UNIT, { apiToken })
  const market = await live.openMarket('leaves')
  await becomes(tradeOf(await trades(alice, market)), 'MINED')
  const sold = tradeOf(await trades(alice, market, { side: 'sell' }))
  await live.admin('/admin/balances', { profileId: alice.profileId, collateralRaw: UNIT })
  const withdraw = (amount: number) => {
    const body = { amount: `${amount}`, destination: alice.account }
    return live.call(alice, 'POST', '/portfolio/withdraw', body)
  }
  const balance = async () => (await live.call(alice, 'GET', '/portfolio/balance')).body
  assert.equal(at(await balance(), 'free'), `${6 * UNIT}`)
  assert.equal(at(await balance(), 'withdrawable'), `${UNIT}`)
  const early = await withdraw(UNIT + 1)
  assertRefused(early, 409, 'NOT_MINED_YET')
  assert.equal(at(early.body, 'withdrawable'), `${UNIT}`)
  assert.match(textAt(early.body, 'message'), /^1000000 raw units can be withdrawn now\./)
  assert.equal(await credit(alice, -UNIT - 1), 409, 'an operator takes no more')
  assert.equal((await withdraw(UNIT)).status, 201)
  await becomes(sold, 'MINED')
  assert.equal(at(await balance(), 'withdrawable'), `${5 * UNIT}`)
  assert.equal((await withdraw(5 * UNIT)).status, 201)
})

test('the proceeds of a trade can be used as soon as it is MATCHED', async () => {
  const alice = await live.trader(5 * UNIT)
  const market = await live.openMarket('proceeds')
  const bought = await trades(alice, market)
  const sold = await trades(alice, market, { side: 'sell' })
  const again = await trades(alice, market)
  assert.deepEqual(live.balances(alice), { freeRaw: 0, reservedRaw: 0 })
  for (const reply of [bought, sold, again]) await becomes(tradeOf(reply), 'MINED')
  assert.deepEqual(live.balances(alice), { freeRaw: 0, reservedRaw: 0 })
})

test('a sale that fails after its proceeds are spent leaves a debt that bars orders', async () => {
  const alice = await live.trader(5 * UNIT)
  const market = await live.openMarket('debt')
  await becomes(tradeOf(await trades(alice, market)), 'MINED')
  const sold = tradeOf(await trades(alice, market, { side: 'sell' }))
  const rests = await live.placed(alice, market, { ticks: 400 })
  await fault(sold, 'FAILED')
  await becomes(sold, 'FAILED')
  // The sale had paid five units; four of them are reserved and one was free.
  assert.deepEqual(live.balances(alice), { freeRaw: -4 * UNIT, reservedRaw: 4 * UNIT })
  const small = { ticks: 1, sizeRaw: 1_000 }
  const short = [400, 'INSUFFICIENT_COLLATERAL']
  assert.deepEqual(await refusal(alice, market, small), short)
  assert.equal(await credit(alice, -1), 400, 'nothing is withdrawn from a debt')
  assert.equal(await credit(alice, 4 * UNIT), 200)
  assert.deepEqual(await refusal(alice, market, small), short, 'a covered debt leaves nothing free')
  assert.equal(await credit(alice, 1), 200)
  await live.placed(alice, market, small)
  // The shares are back, and the reserve of the resting order is freed as usual.
  await live.placed(alice, market, { side: 'sell', ticks: 900 })
  assert.equal((await live.call(alice, 'DELETE', `/orders/${orderIdOf(rests)}`)).status, 200)
  assert.deepEqual(live.balances(alice), { freeRaw: 4 * UNIT, reservedRaw: 1 })
})

test('a buy that fails after its shares are sold leaves a debt of shares', async () => {
  const alice = await live.trader(100 * UNIT)
  const market = await live.openMarket('short')
  const bought = tradeOf(await trades(alice, market))
  const sold = tradeOf(await trades(alice, market, { side: 'sell' }))
  await fault(bought, 'FAILED')
  await becomes(bought, 'FAILED')
  await reported.of(sold, 'MINED')
  assert.deepEqual(live.balances(alice), { freeRaw: 105 * UNIT, reservedRaw: 0 })
  const sells = { side: 'sell', ticks: 900, sizeRaw: 1_000 } as const
  const short = [400, 'INSUFFICIENT_SHARES']
  assert.deepEqual(await refusal(alice, market, sells), short)
  await becomes(tradeOf(await trades(alice, market)), 'MINED')
  assert.deepEqual(await refusal(alice, market, sells), short, 'ten bought only cover ten owed')
  await trades(alice, market, { sizeRaw: 1_000 })
  await live.placed(alice, market, sells)
})

test('fills of a resolved market are still mined or reversed by their block', async () => {
  const alice = await live.trader(100 * UNIT)
  const market = await live.openMarket('resolved')
  const mined = tradeOf(await trades(alice, market))
  const failed = tradeOf(await trades(alice, market))
  await fault(failed, 'FAILED')
  const path = `/admin/markets/${market.slug}/resolve`
  assert.equal((await live.admin(path, { winningOutcomeIndex: 0 })).status, 200)
  assert.equal(live.balances(alice).freeRaw, 90 * UNIT)
  assert.notEqual(await becomes(mined, 'MINED'), null)
  await reported.of(failed, 'FAILED')
  assert.deepEqual(live.balances(alice), { freeRaw: 95 * UNIT, reservedRaw: 0 })
})
