import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNIT } from '../../../support/chain-desk.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import {
  type LiveMarket,
  type OrderRequest,
  signedFor,
  unsigned,
} from '../../../support/live-orders.ts'
import { accepted, type Reply } from '../../../support/replies.ts'

// What orders lock, and when it is free again: rules §2.5, and the rows of rules §2.6 that change
// it.

const FEE_BPS = 300
const RICH = 10_000 * UNIT
const { live, bob } = await exchange({ traders: { bob: RICH } })
let markets = 0

/** Collateral and YES shares of Alice, free and locked, in raw units. */
interface Locks {
  readonly collateral: readonly [freeRaw: number, lockedRaw: number]
  readonly yes: readonly [freeRaw: number, lockedRaw: number]
}

class Stage {
  readonly market: LiveMarket
  readonly alice: Trader
  readonly #marketId: number
  readonly #feeBps: number

  constructor(market: LiveMarket, alice: Trader, marketId: number, feeBps: number) {
    this.market = market
    this.alice = alice
    this.#marketId = marketId
    this.#feeBps = feeBps
  }

  static async open(fields: { fee?: boolean; takerDelayMs?: number }): Promise<Stage> {
    const market = await live.openMarket(`market-${++markets}`, fields)
    const marketId = live.exchange.pipeline.published.bySlug(market.slug)?.market.marketId ?? 0
    const feeBps = fields.fee === true ? FEE_BPS : 0
    return new Stage(market, await live.trader(100 * UNIT), marketId, feeBps)
  }

