// What the visitor has in the market that is shown: open orders, shares, free collateral. It is
// read again after each event of the visitor, and after trades that move its worth.

import type { Context } from '../../context.ts'
import { call, Refused } from '../../exchange/api.ts'
import { openOrdersOf } from '../../exchange/orders.ts'
import { type PositionRow, type Positions, rowsIn } from '../../exchange/positions.ts'
import type { MarketView, UserOrder } from '../../exchange/shapes.ts'
import type { Unsubscribe } from '../../exchange/streams.ts'
import { isModeRefusal } from '../../exchange/trading-mode.ts'
import { signal } from '../../page/preact.ts'
import { Refresher } from '../../page/refresher.ts'

const PAUSE_MS = 300
/** Worth changes with each trade of anybody: it is read again in this time at the earliest. */
const WORTH_AFTER_MS = 3000
/** Refusals that say that this page shows a state of the market that is over. */
const STATE_CHANGED: ReadonlySet<string> = new Set(['MARKET_NOT_TRADABLE', 'MARKET_NOT_FOUND'])

export interface OwnState {
  readonly orders: readonly UserOrder[]
  /** A row for each outcome, also where all of its shares are sold. */
  readonly held: readonly PositionRow[]
  readonly freeRaw: number
}

export class OwnMarket {
  /** Null while nobody is logged in, and before the first read. */
  readonly state = signal<OwnState | null>(null)
  readonly #context: Context
  readonly #market: MarketView
  readonly #due: () => void
  readonly #refresher = new Refresher((signal) => this.#read(signal), PAUSE_MS)
  readonly #unwatches: Unsubscribe[]
  #timer = 0

  /** `due` asks the exchange what the market is now. */
  constructor(context: Context, market: MarketView, due: () => void) {
    this.#context = context
    this.#market = market
    this.#due = due
    const { streams, trader } = context
    this.#unwatches = [
      trader.profile.subscribe(() => this.refresh()),
      streams.orders(() => this.refresh()),
      streams.link.subscribe((link) => {
        if (link === 'live') this.refresh()
      }),
    ]
  }

  refresh(): void {
    this.#refresher.refresh()
  }

  /** An order or a trade was refused: what the page shows may be why. */
  refused(error: unknown): void {
    if (!(error instanceof Refused)) return
    if (STATE_CHANGED.has(error.code)) this.#due()
    if (isModeRefusal(error.code)) void this.#context.mode.refresh()
  }

  pricesMoved(): void {
    const isHolder = this.state.value?.held.some(({ sharesRaw }) => sharesRaw !== 0)
    if (isHolder !== true || this.#timer !== 0) return
    this.#timer = setTimeout(() => {
      this.#timer = 0
      this.refresh()
    }, WORTH_AFTER_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#refresher.stop()
    for (const unwatch of this.#unwatches) unwatch()
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { trader, notices } = this.#context
    if (trader.profile.value === null) {
      this.state.value = null
      return
    }
    const { slug, tradeType } = this.#market
    const isOver = this.#market.status === 'RESOLVED'
    try {
      const [orders, positions, balance] = await Promise.all([
        tradeType === 'amm' || isOver ? [] : openOrdersOf(trader, slug),
        call<Positions>('GET', `/portfolio/positions?market=${slug}`, { signal }),
        call<{ readonly free: string }>('GET', '/portfolio/balance', { signal }),
      ])
      const held = rowsIn(positions, slug)
      if (!signal.aborted) this.state.value = { orders, held, freeRaw: Number(balance.free) }
    } catch (error) {
      if (!signal.aborted) notices.failure(error)
    }
  }
}
