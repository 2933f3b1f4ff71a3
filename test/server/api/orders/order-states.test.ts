import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK_MS, UNIT } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import type { LiveMarket } from '../../../support/live-orders.ts'
import { type SeenOrder, seenOrder } from '../../../support/seen-order.ts'

// Every row of rules §5.1, over HTTP: how an order ends, and what its owner then reads.

const { live, alice, bob } = await exchange({
  flags: ['--block-ms', `${BLOCK_MS}`],
  fundsRaw: 10_000 * UNIT,
  traders: ['alice', 'bob'],
})
let markets = 0

/** The calls of one row, in a market of its own. */
interface Stage {
  readonly market: LiveMarket
  /** Alice buys ten YES at 0.50. */
  readonly buys: (fields?: object) => Promise<string>
  /** Bob offers YES at 0.50, as a buyer of NO. */
  readonly offers: (shares: number, fields?: object) => Promise<string>
}

const LIFE: readonly [row: string, act: (stage: Stage) => Promise<string>, seen: SeenOrder][] = [
  [
    'an order that rests is LIVE',
    ({ buys }) => buys(),
    { status: 'LIVE', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'a FOK without a fill is UNMATCHED',
    ({ buys }) => buys({ orderType: 'FOK' }),
    { status: 'UNMATCHED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'a FAK without a fill is UNMATCHED',
    ({ buys }) => buys({ orderType: 'FAK' }),
    { status: 'UNMATCHED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'an order that is filled whole on arrival is MATCHED',
    async ({ offers, buys }) => {
      await offers(10)
      return buys()
    },
    { status: 'MATCHED', settlementStatus: 'MATCHED', remainingSize: 0 },
  ],
  [
    'a resting order that is filled whole is MATCHED',
    async ({ offers, buys }) => {
      const id = await buys()
      await offers(4)
      await offers(6)
      return id
    },
    { status: 'MATCHED', settlementStatus: 'MATCHED', remainingSize: 0 },
  ],
  [
    'a FAK filled in part, then killed, is MATCHED',
    async ({ offers, buys }) => {
      await offers(4)
      return buys({ orderType: 'FAK' })
    },
    { status: 'MATCHED', settlementStatus: 'MATCHED', remainingSize: 6 },
  ],
  [
    'an order that is filled in part on arrival is LIVE with the rest',
    async ({ offers, buys }) => {
      await offers(4)
      return buys()
    },
    { status: 'LIVE', settlementStatus: 'MATCHED', remainingSize: 6 },
  ],
  [
    'a resting order that is filled in part is LIVE with the rest',
    async ({ offers, buys }) => {
      const id = await buys()
      await offers(4)
      return id
    },
    { status: 'LIVE', settlementStatus: 'MATCHED', remainingSize: 6 },
  ],
  [
    'an order that its user cancels is CANCELED',
    async ({ buys }) => {
      const id = await buys()
      assert.equal((await live.call(alice, 'DELETE', `/orders/${id}`)).status, 200)
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'an order that is canceled after a partial fill is CANCELED, and the fill stands',
    async ({ offers, buys }) => {
      const id = await buys()
      await offers(4)
      assert.equal((await live.call(alice, 'DELETE', `/orders/${id}`)).status, 200)
      return id
    },
    { status: 'CANCELED', settlementStatus: 'MATCHED', remainingSize: 6 },
  ],
  [
    'an order that a cancel of all in its market cancels is CANCELED',
    async ({ buys, market }) => {
      const id = await buys()
      assert.equal((await live.call(alice, 'DELETE', `/orders/all/${market.slug}`)).status, 200)
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'a maker that self-trade prevention cancels is CANCELED',
    async ({ buys, market }) => {
      const id = await buys()
      const own = await live.ordered(alice, market, { outcome: 1 }, { stpPolicy: 'cancel_maker' })
      assert.equal((await live.call(alice, 'DELETE', `/orders/${own}`)).status, 200)
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'a taker that self-trade prevention stops is CANCELED, and nothing was matched',
    async ({ buys, market }) => {
      await live.ordered(alice, market, { outcome: 1 })
      return buys({ stpPolicy: 'cancel_taker' })
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'an order in a market that resolves is CANCELED',
    async ({ buys, market }) => {
      const id = await buys()
      const path = `/admin/markets/${market.slug}/resolve`
      assert.equal((await live.admin(path, { winningOutcomeIndex: 0 })).status, 200)
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'an order whose owner misses a heartbeat is CANCELED',
    async ({ buys }) => {
      const id = await buys()
      const beat = { cancelAt: live.nowMs() + 6_000 }
      assert.equal((await live.call(alice, 'POST', '/heartbeats', beat)).status, 200)
      live.shiftClock(10_000)
      live.exchange.pipeline.tick()
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
  [
    'an order that expires is CANCELED',
    async ({ market }) => {
      const expirationSec = Math.floor(live.nowMs() / 1000) + 30
      const id = await live.ordered(alice, market, { expirationSec })
      live.shiftClock(40_000)
      live.exchange.pipeline.tick()
      return id
    },
    { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 },
  ],
]

async function newStage(fields: object = {}): Promise<Stage> {
  const market = await live.openMarket(`market-${++markets}`, fields)
  return {
    market,
    buys: (more) => live.ordered(alice, market, {}, more),
    offers: (shares, more) => {
      return live.ordered(bob, market, { outcome: 1, sizeRaw: shares * UNIT }, more)
    },
  }
}

async function aliceSees({ market }: Stage, orderId: string): Promise<SeenOrder> {
  await live.exchange.pipeline.whenIdle()
  const seen = await seenOrder(live, alice, market.slug, orderId)
  return { ...seen, remainingSize: seen.remainingSize / UNIT }
}

for (const [row, act, expected] of LIFE) {
  test(row, async () => {
    const stage = await newStage()
    const id = await act(stage)
    assert.deepEqual(await aliceSees(stage, id), expected)
    if (expected.status !== 'LIVE') {
      const again = await live.call(alice, 'DELETE', `/orders/${id}`)
      assert.equal(again.status, 400, 'every status but LIVE is final')
      assert.deepEqual(await aliceSees(stage, id), expected)
    }
  })
}

test('an order in a market that locks at its deadline is CANCELED', async () => {
  const stage = await newStage({ deadline: live.nowMs() + 30_000 })
  const id = await stage.buys()
  live.shiftClock(40_000)
  live.exchange.pipeline.tick()
  const expected = { status: 'CANCELED', settlementStatus: 'UNMATCHED', remainingSize: 10 }
  assert.deepEqual(await aliceSees(stage, id), expected)
})