  async send(trader: Trader, wanted: OrderRequest, more: object = {}): Promise<Reply> {
    const { market } = this
    const order = { ...unsigned(trader, market, wanted), feeRateBps: this.#feeBps }
    // An order of the market form spends or sells a fixed amount at any price.
    const isMarket = 'orderType' in more && wanted.ticks === undefined
    const amounts = isMarket ? { makerAmount: wanted.sizeRaw ?? 0, takerAmount: 1 } : {}
    const reply = await live.call(trader, 'POST', '/orders', {
      order: signedFor({ ...order, ...amounts }, trader, market),
      ownerId: trader.profileId,
      orderType: 'GTC',
      marketSlug: market.slug,
      ...more,
    })
    assert.equal(reply.status, 201, reply.text)
    return reply
  }

  alices(wanted: OrderRequest, more: object = {}): Promise<Reply> {
    return this.send(this.alice, wanted, more)
  }

  bobs(wanted: OrderRequest): Promise<Reply> {
    return this.send(bob, wanted)
  }

  async cancel(reply: Reply): Promise<void> {
    const path = `/orders/${String(at(reply.body, 'order', 'id'))}`
    assert.equal((await live.call(this.alice, 'DELETE', path)).status, 200)
  }

  locks(): Locks {
    const { ledger } = live.exchange.pipeline.clearing
    const { freeRaw, reservedRaw } = live.balances(this.alice)
    const row = ledger.rows.find(this.alice.profileId, this.#marketId)
    const yes = [ledger.sharesFreeRaw[row * 2], ledger.sharesReservedRaw[row * 2]] as const
    return { collateral: [freeRaw, reservedRaw], yes: row === 0 ? [0, 0] : yes }
  }
}

const FOK = { orderType: 'FOK' }
const FAK = { orderType: 'FAK' }

interface Row {
  readonly row: string
  readonly market?: { fee?: boolean; takerDelayMs?: number }
  readonly act: (stage: Stage) => Promise<unknown>
  readonly locks: Locks
}

const ROWS: readonly Row[] = [
  {
    row: 'a BUY locks its makerAmount',
    act: (stage) => stage.alices({ ticks: 381, sizeRaw: 22_123_000 }),
    locks: { collateral: [91_571_137, 8_428_863], yes: [0, 0] },
  },
  {
    row: 'a BUY of NO locks its own price, not one minus its price',
    act: (stage) => stage.alices({ outcome: 1, ticks: 300, sizeRaw: 10_000_000 }),
    locks: { collateral: [97_000_000, 3_000_000], yes: [0, 0] },
  },
  {
    row: 'a SELL locks its shares, and a cancel frees the rest at once',
    act: async (stage) => {
      await stage.bobs({ outcome: 1, ticks: 500, sizeRaw: 10_000_000 })
      await stage.alices({ ticks: 500, sizeRaw: 10_000_000 })
      await stage.alices({ side: 'sell', ticks: 900, sizeRaw: 4_000_000 })
      await stage.cancel(await stage.alices({ side: 'sell', ticks: 800, sizeRaw: 5_000_000 }))
    },
    locks: { collateral: [95_000_000, 0], yes: [6_000_000, 4_000_000] },
  },
  {
    row: 'a taker keeps its rest locked at its own price; the improvement is free (rules §2.6)',
    market: { fee: true },
    act: async (stage) => {
      await stage.bobs({ outcome: 1, ticks: 550, sizeRaw: 100_000_000 })
      await stage.alices({ ticks: 500, sizeRaw: 150_000_000 })
    },
    locks: { collateral: [30_000_000, 25_000_000], yes: [97_000_000, 0] },
  },
  {
    row: 'a maker keeps its rest locked, rounded down after an odd fill',
    act: async (stage) => {
      await stage.alices({ outcome: 1, ticks: 500, sizeRaw: 20_000 })
      await stage.bobs({ ticks: 500, sizeRaw: 20_000 })
      await stage.alices({ ticks: 381, sizeRaw: 10_000_000 })
      await stage.send(bob, { side: 'sell', sizeRaw: 12_345 }, FOK)
    },
    // Of 3,810,000 the fill paid 4,703; the fraction of 0.381 × 9,987,655 is free.
    locks: { collateral: [96_180_001, 3_805_296], yes: [12_345, 0] },
  },
  {
    row: 'a FOK that spends locks nothing once it has executed',
    act: async (stage) => {
      await stage.bobs({ outcome: 1, ticks: 700, sizeRaw: 100_000_000 })
      await stage.alices({ sizeRaw: 1_000_000 }, FOK)
    },
    locks: { collateral: [99_000_000, 0], yes: [3_333_333, 0] },
  },
  {
    row: 'a FOK that finds too little locks nothing afterwards',
    act: (stage) => stage.alices({ ticks: 500, sizeRaw: 10_000_000 }, FOK),
    locks: { collateral: [100_000_000, 0], yes: [0, 0] },
  },
  {
    row: 'a FAK locks nothing for what it did not fill',
    act: async (stage) => {
      await stage.bobs({ outcome: 1, ticks: 500, sizeRaw: 4_000_000 })
      await stage.alices({ ticks: 600, sizeRaw: 10_000_000 }, FAK)
    },
    locks: { collateral: [98_000_000, 0], yes: [4_000_000, 0] },
  },
  {
    row: 'a fee is never locked: it comes out of the proceeds',
    market: { fee: true },
    act: async (stage) => {
      await stage.alices({ ticks: 500, sizeRaw: 200_000_000 })
    },
    locks: { collateral: [0, 100_000_000], yes: [0, 0] },
  },
  {
    row: 'a held order keeps its whole lock, also if it spends',
    market: { takerDelayMs: 30_000 },
    act: async (stage) => {
      await stage.bobs({ outcome: 1, ticks: 500, sizeRaw: 100_000_000 })
      await stage.alices({ ticks: 600, sizeRaw: 10_000_000 })
      await stage.alices({ sizeRaw: 1_000_000 }, FOK)
    },
    locks: { collateral: [93_000_000, 7_000_000], yes: [0, 0] },
  },
]

for (const { row, market = {}, act, locks } of ROWS) {
  test(row, async () => {
    const stage = await Stage.open(market)
    await act(stage)
    await live.exchange.pipeline.whenIdle()
    assert.deepEqual(stage.locks(), locks)
    await accepted(live.call(stage.alice, 'DELETE', `/orders/all/${stage.market.slug}`))
    const [freeRaw, lockedRaw] = locks.collateral
    const [yesRaw, lockedYesRaw] = locks.yes
    const unlocked = {
      collateral: [freeRaw + lockedRaw, 0],
      yes: [yesRaw + lockedYesRaw, 0],
    }
    assert.deepEqual(stage.locks(), unlocked, 'the last cancel frees everything that was locked')
  })
}

test('a sell of the other outcome does not pay for a buy; only free money counts', async () => {
  const stage = await Stage.open({})
  const { alice, market } = stage
  await stage.bobs({ ticks: 500, sizeRaw: 100_000_000 })
  await stage.alices({ outcome: 1, ticks: 500, sizeRaw: 100_000_000 })
  await stage.alices({ side: 'sell', outcome: 1, ticks: 700, sizeRaw: 100_000_000 })
  const refused = async (wanted: OrderRequest) => {
    const { status, body } = await live.place(alice, market, wanted)
    return [status, at(body, 'code')]
  }
  const tooMuch = { ticks: 250, sizeRaw: 200_004_000 }
  assert.deepEqual(await refused(tooMuch), [400, 'INSUFFICIENT_COLLATERAL'])
  const again = { side: 'sell', outcome: 1, ticks: 900, sizeRaw: 1_000 } as const
  assert.deepEqual(await refused(again), [400, 'INSUFFICIENT_SHARES'])
  await live.placed(alice, market, { ...tooMuch, sizeRaw: 200_000_000 })
  assert.deepEqual(live.balances(alice), { freeRaw: 0, reservedRaw: 50_000_000 })
})
