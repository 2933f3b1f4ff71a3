import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { rebuildReadTables } from '../../../../persistence/follower/rebuild.ts'
import { verifyFolder } from '../../../../persistence/verify-folder.ts'
import { BLOCK_MS, Reported, UNIT } from '../../../support/chain-desk.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { type LiveExchange, startLive, type Trader } from '../../../support/live-exchange.ts'
import {
  type LiveMarket,
  type OrderRequest,
  signedFor,
  unsigned,
} from '../../../support/live-orders.ts'
import { accepted, assertRefused, orderIdOf, type Reply } from '../../../support/replies.ts'
import { type SeenOrder, seenOrder } from '../../../support/seen-order.ts'

// Rules §5.2 and design §5 over HTTP: the states of orders after one of their trades is mined,
// retried or reversed.

const FAILED = { settlementStatus: 'FAILED' } as const
const DELAY_MS = 1_000
const SAME = 'on the same tables'
const REBUILT = 'on tables that were rebuilt'
let running: LiveExchange | null = null

async function startOn(dataDir: string, blockMs: number): Promise<LiveExchange> {
  running = await startLive({ dataDir, flags: ['--block-ms', `${blockMs}`] })
  return running
}

async function stop(): Promise<{ seq: number; stateHash: string }> {
  assert(running !== null)
  const live = running
  running = null
  const last = await live.stop()
  assert.deepEqual(live.faults, [])
  return last
}

afterEach(async () => {
  if (running !== null) await stop()
})

class Stage {
  readonly live: LiveExchange
  readonly reported: Reported
  readonly alice: Trader
  readonly bob: Trader
  /** What each order of Alice shows at the end of its case. */
  readonly shown: { slug: string; orderId: string; seen: SeenOrder }[] = []

  constructor(live: LiveExchange, alice: Trader, bob: Trader) {
    this.live = live
    this.reported = new Reported(live)
    this.alice = alice
    this.bob = bob
  }

  static async open(blockMs: number, dataDir = newFolder()): Promise<Stage> {
    const live = await startOn(dataDir, blockMs)
    return new Stage(live, await live.trader(10_000 * UNIT), await live.trader(10_000 * UNIT))
  }

  async placed(
    trader: Trader,
    market: LiveMarket,
    wanted: OrderRequest = {},
    more: object = {},
  ): Promise<Reply> {
    const reply = await accepted(this.live.place(trader, market, wanted, more), 201)
    return reply
  }

  /** Alice buys ten YES at 0.50, or as the order request says. */
  async buys(market: LiveMarket, more: object = {}, wanted: OrderRequest = {}): Promise<string> {
    return orderIdOf(await this.placed(this.alice, market, wanted, more))
  }

  /** Bob offers YES at 0.50, as a buyer of NO. */
  offers(market: LiveMarket, shares: number): Promise<Reply> {
    return this.placed(this.bob, market, { outcome: 1, sizeRaw: shares * UNIT })
  }

  async fault(target: object, outcome: string): Promise<void> {
    await accepted(this.live.admin('/admin/settlement/faults', { ...target, outcome }))
  }

  async sees(market: LiveMarket, orderId: string, trader = this.alice): Promise<SeenOrder> {
    const seen = await seenOrder(this.live, trader, market.slug, orderId)
    return { ...seen, remainingSize: seen.remainingSize / UNIT }
  }
}

const statusesOf = ({ body }: Reply) => [
  textAt(body, 'order', 'status'),
  textAt(body, 'execution', 'settlementStatus'),
]

/** A FOK of the market form: it spends or sells a fixed amount at any price. */
async function marketForm(stage: Stage, market: LiveMarket, wanted: OrderRequest): Promise<string> {
  const { alice } = stage
  const order = { ...unsigned(alice, market, wanted), takerAmount: 1 }
  const signed = { order: signedFor(order, alice, market), orderType: 'FOK' }
  return stage.buys(market, signed, wanted)
}

