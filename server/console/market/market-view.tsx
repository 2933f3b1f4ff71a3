// The page of one market, or of a group: a tab for each of its markets.

import './market.css'
import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import { hasBook, nameOf, publishedPrice } from '../exchange/market-format.ts'
import type { MarketView as Market } from '../exchange/shapes.ts'
import { evenCents } from '../page/format.ts'
import { whileVisible } from '../page/lifetime.ts'
import { useLayoutEffect, useMemo, useSignal } from '../page/preact.ts'
import { type Reading, useReading } from '../page/reading.tsx'
import { MarketBody } from './market-body.tsx'

/** The exchange closes a market at its deadline, a moment before or after this page sees it. */
const PAUSE_MS = 1500
/** No stream publishes that an operator closed, opened or flagged a market. */
const READ_AGAIN_MS = 30_000
/** So many tabs follow their books; one subscription takes them and the chosen market. */
const LIVE_MAX = 60
const CHOSEN = 'market'
const TAB_PANEL = 'group-market'

interface MarketViewProps {
  readonly context: Context
  readonly slug: string
}

export function MarketView({ context, slug }: MarketViewProps) {
  const reading = useReading(async (signal) => {
    const market = await read<Market>(`/markets/${encodeURIComponent(slug)}`, signal)
    if (!signal.aborted) document.title = `${market.title} · outcomex`
    return market
  }, PAUSE_MS)
  useLayoutEffect(() => follow(context, slug, reading), [])
  const { reply, fault } = reading
  const states = reply.value === null ? '' : statesOf(reply.value)
  // What is shown stays as long as nothing of it changed: a ticket that is being filled in too.
  const market = useMemo(() => reply.value, [states])
  return (
    <section class="view market-page">
      {market === null ? (
        <NoMarket fault={fault.value} />
      ) : (
        <Found key={states} context={context} market={market} due={() => reading.again()} />
      )}
    </section>
  )
}

/** What decides which panels a market has. */
function statesOf(market: Market): string {
  const own = [market.status, market.winningOutcomeIndex, market.payoutNumerators?.join('/')]
  return [...own, ...(market.markets ?? []).map(statesOf)].join(' ')
}

/** Reads again after what may have changed the market; gives the end of that. */
function follow({ streams }: Context, slug: string, reading: Reading<Market>): () => void {
  const ends = [
    streams.returns(() => reading.again()),
    streams.lifecycle((changed) => {
      const isChild = reading.reply.peek()?.markets?.some((each) => each.slug === changed)
      if (changed === slug || isChild) reading.again()
    }),
    whileVisible(READ_AGAIN_MS, () => reading.again()),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function NoMarket({ fault }: { readonly fault: string }) {
  if (fault === '') return <p class="soft">Loading…</p>
  return (
    <>
      <h1>No such market</h1>
      <p>{fault}</p>
      <a href="#/">All markets</a>
    </>
  )
}

interface FoundProps {
  readonly context: Context
  readonly market: Market
  readonly due: () => void
}

function Found({ context, market, due }: FoundProps) {
  if (market.tradeType === 'group') return <Group context={context} market={market} due={due} />
  return <MarketBody context={context} market={market} due={due} />
}

/** The address keeps which market is chosen. */
function chosenInAddress(): string | null {
  return new URLSearchParams(location.hash.split('?')[1]).get(CHOSEN)
}

function Group({ context, market: group, due }: FoundProps) {
  const children = group.markets ?? []
  const chosen = useSignal(chosenInAddress())
  const shown = children.find(({ slug }) => slug === chosen.value) ?? children[0]
  const choose = (slug: string) => {
    const [path] = location.hash.split('?')
    history.replaceState(null, '', `${path}?${CHOSEN}=${encodeURIComponent(slug)}`)
    chosen.value = slug
  }
  return (
    <>
      <p class="group-title">{group.title}</p>
      <Tabs context={context} markets={children} shown={shown?.slug} choose={choose} />
      <div id={TAB_PANEL} role="tabpanel" aria-label="Market">
        {shown !== undefined && (
          <MarketBody key={shown.slug} context={context} market={shown} due={due} />
        )}
      </div>
    </>
  )
}

interface TabsProps {
  readonly context: Context
  readonly markets: readonly Market[]
  readonly shown: string | undefined
  readonly choose: (slug: string) => void
}

/** The markets of a group with their live prices; arrows move between them. */
function Tabs({ context, markets, shown, choose }: TabsProps) {
  const move = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const tabs = [...event.currentTarget.querySelectorAll('button')]
    if (step === undefined || !(event.target instanceof HTMLButtonElement)) return
    const index = tabs.indexOf(event.target) + step
    const next = markets[index]
    if (next === undefined) return
    event.preventDefault()
    choose(next.slug)
    tabs[index]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="Markets of the group" onKeyDown={move}>
      {markets.map((market, index) => (
        <button
          key={market.slug}
          type="button"
          role="tab"
          aria-controls={TAB_PANEL}
          aria-selected={market.slug === shown}
          tabIndex={market.slug === shown ? 0 : -1}
          onClick={() => choose(market.slug)}
        >
          <span>{nameOf(market)}</span>
          <TabPrice context={context} market={market} isLive={index < LIVE_MAX} />
        </button>
      ))}
    </div>
  )
}

interface TabPriceProps {
  readonly context: Context
  readonly market: Market
  readonly isLive: boolean
}

function TabPrice({ context: { streams }, market, isLive }: TabPriceProps) {
  const price = useSignal(publishedPrice(market))
  useLayoutEffect(() => {
    if (!isLive || !hasBook(market)) return
    return streams.book(market.slug, (copy) => {
      if (!copy.isCurrent) return
      const isTwoSided = copy.bestBid !== null && copy.bestAsk !== null
      price.value = isTwoSided ? copy.midpoint : copy.lastTradePrice
    })
  }, [])
  return <span class="number">{evenCents(price.value)}</span>
}
