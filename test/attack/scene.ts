import assert from 'node:assert/strict'
import { LIMITS } from '../../engine/domain/limits.ts'
import { integer, text } from '../../server/edge/http/schema/scalars.ts'
import { compile, list, openObject } from '../../server/edge/http/schema/schema.ts'
import {
  type ExchangeClient,
  orderBody,
  orderShape,
  SHARE,
  shaped,
  type TestMarket,
  type Trader,
} from '../support/exchange-client.ts'
import { prepareAround, type Things } from './around/prepared.ts'

// What the exchange holds before an attack: the traders of the load, and what the attacker
// prepared.

export interface Sizes {
  /** The number of all markets, with those of the load. */
  readonly markets: number
  /** Markets that the folder had before. */
  readonly marketsBefore: number
  /** Orders that one wide act affects. */
  readonly wideOrders: number
  /** Profiles with an order, which follow one profile. */
  readonly fans: number
  /** Profiles with a heartbeat: the fans, and others that have nothing. */
  readonly beaters: number
  /** Makers of each order whose status is requested. */
  readonly makers: number
}

export const WHOLE: Sizes = {
  markets: 4092,
  marketsBefore: 0,
  wideOrders: LIMITS.openOrdersPerProfileMax,
  fans: 2500,
  makers: 100,
  beaters: LIMITS.subAccountsPerPartnerMax,
}
export const SMALL: Sizes = {
  markets: 12,
  marketsBefore: 0,
  wideOrders: 200,
  fans: 10,
  beaters: 20,
  makers: 4,
}

export interface Scene {
  readonly traders: readonly Trader[]
  readonly markets: readonly TestMarket[]
  readonly attacker: Trader
  /** The market of the attacker's own orders. */
  readonly quiet: TestMarket
  /** Has as many open orders as one profile may, all in `full`. */
  readonly holder: Trader
  readonly full: TestMarket
  /** A market full of orders that a buyer of `yes` takes. */
  readonly sellers: TestMarket
  readonly sweepSize: number
  /** As many of all markets as one socket may follow, those of the load first. */
  readonly slugs: readonly string[]
  /** Two markets that packs can be made of. */
  readonly legs: readonly TestMarket[]
  /** A profile that all fans follow. */
  readonly famous: Trader
  readonly things: Things
  readonly fans: readonly Trader[]
  readonly beaters: readonly Trader[]
  /** Orders of the attacker with many makers. */
  readonly statusIds: readonly string[]
}

const FUNDS_RAW = 1_000_000_000_000
/** All fans together stay far below what an exchange may hold. */
const FAN_RAW = 100_000_000_000
/** As many orders as one more profile may rest beside those of the holder (`fair-share.ts`). */
const SELLERS_MAX = 100_000
const TRADERS = 4
const STATUS_ORDERS = 50
const BATCH = 50
const AT_ONCE = 8
/** New profiles in one commit of the journal, so that 131,072 of them take minutes. */
const PROFILES_AT_ONCE = 64
const results = compile(openObject({ results: list(openObject({ status: integer() })) }))
const slugsShape = compile(list(openObject({ slug: text() })))