interface Case {
  readonly row: string
  readonly market?: object
  /** Runs before the fault is armed. */
  readonly first?: (stage: Stage, market: LiveMarket) => Promise<unknown>
  /** Gives the id of Alice's order. Its first trade fails. */
  readonly act: (stage: Stage, market: LiveMarket) => Promise<string>
  readonly seen: SeenOrder
}

const CASES: readonly Case[] = [
  {
    row: 'a taker that was filled whole is CANCELED',
    act: async (stage, market) => {
      await stage.offers(market, 10)
      return stage.buys(market)
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a taker whose rest is LIVE stays LIVE with that rest',
    act: async (stage, market) => {
      await stage.offers(market, 4)
      return stage.buys(market)
    },
    seen: { status: 'LIVE', ...FAILED, remainingSize: 6 },
  },
  {
    row: 'a FAK that was killed with a fill is CANCELED',
    act: async (stage, market) => {
      await stage.offers(market, 4)
      return stage.buys(market, { orderType: 'FAK' })
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a FOK is CANCELED',
    act: async (stage, market) => {
      await stage.offers(market, 20)
      return stage.buys(market, { orderType: 'FOK' })
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a FOK that spends is CANCELED, with no remaining shares',
    act: async (stage, market) => {
      await stage.offers(market, 20)
      return marketForm(stage, market, {})
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 0 },
  },
  {
    row: 'a FOK that sells is CANCELED',
    first: async (stage, market) => {
      await stage.offers(market, 10)
      await stage.buys(market)
      await stage.placed(stage.bob, market, { ticks: 300 })
    },
    act: (stage, market) => marketForm(stage, market, { side: 'sell' }),
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a maker that was filled whole is CANCELED',
    act: async (stage, market) => {
      const id = await stage.buys(market)
      await stage.offers(market, 10)
      return id
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a maker that is LIVE stays LIVE with less',
    act: async (stage, market) => {
      const id = await stage.buys(market)
      await stage.offers(market, 4)
      return id
    },
    seen: { status: 'LIVE', ...FAILED, remainingSize: 6 },
  },
  {
    row: 'a maker that its user cancels has no fill left',
    act: async (stage, market) => {
      const id = await stage.buys(market)
      await stage.offers(market, 4)
      const { status } = await stage.live.call(stage.alice, 'DELETE', `/orders/${id}`)
      assert.equal(status, 200)
      return id
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
  {
    row: 'a maker that was filled by two trades is CANCELED, and shows the newer trade',
    act: async (stage, market) => {
      const id = await stage.buys(market)
      await stage.offers(market, 4)
      await stage.offers(market, 6)
      return id
    },
    seen: { status: 'CANCELED', settlementStatus: 'MINED', remainingSize: 4 },
  },
  {
    row: 'a taker whose rest was filled as a maker is CANCELED for what failed',
    act: async (stage, market) => {
      await stage.offers(market, 3)
      const id = await stage.buys(market)
      await stage.offers(market, 7)
      return id
    },
    seen: { status: 'CANCELED', settlementStatus: 'MINED', remainingSize: 3 },
  },
  {
    row: 'a taker that was held before it filled is CANCELED',
    market: { takerDelayMs: DELAY_MS },
    act: async (stage, market) => {
      await stage.offers(market, 10)
      const id = await stage.buys(market)
      stage.live.shiftClock(DELAY_MS)
      stage.live.exchange.pipeline.tick()
      await stage.live.exchange.pipeline.whenIdle()
      return id
    },
    seen: { status: 'CANCELED', ...FAILED, remainingSize: 10 },
  },
]

async function allMined({ live, reported }: Stage): Promise<void> {
  const { mining } = live.exchange.pipeline
  assert(mining !== null)
  if (mining.waitingCount === 0) return
  const blocks = reported.blocks.length
  live.shiftClock(BLOCK_MS)
  await reported.block(blocks + 1)
}

async function play(stage: Stage, { row, market: fields, first, act, seen }: Case): Promise<void> {
  const { live, reported, alice, shown } = stage
  const market = await live.openMarket(`case-${shown.length}`, fields)
  await first?.(stage, market)
  await allMined(stage)
  const failures = reported.events.filter(({ status }) => status === 'FAILED').length
  await stage.fault({ next: 1 }, 'FAILED')
  const orderId = await act(stage, market)
  await allMined(stage)
  await reported.count('FAILED', failures + 1)
  assert.deepEqual(await stage.sees(market, orderId), seen, row)
  shown.push({ slug: market.slug, orderId, seen })
  if (seen.status === 'LIVE') return
  // A fill that was taken back is no fill to a cancel either.
  const one = await live.call(alice, 'DELETE', `/orders/${orderId}`)
  assertRefused(one, 400, 'ORDER_NOT_OPEN', row)
  const batch = await live.call(alice, 'POST', '/orders/batch-cancel', { orderIds: [orderId] })
  const reasons = [at(batch.body, 'code'), at(batch.body, 'failed', 0, 'reason')]
  assert.deepEqual(reasons, ['ORDER_NOT_OPEN', 'ORDER_NOT_FOUND'], row)
}

/** The reply of a status call about the order of every case. */
async function statedOf({ live, alice, shown }: Stage): Promise<unknown> {
  const items = shown.map(({ orderId }) => ({ orderId }))
  const { body, status, text } = await live.call(alice, 'POST', '/orders/status/batch', { items })
  assert.equal(status, 200, text)
  return body
}

for (const blockMs of [0, BLOCK_MS]) {
  test(`a failed trade changes the states of its orders, ${blockMs} ms a block`, async () => {
    const dataDir = newFolder()
    let stage = await Stage.open(blockMs, dataDir)
    const { alice, bob, shown } = stage
    for (const each of CASES) await play(stage, each)
    const stated = await statedOf(stage)
    // Only the LIVE bids, all at 0.50, are reserved.
    const open = shown.filter(({ seen }) => seen.status === 'LIVE')
    const openShares = open.reduce((sum, { seen }) => sum + seen.remainingSize, 0)
    assert.equal(stage.live.balances(alice).reservedRaw, (openShares * UNIT) / 2)
    for (const start of blockMs === 0 ? [REBUILT] : [SAME, REBUILT]) {
      const { seq, stateHash } = await stop()
      assert.equal(verifyFolder(dataDir).stateHash, stateHash)
      if (start === REBUILT) assert.equal(rebuildReadTables(dataDir), seq)
      const live = await startOn(dataDir, blockMs)
      stage = new Stage(live, alice, bob)
      stage.shown.push(...shown)
      for (const { slug, orderId, seen } of shown) {
        const now = await seenOrder(live, alice, slug, orderId)
        assert.deepEqual({ ...now, remainingSize: now.remainingSize / UNIT }, seen, start)
      }
      assert.deepEqual(await statedOf(stage), stated, start)
    }
  })
}

test('a reply that waits for the block says what the block did with the trade', async () => {
  const stage = await Stage.open(0)
  const { alice, live } = stage
  const rows = [
    { outcome: 'FAILED', shares: 10, fields: {}, stated: ['CANCELED', 'FAILED'] },
    { outcome: 'FAILED', shares: 4, fields: {}, stated: ['LIVE', 'FAILED'] },
    { outcome: 'FAILED', shares: 4, fields: { orderType: 'FAK' }, stated: ['CANCELED', 'FAILED'] },
    { outcome: 'RETRYING', shares: 10, fields: {}, stated: ['MATCHED', 'RETRYING'] },
    { outcome: null, shares: 10, fields: {}, stated: ['MATCHED', 'MINED'] },
  ]
  for (const [index, { outcome, shares, fields, stated }] of rows.entries()) {
    const market = await live.openMarket(`reply-${index}`)
    await stage.offers(market, shares)
    if (outcome !== null) await stage.fault({ next: 1 }, outcome)
    const reply = await stage.placed(alice, market, {}, fields)
    assert.deepEqual(statusesOf(reply), stated, JSON.stringify(rows[index]))
    if (outcome === 'RETRYING') continue
    const [status, settlementStatus] = stated
    const seen = await stage.sees(market, orderIdOf(reply))
    assert.deepEqual([seen.status, seen.settlementStatus], [status, settlementStatus])
  }
})
