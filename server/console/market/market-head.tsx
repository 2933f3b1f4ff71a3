// The head of a market: its question, its price, how long it trades, and for a slot of a series the
// slots around it and the price that it is decided by.

import { read } from '../exchange/api.ts'
import {
  deadlineOf,
  endWords,
  isOpen,
  publishedPrice,
  slotWords,
  statusWords,
} from '../exchange/market-format.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { countdown, evenCents, hourMinute, short } from '../page/format.ts'
import { useLayoutEffect, useSignal } from '../page/preact.ts'
import { marketLink } from '../page/router.tsx'
import type { LiveMarket } from './live-market.ts'

const TICK_MS = 1000
/** The clock of the exchange may be a little behind: it is read again for so long. */
const DUE_MS = 6000
const oracle = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })

interface LiveProps {
  readonly live: LiveMarket
}

export function MarketHead({ live }: LiveProps) {
  const { market } = live
  const line = useLine(market)
  const metadata = [...market.categories, `$${short(market.volume)} traded`, slotWords(market)]
  return (
    <header class="market-head">
      <h1>{market.title}</h1>
      <p class="metadata">
        <span class="chip" data-open={isOpen(market) ? '' : undefined}>
          {statusWords(market)}
        </span>
        <span class="soft">{metadata.filter((each) => each !== '').join(' · ')}</span>
        <Countdown live={live} />
        {line !== null && isOpen(market) && <OraclePrice live={live} symbol={line.job.symbol} />}
      </p>
      <Quote live={live} />
      {line !== null && <Slots line={line} slug={market.slug} />}
    </header>
  )
}

function Countdown({ live: { market, due } }: LiveProps) {
  const nowMs = useSignal(Date.now())
  useLayoutEffect(() => {
    if (market.status === 'RESOLVED') return
    const tick = () => {
      nowMs.value = Date.now()
      if (isTurning(market, nowMs.peek())) due()
    }
    tick()
    const ticking = setInterval(tick, TICK_MS)
    return () => clearInterval(ticking)
  }, [])
  return <span class="ends">{endSentence(market, nowMs.value)}</span>
}

function startOf({ startAt }: MarketView): number {
  return startAt === undefined ? 0 : Date.parse(startAt)
}

/** Whether the market opens or ends about now. */
function isTurning(market: MarketView, nowMs: number): boolean {
  const turnMs = isOpen(market) ? deadlineOf(market) : startOf(market)
  return turnMs !== null && turnMs <= nowMs && turnMs > nowMs - DUE_MS
}

function endSentence(market: MarketView, nowMs: number): string {
  if (market.status === 'RESOLVED') return ''
  const startMs = startOf(market)
  if (startMs > nowMs) return `Opens in ${countdown(startMs, nowMs)}`
  if (deadlineOf(market) === null) return ''
  const words = endWords(market, nowMs)
  return words === 'ended' ? 'Trading has ended' : `Ends in ${words}`
}

function priceOf({ book: { copy }, pool, market }: LiveMarket): number | null {
  if (market.status === 'RESOLVED') return publishedPrice(market)
  if (pool !== null) return pool.price.value
  if (copy === null) return publishedPrice(market)
  if (copy.bestBid !== null && copy.bestAsk !== null) return copy.midpoint
  return copy.lastTradePrice
}

function Quote({ live }: LiveProps) {
  const price = priceOf(live)
  return (
    <p class="quote">
      <span>
        YES <strong class="buy">{evenCents(price)}</strong>
      </span>
      <span>
        NO <strong class="sell">{evenCents(price === null ? null : 1 - price)}</strong>
      </span>
    </p>
  )
}

interface Line {
  readonly batch: readonly { readonly slug: string; readonly startAt: string }[]
  readonly job: { readonly symbol: string }
}

/** The series that a slot belongs to; null until it is read, and for other markets. */
function useLine({ slug, startAt }: MarketView): Line | null {
  const line = useSignal<Line | null>(null)
  useLayoutEffect(() => {
    if (startAt === undefined) return
    const ended = new AbortController()
    const path = `/markets/${encodeURIComponent(slug)}?include=timelinePreview`
    read<{ readonly timelinePreview?: Line | null }>(path, ended.signal).then(
      ({ timelinePreview = null }) => {
        line.value = timelinePreview
      },
      // The slots are a way to continue; the market is whole without them.
      () => {},
    )
    return () => ended.abort()
  }, [])
  return line.value
}

function Slots({ line: { batch, job }, slug }: { readonly line: Line; readonly slug: string }) {
  return (
    <nav class="slots" aria-label="Slots">
      <span class="soft">{job.symbol}</span>
      {batch.map((each) => (
        <a
          key={each.slug}
          href={marketLink(each.slug)}
          aria-current={each.slug === slug ? 'page' : undefined}
        >
          {hourMinute(each.startAt)}
        </a>
      ))}
    </nav>
  )
}

/** The price that a slot of a series is decided by. */
function OraclePrice({ live, symbol }: LiveProps & { readonly symbol: string }) {
  const { context, market } = live
  const price = useSignal<number | null>(null)
  useLayoutEffect(
    () =>
      context.streams.symbol(`${symbol}/USD`, ({ value }) => {
        price.value = value
      }),
    [],
  )
  if (price.value === null) return null
  const { openPrice } = market.metadata
  const opened = openPrice ?? null
  const from = opened === null ? '' : `, opened at ${oracle.format(Number(opened))}`
  return <span class="soft">{`${symbol} ${oracle.format(price.value)}${from}`}</span>
}