/** Runs `work` for 0 to `count` - 1, `atOnce` at a time. */
export async function inSlices(
  count: number,
  work: (index: number) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

export class SceneMaker {
  readonly #client: ExchangeClient
  readonly #sizes: Sizes
  #salt = 1

  constructor(client: ExchangeClient, sizes: Sizes) {
    this.#client = client
    this.#sizes = sizes
  }

  async make(): Promise<Scene> {
    const { wideOrders, beaters: beaterCount, markets: marketCount } = this.#sizes
    const traders = await this.#traders('trader', TRADERS)
    const [attacker, maker, holder] = await this.#traders('attacker', 3)
    const markets = await this.#markets('load', 2)
    const [quiet, requested] = await this.#markets('quiet', 2)
    const legs = await this.#markets('legs', 2)
    const [full, sellers] = await this.#markets('wide', 2)
    await this.#fill(holder, full, wideOrders, 'yes', 1)
    const sold = Math.min(wideOrders, SELLERS_MAX)
    await this.#fill(maker, sellers, sold, 'no', 500)
    const statusIds = await this.#traded(attacker, maker, requested)
    const fans = await this.#fans(quiet)
    const others = await this.#traders('beater', beaterCount - fans.length, 0)
    const beaters = [...fans, ...others]
    const made = 2 + 2 + 2 + 2
    await inSlices(marketCount - made, (index) => this.#client.makeMarket(`more-${index}`, true))
    const active = shaped(slugsShape, await this.#client.get('/markets/active/slugs'))
    assert.equal(active.length, marketCount + this.#sizes.marketsBefore)
    const named = [...markets.map(({ slug }) => slug), ...active.map(({ slug }) => slug)]
    const slugs = [...new Set(named)].slice(0, LIMITS.socketMarketsMax)
    const followed = [...traders, maker]
    const around = { attacker, famous: maker, fans, followed, legs, slugs }
    const things = await prepareAround(this.#client, around)
    const many = { full, sellers, fans, beaters, statusIds, slugs, legs, things }
    const prepared = { traders, markets, attacker, quiet, holder, famous: maker, ...many }
    return { ...prepared, sweepSize: sold * SHARE }
  }

  async #traders(name: string, count: number, fundsRaw = FUNDS_RAW): Promise<Trader[]> {
    const made: Trader[] = []
    const trader = (index: number) => this.#client.makeTrader(`${name} ${index}`, fundsRaw)
    // The exchange ends an idle connection, which a busy client may just then use again.
    const make = async (index: number) => {
      made[index] = await trader(index).catch(() => trader(index))
    }
    await inSlices(count, make, PROFILES_AT_ONCE)
    return made
  }

  async #markets(name: string, count: number): Promise<TestMarket[]> {
    const made: TestMarket[] = []
    await inSlices(count, async (index) => {
      made[index] = await this.#client.makeMarket(`${name}-${index}`, true)
    })
    return made
  }

  /** Places orders of one share at one price, which rest. */
  async #fill(
    trader: Trader,
    market: TestMarket,
    count: number,
    outcome: 'yes' | 'no',
    ticks: number,
  ): Promise<void> {
    await inSlices(Math.ceil(count / BATCH), async (index) => {
      const orders = Array.from({ length: Math.min(BATCH, count - index * BATCH) }, () => {
        const terms = { isBuy: true, outcome, ticks, sizeRaw: SHARE, salt: this.#salt++ }
        return orderBody(trader, market, { ...terms, type: 'GTC' })
      })
      const body = `{"orders":[${orders.join(',')}]}`
      const reply = await this.#client.call(trader, 'POST', '/orders/batch', body)
      const taken = shaped(results, reply.body).results.map(({ status }) => status)
      assert.deepEqual(new Set(taken), new Set([201]))
    })
  }

  async #traded(taker: Trader, maker: Trader, market: TestMarket): Promise<string[]> {
    const { makers } = this.#sizes
    const ids: string[] = []
    for (let index = 0; index < STATUS_ORDERS; index++) {
      await this.#fill(maker, market, makers, 'no', 500)
      const terms = { isBuy: true, outcome: 'yes', ticks: 500, sizeRaw: makers * SHARE } as const
      const wanted = { ...terms, type: 'FAK', salt: this.#salt++ } as const
      const { status, body } = await this.#client.place(taker, market, wanted)
      assert.equal(status, 201)
      ids.push(shaped(orderShape, body).order.id)
    }
    return ids
  }

  /** Traders, each with an order that the deadline of its heartbeat cancels. */
  async #fans(market: TestMarket): Promise<Trader[]> {
    const made = await this.#traders('fan', this.#sizes.fans, FAN_RAW)
    const wanted = { isBuy: true, outcome: 'yes', ticks: 1, sizeRaw: SHARE, type: 'GTC' } as const
    await inSlices(made.length, (index) =>
      this.#client.placed(made[index], market, { ...wanted, salt: this.#salt++ }),
    )
    return made
  }
}
