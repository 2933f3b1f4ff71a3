// What the visitor has in the market that is shown: open orders, shares, free collateral. It is
// read again after each event of the visitor, and after trades that move its worth.

import type { Context } from '../context.ts'
import { call } from '../exchange/api.ts'
import { openOrdersOf } from '../exchange/orders.ts'
import type { MarketView, UserOrder } from '../exchange/shapes.ts'
import { Refresher } from '../page/refresher.ts'
import { Signal, type Unwatch } from '../page/signal.ts'

const PAUSE_MS = 300
/** Worth changes with each trade of anybody: it is read again in this time at the earliest. */
const WORTH_AFTER_MS = 3000
const RAW = 1_000_000

/** Shares of one outcome; amounts are raw. */
export interface Held {
  readonly outcome: 0 | 1
  readonly sharesRaw: number
  readonly costRaw: number
  readonly worthRaw: number
  /** Average cost of a share, 0 to 1. */
  readonly average: number
  readonly realisedRaw: number
  readonly unrealisedRaw: number
}

export interface OwnState {
  readonly orders: readonly UserOrder[]
  readonly held: readonly Held[]
  readonly freeRaw: number
}

interface Side {
  readonly cost: string
  readonly fillPrice: string
  readonly marketValue: string
  readonly realisedPnl: string
  readonly unrealizedPnl: string
}

interface Positions {
  readonly clob: readonly {
    readonly market: { readonly slug: string }
    readonly positions: { readonly yes: Side; readonly no: Side }
    readonly tokensBalance: { readonly yes: string; readonly no: string }
  }[]
  readonly amm: readonly {
    readonly market: { readonly slug: string }
    readonly outcomeIndex: 0 | 1
    readonly collateralAmount: string
    readonly outcomeTokenAmount: string
    readonly averageFillPrice: string
    readonly realizedPnl: string
    readonly unrealizedPnl: string
  }[]
}

function heldOf(outcome: 0 | 1, side: Side, balance: string): Held {
  return {
    outcome,
    sharesRaw: Number(balance),
    costRaw: Number(side.cost),
    worthRaw: Number(side.marketValue),
    average: Number(side.fillPrice) / RAW,
    realisedRaw: Number(side.realisedPnl),
    unrealisedRaw: Number(side.unrealizedPnl),
  }
}

/** The rows of one market; those of pools tell whole units. */
export function heldIn({ clob, amm }: Positions, slug: string): readonly Held[] {
  const own = clob.find(({ market }) => market.slug === slug)
  const ofBook =
    own === undefined
      ? []
      : [
          heldOf(0, own.positions.yes, own.tokensBalance.yes),
          heldOf(1, own.positions.no, own.tokensBalance.no),
        ]
  const raw = (units: string): number => Math.round(Number(units) * RAW)
  const ofPool = amm
    .filter(({ market }) => market.slug === slug)
    .map((row) => ({
      outcome: row.outcomeIndex,
      sharesRaw: raw(row.outcomeTokenAmount),
      costRaw: raw(row.collateralAmount),
      worthRaw: raw(row.collateralAmount) + raw(row.unrealizedPnl),
      average: Number(row.averageFillPrice),
      realisedRaw: raw(row.realizedPnl),
      unrealisedRaw: raw(row.unrealizedPnl),
    }))
  return [...ofBook, ...ofPool]
}

export class OwnMarket {
  /** Null while nobody is logged in, and before the first read. */
  readonly state = new Signal<OwnState | null>(null)
  readonly #context: Context
  readonly #market: MarketView
  readonly #refresher = new Refresher((signal) => this.#read(signal), PAUSE_MS)
  readonly #unwatches: Unwatch[]
  #timer = 0

  constructor(context: Context, market: MarketView) {
    this.#context = context
    this.#market = market
    const { streams, trader } = context
    this.#unwatches = [
      trader.profile.watch(() => this.refresh()),
      streams.orders(() => this.refresh()),
      streams.link.watch((link) => {
        if (link === 'live') this.refresh()
      }),
    ]
  }

  refresh(): void {
    this.#refresher.ask()
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
      this.state.set(null)
      return
    }
    const { slug, tradeType } = this.#market
    const isOver = this.#market.status === 'RESOLVED'
    try {
      const [orders, positions, balance] = await Promise.all([
        tradeType === 'amm' || isOver ? [] : openOrdersOf(trader, slug),
        call<Positions>('GET', '/portfolio/positions', { signal }),
        call<{ readonly free: string }>('GET', '/portfolio/balance', { signal }),
      ])
      const held = heldIn(positions, slug)
      if (!signal.aborted) this.state.set({ orders, held, freeRaw: Number(balance.free) })
    } catch (error) {
      if (!signal.aborted) notices.failure(error)
    }
  }
}
