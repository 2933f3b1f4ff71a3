import assert from 'node:assert/strict'
import type {
  BlockEvent,
  Mining,
  SettlementEvent,
  SettlementListener,
} from '../../server/exchange/settlement/mining.ts'
import { newFolder } from './data-folder.ts'
import { exchange } from './exchange.ts'
import { at, textAt } from './json-path.ts'
import { ADMIN_TOKEN, type LiveExchange, type Trader } from './live-exchange.ts'
import type { LiveMarket } from './live-orders.ts'

// A live exchange for tests of the chain: a maker, a taker, a market, and the settlement events of
// their trades. With a block interval of BLOCK_MS, a test makes a block by moving the clock by it.

export const UNIT = 1_000_000
export const BLOCK_MS = 60_000
export const ADMIN = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

function miningOf(live: LiveExchange): Mining {
  const { mining } = live.exchange.pipeline
  assert(mining !== null)
  return mining
}

/** Keeps every block and settlement event, and lets a test wait for them. */
export class Reported implements SettlementListener {
  readonly blocks: BlockEvent[] = []
  readonly events: SettlementEvent[] = []
  #wake: () => void = () => {}

  readonly #mining: Mining

  constructor(live: LiveExchange) {
    this.#mining = miningOf(live)
    this.#mining.listen(this)
  }

  onBlock(block: BlockEvent): void {
    const { ms: nowMs } = block
    this.blocks.push(block)
    for (const { tradeSeq } of block.mined) {
      const txHash = this.#mining.txHashIn(block, tradeSeq)
      this.events.push({ tradeSeq, status: 'MINED', txHash, nowMs })
    }
    setImmediate(() => this.#wake())
  }

  onSetback(event: SettlementEvent): void {
    this.events.push(event)
    setImmediate(() => this.#wake())
  }

  /** The newest event of a trade, once it has this status. */
  async of(tradeEventId: string, status: string): Promise<SettlementEvent> {
    const newest = () => this.events.findLast(({ tradeSeq }) => `${tradeSeq}` === tradeEventId)
    for (;;) {
      const event = newest()
      if (event?.status === status) return event
      await this.#more()
    }
  }

  /** Waits until this many events have this status. */
  async count(status: string, least: number): Promise<void> {
    while (this.events.filter((event) => event.status === status).length < least) await this.#more()
  }

  /** Waits for this many blocks. */
  async block(least: number): Promise<void> {
    while (this.blocks.length < least) await this.#more()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

interface Shown {
  readonly settlementStatus: string
  readonly txHash: string | null
  readonly height: number | null
}

export async function shown(live: LiveExchange, tradeEventId: string): Promise<Shown> {
  const { status, body, text } = await live.send('GET', '/admin/settlement?limit=50', ADMIN)
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

export class Desk {
  readonly live: LiveExchange
  readonly reported: Reported
  readonly maker: Trader
  readonly taker: Trader
  readonly market: LiveMarket

  constructor(
    live: LiveExchange,
    reported: Reported,
    maker: Trader,
    taker: Trader,
    market: LiveMarket,
  ) {
    this.live = live
    this.reported = reported
    this.maker = maker
    this.taker = taker
    this.market = market
  }

  static async open(flags: readonly string[], dataDir = newFolder()): Promise<Desk> {
    const names = { markets: ['chain'], traders: ['maker', 'taker'] } as const
    const { live, maker, taker, chain } = await exchange({ dataDir, flags, ...names })
    return new Desk(live, new Reported(live), maker, taker, chain)
  }

  /** Mints ten pairs; gives the reply to the taker. */
  async trade(): Promise<{ id: string; execution: unknown }> {
    const { live, market } = this
    const takes = await live.trade(this.maker, this.taker, market, { ticks: 600 })
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
