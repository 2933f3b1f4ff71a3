import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { txHashOf } from '../../../engine/core/tx-hash.ts'
import type {
  BlockFact,
  Mining,
  SettlementFact,
  SettlementListener,
} from '../../../server/pipeline/mining.ts'
import { newFolder } from '../../support/data-folder.ts'
import type { Trader } from '../../support/live-exchange.ts'
import {
  ADMIN_TOKEN,
  at,
  type LiveExchange,
  startLive,
  textAt,
} from '../../support/live-exchange.ts'
import { CHAIN_ID, type LiveMarket, openMarket, place } from '../../support/live-orders.ts'

// Trades over HTTP on their way through the embedded chain. A block comes when the clock is moved.

const UNIT = 1_000_000
const BLOCK_MS = 60_000
const admin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

function miningOf(live: LiveExchange): Mining {
  const { mining } = live.exchange.pipeline
  assert(mining !== null)
  return mining
}

/** Keeps what is told, and lets a test wait for it. */
class Told implements SettlementListener {
  readonly blocks: BlockFact[] = []
  readonly facts: SettlementFact[] = []
  #wake: () => void = () => {}

  constructor(live: LiveExchange) {
    miningOf(live).listen(this)
  }

  onBlock(block: BlockFact): void {
    this.blocks.push(block)
    setImmediate(() => this.#wake())
  }

  onSettlement(fact: SettlementFact): void {
    this.facts.push(fact)
    setImmediate(() => this.#wake())
  }

  /** The newest fact of a trade, once its status is one of these. */
  async of(tradeEventId: string, status: string): Promise<SettlementFact> {
    for (;;) {
      const fact = this.facts.findLast(({ tradeSeq }) => `${tradeSeq}` === tradeEventId)
      if (fact?.status === status) return fact
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

interface Shown {
  readonly settlementStatus: string
  readonly txHash: string | null
  readonly height: number | null
}

async function shown(live: LiveExchange, tradeEventId: string): Promise<Shown> {
  const { status, body, text } = await live.send('GET', '/admin/settlement?limit=50', admin)
  assert.equal(status, 200, text)
  const trades = at(body, 'trades')
  assert(Array.isArray(trades))
  const found = trades.find((each) => at(each, 'tradeEventId') === tradeEventId)
  assert(found !== undefined, text)
  return {
    settlementStatus: textAt(found, 'settlementStatus'),
    txHash: at(found, 'txHash') === null ? null : textAt(found, 'txHash'),
    height: at(found, 'height') === null ? null : Number(at(found, 'height')),
  }
}

class Desk {
  readonly live: LiveExchange
  readonly told: Told
  readonly maker: Trader
  readonly taker: Trader
  readonly market: LiveMarket

  constructor(live: LiveExchange, told: Told, maker: Trader, taker: Trader, market: LiveMarket) {
    this.live = live
    this.told = told
    this.maker = maker
    this.taker = taker
    this.market = market
  }

  static async open(flags: readonly string[], dataDir = newFolder()): Promise<Desk> {
    const live = await startLive({ dataDir, flags })
    const told = new Told(live)
    const maker = await live.trader(1000 * UNIT)
    const taker = await live.trader(1000 * UNIT)
    return new Desk(live, told, maker, taker, await openMarket(live, 'chain'))
  }

  /** Mints ten pairs; the reply of the taker. */
  async trade(): Promise<{ id: string; execution: unknown }> {
    const { live, market } = this
    const rests = await place(live, this.maker, market, { outcome: 1, ticks: 400 })
    assert.equal(rests.status, 201, rests.text)
    const takes = await place(live, this.taker, market, { outcome: 0, ticks: 600 })
    assert.equal(takes.status, 201, takes.text)
    return {
      id: textAt(takes.body, 'execution', 'tradeEventId'),
      execution: at(takes.body, 'execution'),
    }
  }

  fault(target: object, outcome: string) {
    return this.live.admin('/admin/settlement/faults', { ...target, outcome })
  }

  free(): number[] {
    return [this.maker, this.taker].map((trader) => this.live.balances(trader).freeRaw)
  }
}

const desk = await Desk.open(['--block-ms', `${BLOCK_MS}`])
after(() => desk.live.stop())
const first = await desk.trade()
desk.live.shiftClock(BLOCK_MS)
await desk.told.of(first.id, 'MINED')

test('a trade is MATCHED until its block, then MINED with a hash that stays', async () => {
  const { live, told } = desk
  const { id, execution } = await desk.trade()
  assert.equal(at(execution, 'settlementStatus'), 'MATCHED')
  assert.equal(at(execution, 'txHash'), null)
  assert.deepEqual(await shown(live, id), {
    settlementStatus: 'MATCHED',
    txHash: null,
    height: null,
  })
  assert.equal(await live.gauge('outcomex_trades_waiting'), 1)
  live.shiftClock(BLOCK_MS)
  const fact = await told.of(id, 'MINED')
  const block = told.blocks.at(-1)
  assert(block !== undefined && block.throughSeq >= Number(id))
  assert.equal(fact.txHash, txHashOf(CHAIN_ID, block.height, Number(id)))
  const mined = { settlementStatus: 'MINED', txHash: fact.txHash, height: block.height }
  assert.deepEqual(await shown(live, id), mined)
  assert.equal(await live.gauge('outcomex_trades_waiting'), 0)
  assert.equal(await live.gauge('outcomex_block_height'), block.height)
  await desk.trade()
  live.shiftClock(BLOCK_MS)
  await told.of(id, 'MINED')
  assert.deepEqual(await shown(live, id), mined)
})

test('a trade set aside is mined by a later block than the one that covers it', async () => {
  const { live, told } = desk
  const { id } = await desk.trade()
  const before = desk.free()
  assert.equal((await desk.fault({ tradeEventId: id }, 'RETRYING')).status, 200)
  live.shiftClock(BLOCK_MS)
  assert.equal((await told.of(id, 'RETRYING')).txHash, null)
  assert.equal((await shown(live, id)).settlementStatus, 'RETRYING')
  const covering = told.blocks.at(-1)?.height ?? 0
  live.shiftClock(BLOCK_MS)
  const { txHash } = await told.of(id, 'MINED')
  const height = told.blocks.at(-1)?.height ?? 0
  assert(height > covering)
  assert.deepEqual(await shown(live, id), { settlementStatus: 'MINED', txHash, height })
  assert.deepEqual(desk.free(), before, 'a retry moves no money')
  assert.equal(await live.gauge('outcomex_settlement_retries_total'), 1)
})

test('a failed trade is taken back, and the others of its block are mined', async () => {
  const { live, told } = desk
  const before = desk.free()
  const failed = await desk.trade()
  const between = desk.free()
  assert.notDeepEqual(between, before)
  const other = await desk.trade()
  const both = desk.free()
  assert.equal((await desk.fault({ tradeEventId: failed.id }, 'FAILED')).status, 200)
  live.shiftClock(BLOCK_MS)
  await told.of(failed.id, 'FAILED')
  await told.of(other.id, 'MINED')
  const cost = before.map((raw, index) => raw - between[index])
  assert.deepEqual(
    desk.free(),
    both.map((raw, index) => raw + cost[index]),
  )
  assert.deepEqual(await shown(live, failed.id), {
    settlementStatus: 'FAILED',
    txHash: null,
    height: null,
  })
  assert.equal(await live.gauge('outcomex_settlement_failures_total'), 1)
  assert.equal((await desk.fault({ tradeEventId: failed.id }, 'FAILED')).status, 409)
})

test('a trade that is tried again may fail, and so may the next that come', async () => {
  const { live, told } = desk
  const before = desk.free()
  assert.equal((await desk.fault({ next: 1 }, 'RETRYING')).status, 200)
  const { id } = await desk.trade()
  live.shiftClock(BLOCK_MS)
  await told.of(id, 'RETRYING')
  assert.equal((await desk.fault({ next: 1 }, 'FAILED')).status, 200)
  live.shiftClock(BLOCK_MS)
  await told.of(id, 'FAILED')
  assert.deepEqual(desk.free(), before)
  assert.deepEqual(live.faults, [])
})

test('faults are for trades that wait, and asked for exactly', async () => {
  for (const body of [{}, { next: 1, tradeEventId: '7' }, { next: 0 }, { tradeEventId: 'x' }]) {
    assert.equal((await desk.fault(body, 'FAILED')).status, 400, JSON.stringify(body))
  }
  assert.equal((await desk.fault({ next: 1 }, 'MINED')).status, 400)
  assert.equal((await desk.fault({ tradeEventId: '999999' }, 'FAILED')).status, 409)
  assert.equal((await desk.fault({ tradeEventId: first.id }, 'FAILED')).status, 409)
  assert.equal((await desk.fault({ next: 1000 }, 'FAILED')).status, 200)
  assert.equal((await desk.fault({ next: 1 }, 'FAILED')).status, 503)
  const { status } = await desk.live.send('GET', '/admin/settlement')
  assert.equal(status, 401)
})

test('what waits for its block at a stop is mined after the next start', async () => {
  const dataDir = newFolder()
  const flags = ['--block-ms', `${BLOCK_MS}`]
  const desk = await Desk.open(flags, dataDir)
  const before = await desk.trade()
  desk.live.shiftClock(BLOCK_MS)
  await desk.told.of(before.id, 'MINED')
  const { id } = await desk.trade()
  await desk.live.stop()
  const live = await startLive({ dataDir, flags })
  try {
    live.shiftClock(BLOCK_MS * 2)
    const fact = await new Told(live).of(id, 'MINED')
    assert.equal(fact.txHash, txHashOf(CHAIN_ID, 2, Number(id)))
    assert.equal((await shown(live, id)).txHash, fact.txHash)
    const { pipeline, follower } = live.exchange
    await pipeline.settled()
    await follower.whenApplied(pipeline.durableSeq, 1000)
    assert.deepEqual(live.faults, [])
  } finally {
    await live.stop()
  }
})

test('with a block at once a reply says MINED and its hash', async () => {
  const desk = await Desk.open(['--block-ms', '0'])
  try {
    const { id, execution } = await desk.trade()
    assert.equal(at(execution, 'settlementStatus'), 'MINED')
    const { txHash } = await shown(desk.live, id)
    assert.equal(at(execution, 'txHash'), txHash)
    await desk.fault({ next: 1 }, 'FAILED')
    const failed = await desk.trade()
    assert.equal(at(failed.execution, 'settlementStatus'), 'FAILED')
    assert.equal(at(failed.execution, 'txHash'), null)
    await desk.fault({ next: 1 }, 'RETRYING')
    const tried = await desk.trade()
    assert.equal(at(tried.execution, 'settlementStatus'), 'RETRYING')
    assert.deepEqual(desk.live.faults, [])
  } finally {
    await desk.live.stop()
  }
})
