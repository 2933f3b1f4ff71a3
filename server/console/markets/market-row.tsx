// One row of the list: a market with its live price. It follows its book while it is in view, and a
// change renders this row alone.

import type { Context } from '../context.ts'
import { endWords, hasBook, nameOf, publishedPrice, slotWords } from '../exchange/market-format.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { evenCents, hourMinute, short } from '../page/format.ts'
import {
  batch,
  type ComponentChildren,
  type ReadonlySignal,
  type Signal,
  useLayoutEffect,
  useRef,
  useSignal,
} from '../page/preact.ts'
import { marketLink } from '../page/router.tsx'

interface Prices {
  readonly yes: number | null
  readonly bid: number | null
  readonly ask: number | null
}

/** Calls with whether an element is in view; gives the end of that. */
export type WatchView = (element: Element, watcher: (isSeen: boolean) => void) => () => void

interface MarketRowProps {
  readonly context: Context
  readonly market: MarketView
  readonly isChild: boolean
  readonly nowMs: ReadonlySignal<number>
  readonly watchView: WatchView
}

export function MarketRow({ context, market, isChild, nowMs, watchView }: MarketRowProps) {
  const { slug, tradeType, volume } = market
  const element = useRef<HTMLDivElement>(null)
  const isSeen = useSignal(false)
  const prices = useSignal<Prices | null>(null)
  const isStale = useSignal(false)
  useLayoutEffect(() => {
    if (element.current === null) return
    return watchView(element.current, (seen) => {
      isSeen.value = seen
    })
  }, [])
  // A row out of view costs nothing.
  useLayoutEffect(
    () => (isSeen.value ? follow(context, market, prices, isStale) : undefined),
    [isSeen.value, hasBook(market)],
  )
  const { yes, bid, ask } = prices.value ?? { yes: publishedPrice(market), bid: null, ask: null }
  const price = (value: number | null) => (tradeType === 'group' ? '' : evenCents(value))
  return (
    <div
      ref={element}
      class={isChild ? 'market child' : 'market'}
      role="row"
      data-slug={slug}
      data-kind={tradeType}
      data-state={isStale.value ? 'stale' : 'current'}
    >
      <span class="name" role="cell">
        <a class="open" href={marketLink(slug)}>
          {isChild ? nameOf(market) : market.title}
        </a>
        <span class="about soft">{isChild ? '' : aboutOf(market)}</span>
      </span>
      <Cell name="yes">{price(yes)}</Cell>
      <Cell name="buy wide">{price(bid)}</Cell>
      <Cell name="sell wide">{price(ask)}</Cell>
      <Cell name="wide">${short(volume)}</Cell>
      <Cell name="ends">
        <End market={market} nowMs={nowMs} />
      </Cell>
    </div>
  )
}

function Cell({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <span class={`number ${name}`} role="cell">
      {children}
    </span>
  )
}

function End({ market, nowMs }: Pick<MarketRowProps, 'market' | 'nowMs'>) {
  return <>{endWords(market, nowMs.value)}</>
}

function aboutOf(market: MarketView): string {
  const { categories, nextMarket, markets, tradeType } = market
  const next = nextMarket ? `next at ${hourMinute(nextMarket.startAt)}` : ''
  const count = markets === undefined ? '' : `${markets.length} markets`
  const kind = tradeType === 'amm' ? 'pool' : ''
  const parts = [...categories, slotWords(market), next, count, kind]
  return parts.filter((each) => each !== '').join(' · ')
}

function follow(
  { streams }: Context,
  market: MarketView,
  prices: Signal<Prices | null>,
  isStale: Signal<boolean>,
): (() => void) | undefined {
  const { address, tradeType, slug } = market
  if (tradeType === 'amm' && address !== undefined) {
    return streams.pool(address, ({ updatedPrices: [now] }) => {
      prices.value = { yes: now?.yesPrice ?? null, bid: null, ask: null }
    })
  }
  if (!hasBook(market)) return undefined
  return streams.book(slug, (copy) => {
    batch(() => {
      isStale.value = !copy.isCurrent
      if (!copy.isCurrent) return
      const { bestBid: bid, bestAsk: ask, midpoint, lastTradePrice } = copy
      const isTwoSided = bid !== null && ask !== null
      prices.value = { yes: isTwoSided ? midpoint : lastTradePrice, bid, ask }
    })
  })
}
