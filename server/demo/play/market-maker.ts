// Two bots of the demo: a maker that quotes around a wandering price, and an occasional taker.

import type { DemoClient, DemoMarket } from '../demo-client.ts'
import { type BotOptions, startRounds } from './rounds.ts'
import { whileOpen } from './while-open.ts'

export interface MarketMaker {
  /** Resolves when every book has its first quotes. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

interface Book {
  ticks: number
  readonly quotes: Quotes
}

export interface MarketMakerOptions extends BotOptions {
  readonly maker: DemoClient
  readonly taker: DemoClient
  /** The markets to quote now; they change over time. */
  readonly markets: () => Promise<readonly DemoMarket[]>
}

const ROUND_MS = 1500
/** A round moves one in this many of the books: what a quiet demo writes must fit a disk. */
const PARTS = 3
const LEVELS = 4
const LEVEL_STEP_TICKS = 10
const HALF_SPREAD_TICKS = 10
const LEVEL_SHARES = 100
/**
 * Beyond the levels, one order rests on each side, because only rested orders price packs. It is
 * replaced once the price has wandered this far from it, which takes minutes.
 */
const PATIENT_AWAY_TICKS = 45
const PATIENT_UNTIL_TICKS = 25
const PATIENT_SHARES = 500

function wander(ticks: number): number {
  const step = Math.round((Math.random() - 0.5) * 16)
  return Math.min(850, Math.max(150, ticks + step))
}

/**
 * Quotes both sides with buys only (YES below, NO above), so the maker needs no shares. The new
 * quotes are placed before the old ones are canceled, so the book is never empty. They never cross
 * each other: the price wanders by less than the spread.
 */
class Quotes {
  readonly #maker: DemoClient
  readonly #market: DemoMarket
  /** Null when other quotes may be open: those of an earlier process, or of a failed round. */
  #orderIds: string[] | null = null
  #patient: { readonly fairTicks: number; readonly orderIds: readonly string[] } | null = null

  constructor(maker: DemoClient, market: DemoMarket) {
    this.#maker = maker
    this.#market = market
  }

  async renew(fairTicks: number): Promise<void> {
    const old = this.#orderIds
    if (old === null) {
      await this.#maker.call('DELETE', `/orders/all/${this.#market.slug}`)
      this.#patient = null
    }
    this.#orderIds = null
    await this.#keepPatient(fairTicks)
    const quoted: string[] = []
    for (let level = 0; level < LEVELS; level++) {
      const awayTicks = HALF_SPREAD_TICKS + level * LEVEL_STEP_TICKS
      const shares = LEVEL_SHARES * (level + 1)
      quoted.push(...(await this.#bothSides(fairTicks, awayTicks, shares)))
    }
    if (old !== null) await this.#maker.cancel(old)
    this.#orderIds = quoted
  }

  async #bothSides(fairTicks: number, awayTicks: number, shares: number): Promise<string[]> {
    const ids: string[] = []
    for (const outcome of [0, 1] as const) {
      const ownTicks = outcome === 0 ? fairTicks : 1000 - fairTicks
      const order = { isBuy: true, shares, outcome, priceTicks: ownTicks - awayTicks }
      ids.push(await this.#maker.place(this.#market, { ...order, type: 'GTC' }))
    }
    return ids
  }

  async #keepPatient(fairTicks: number): Promise<void> {
    const old = this.#patient
    if (old !== null && Math.abs(fairTicks - old.fairTicks) <= PATIENT_UNTIL_TICKS) return
    this.#patient = null
    if (old !== null) await this.#maker.cancel(old.orderIds)
    const orderIds = await this.#bothSides(fairTicks, PATIENT_AWAY_TICKS, PATIENT_SHARES)
    this.#patient = { fairTicks, orderIds }
  }
}

async function takeSome(taker: DemoClient, market: DemoMarket, fairTicks: number): Promise<void> {
  const outcome = Math.random() < 0.5 ? 0 : 1
  const ownTicks = outcome === 0 ? fairTicks : 1000 - fairTicks
  const shares = 1 + Math.floor(Math.random() * 20)
  const priceTicks = Math.min(990, ownTicks + 2 * HALF_SPREAD_TICKS)
  await taker.place(market, { isBuy: true, outcome, priceTicks, shares, type: 'FAK' })
}

class Books {
  readonly #maker: DemoClient
  readonly #bySlug = new Map<string, Book>()
  #opened = 0

  constructor(maker: DemoClient) {
    this.#maker = maker
  }

  has({ slug }: DemoMarket): boolean {
    return this.#bySlug.has(slug)
  }

  /** A new market starts at its own price. */
  of(market: DemoMarket): Book {
    const known = this.#bySlug.get(market.slug)
    if (known !== undefined) return known
    const ticks = market.isSlot ? 500 : 250 + ((100 * ++this.#opened) % 500)
    const book = { ticks, quotes: new Quotes(this.#maker, market) }
    this.#bySlug.set(market.slug, book)
    return book
  }

  /** Forgets the others. */
  keep(open: readonly DemoMarket[]): void {
    for (const slug of this.#bySlug.keys()) {
      if (!open.some((market) => market.slug === slug)) this.#bySlug.delete(slug)
    }
  }
}

export function startMarketMaker(options: MarketMakerOptions): MarketMaker {
  const { maker, taker, markets, warn, audience } = options
  const books = new Books(maker)
  const isOpen = async ({ slug }: DemoMarket) =>
    (await markets()).some((each) => each.slug === slug)
  const trade = async (market: DemoMarket) => {
    const book = books.of(market)
    book.ticks = wander(book.ticks)
    await book.quotes.renew(book.ticks)
    if (Math.random() < 0.5) await takeSome(taker, market, book.ticks)
  }
  let stopped = false
  let cycle = 0
  const round = async () => {
    const open = await markets()
    const part = cycle++ % PARTS
    books.keep(open)
    const failures: unknown[] = []
    for (const [index, market] of open.entries()) {
      if (stopped) break
      if (books.has(market) && index % PARTS !== part) continue
      try {
        await whileOpen(
          () => isOpen(market),
          () => trade(market),
        )
      } catch (error) {
        // A slot may end while it is quoted. The failure of one market must not stop the others.
        if (!market.isSlot) failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  let reportReady = () => {}
  const ready = new Promise<void>((resolve) => {
    reportReady = resolve
  })
  const rounds = startRounds({
    name: "the demo's market maker",
    warn,
    audience,
    first: () => round().finally(reportReady),
    round,
    pauseMs: () => ROUND_MS,
  })
  return {
    ready,
    stop() {
      stopped = true
      return rounds.stop()
    },
  }
}
