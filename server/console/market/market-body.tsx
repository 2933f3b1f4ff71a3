// All panels of one market: of its book, or of its pool.

import type { Context } from '../context.ts'
import { hasBook, isOpen } from '../exchange/market-format.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { Region } from '../page/blocks.tsx'
import { useOwned } from '../page/lifetime.ts'
import { LiveMarket } from './live-market.ts'
import { MarketHead } from './market-head.tsx'
import { OrdersPanel, PositionPanel } from './own/own-panels.tsx'
import { Ticket } from './own/ticket.tsx'
import type { LivePool } from './pool/live-pool.ts'
import { PoolTicket } from './pool/pool-ticket.tsx'
import { BookPanel, ClosedBook } from './shown/book-panel.tsx'
import { DepthPanel } from './shown/depth-panel.tsx'
import { HistoryPanel } from './shown/history-panel.tsx'
import { RulesPanel } from './shown/rules-panel.tsx'
import { TapePanel } from './shown/tape-panel.tsx'

interface MarketBodyProps {
  readonly context: Context
  readonly market: MarketView
  /** Asks the exchange what the market is now. */
  readonly due: () => void
}

/** Another market, or another state of it, is another body. */
export function MarketBody({ context, market, due }: MarketBodyProps) {
  const live = useOwned(() => new LiveMarket(context, market, due))
  return (
    <div class="market-body">
      <MarketHead live={live} />
      {live.pool === null ? (
        <BookColumns live={live} />
      ) : (
        <PoolColumns live={live} pool={live.pool} />
      )}
    </div>
  )
}

interface LiveProps {
  readonly live: LiveMarket
}

function BookColumns({ live }: LiveProps) {
  const { context, market, book, own, history, draft, tape } = live
  const isShown = hasBook(market)
  return (
    <div class="columns">
      <div class="column left">
        {isShown ? <BookPanel book={book} pick={draft.pick} /> : <ClosedBook market={market} />}
        {tape !== null && <TapePanel context={context} tape={tape} />}
      </div>
      <div class="column wide">
        <HistoryPanel history={history} />
        {isShown && <DepthPanel book={book} />}
        <RulesPanel context={context} market={market} />
      </div>
      <div class="column side">
        {isOpen(market) ? (
          <Ticket draft={draft} context={context} market={market} book={book} own={own} />
        ) : (
          <NoTicket market={market} />
        )}
        <OrdersPanel context={context} own={own} market={market} />
        <PositionPanel own={own} />
      </div>
    </div>
  )
}

function PoolColumns({ live, pool }: LiveProps & { readonly pool: LivePool }) {
  const { context, market, own, history } = live
  return (
    <div class="columns">
      <div class="column wide">
        <HistoryPanel history={history} />
        <RulesPanel context={context} market={market} />
      </div>
      <div class="column side">
        {isOpen(market) ? (
          <PoolTicket context={context} market={market} pool={pool} own={own} />
        ) : (
          <NoTicket market={market} />
        )}
        <PositionPanel own={own} />
      </div>
    </div>
  )
}

function NoTicket({ market: { status } }: { readonly market: MarketView }) {
  return (
    <Region label="Order ticket" name="ticket">
      <p class="soft">
        {status === 'RESOLVED'
          ? 'The market is resolved. Redeem winning shares on the Account page.'
          : 'The market takes no orders now.'}
      </p>
      <a href="#/account">Account</a>
    </Region>
  )
}
