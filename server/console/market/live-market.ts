// Everything that is followed of the market that is shown, for all of its panels.

import type { Context } from '../context.ts'
import { isOpen } from '../exchange/market-format.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { effect } from '../page/preact.ts'
import { OrderDraft } from './own/order-draft.ts'
import { OwnMarket } from './own/own-market.ts'
import { LivePool } from './pool/live-pool.ts'
import { LiveBook } from './shown/live-book.ts'
import { LiveTape } from './shown/live-tape.ts'
import { PriceHistory } from './shown/price-history.ts'

export class LiveMarket {
  readonly context: Context
  readonly market: MarketView
  /** Asks the exchange what the market is now: it opens, ends or closed. */
  readonly due: () => void
  readonly book: LiveBook
  readonly own: OwnMarket
  readonly history: PriceHistory
  readonly draft: OrderDraft
  /** Null for a market with a book. */
  readonly pool: LivePool | null
  /** Null for a pool. */
  readonly tape: LiveTape | null
  readonly #end: () => void

  constructor(context: Context, market: MarketView, due: () => void) {
    this.context = context
    this.market = market
    this.due = due
    this.book = new LiveBook(context.streams, market)
    this.own = new OwnMarket(context, market, due)
    this.history = new PriceHistory(market)
    this.draft = new OrderDraft(this)
    const isPool = market.tradeType === 'amm'
    this.pool = isPool ? new LivePool(context, market) : null
    this.tape = isPool ? null : this.#tape()
    this.#end = this.pool === null ? this.#followEmptying() : this.#followPool(this.pool)
  }

  stop(): void {
    this.#end()
    for (const each of [this.book, this.own, this.history, this.pool, this.tape]) each?.stop()
  }

  #tape(): LiveTape {
    const { slug, status } = this.market
    return new LiveTape(this.context, {
      slug,
      // A book that is not shown may trade, and a closed one may have trades taken back.
      isLive: status !== 'RESOLVED' && status !== 'DRAFT',
      onTrade: ({ price, timestamp }) => this.#traded(price, timestamp),
    })
  }

  #followPool({ price }: LivePool): () => void {
    return price.subscribe((now) => {
      if (now !== null && isOpen(this.market)) this.#traded(now, new Date().toISOString())
      else this.own.pricesMoved()
    })
  }

  #traded(price: number, timestamp: string): void {
    this.history.addTrade(price, timestamp)
    this.own.pricesMoved()
  }

  /** No stream publishes that a market closed, but its orders end then. */
  #followEmptying(): () => void {
    let wasEmpty = true
    return effect(() => {
      const { copy } = this.book
      if (copy?.isCurrent !== true) return
      const isEmpty = copy.bestBid === null && copy.bestAsk === null
      if (isEmpty && !wasEmpty) this.due()
      wasEmpty = isEmpty
    })
  }
}
