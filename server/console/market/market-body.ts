// All panels of one market: of its book, or of its pool.

import type { Context } from '../context.ts'
import { hasBook, isOpen } from '../exchange/market-words.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { h } from '../page/dom.ts'
import type { Unwatch } from '../page/signal.ts'
import { MarketHead } from './market-head.ts'
import { OwnMarket } from './own/own-market.ts'
import { ordersPanel, positionPanel } from './own/own-panels.ts'
import { Ticket } from './own/ticket.ts'
import { LivePool } from './pool/live-pool.ts'
import { PoolTicket } from './pool/pool-ticket.ts'
import { BookPanel, closedBook } from './shown/book-panel.ts'
import { DepthPanel } from './shown/depth-panel.ts'
import { HistoryPanel } from './shown/history-panel.ts'
import { LiveBook } from './shown/live-book.ts'
import { type Panel, panel } from './shown/panel.ts'
import { rulesPanel } from './shown/rules-panel.ts'
import { TapePanel } from './shown/tape-panel.ts'

function column(name: string, ...panels: readonly Panel[]): HTMLElement {
  return h('div', { class: `column ${name}` }, ...panels.map(({ element }) => element))
}

function noTicket(market: MarketView): Panel {
  const words =
    market.status === 'RESOLVED'
      ? 'The market is resolved. Shares that won are redeemed in the account.'
      : 'The market takes no orders now.'
  const link = h('a', { href: '#/account' }, 'Account')
  const element = panel('Order ticket', 'ticket', h('p', { class: 'soft' }, words), link)
  return { element, stop() {} }
}

/** No stream tells that a market closed, but its orders end then. */
function onEmptied(book: LiveBook, due: () => void): Unwatch {
  let wasEmpty = true
  return book.watch(() => {
    if (book.copy?.isCurrent !== true) return
    const isEmpty = book.copy.bestBid === null && book.copy.bestAsk === null
    if (isEmpty && !wasEmpty) due()
    wasEmpty = isEmpty
  })
}

/** `due` asks the exchange what the market is now. */
export function marketBody(context: Context, market: MarketView, due: () => void): Panel {
  const book = new LiveBook(context.streams, market)
  const own = new OwnMarket(context, market, due)
  const pool = market.tradeType === 'amm' ? new LivePool(context, market) : null
  const head = new MarketHead({ context, market, book, pool, due })
  const history = new HistoryPanel(market)
  const position = positionPanel(own)
  const rules = rulesPanel(market)
  const ends: { stop(): void }[] = [book, own, head, history, position, rules]
  const frame = (...columns: readonly HTMLElement[]): Panel => ({
    element: h(
      'div',
      { class: 'market-body' },
      head.element,
      h('div', { class: 'columns' }, ...columns),
    ),
    stop() {
      for (const each of ends) each.stop()
    },
  })
  if (pool !== null) {
    const parts = { context, market, pool, own }
    const ticket = isOpen(market) ? new PoolTicket(parts) : noTicket(market)
    const unwatch = pool.price.watch((price) => {
      if (price !== null && isOpen(market)) history.addTrade(price, new Date().toISOString())
      own.pricesMoved()
    })
    ends.push(pool, ticket, { stop: unwatch })
    return frame(column('wide', history, rules), column('side', ticket, position))
  }
  const ticket = isOpen(market) ? new Ticket({ context, market, book, own }) : noTicket(market)
  const pick = (yesPrice: number): void => {
    if (ticket instanceof Ticket) ticket.pick(yesPrice)
  }
  const isShown = hasBook(market)
  const ladder = isShown ? new BookPanel(book, pick) : closedBook(market)
  const depth = isShown ? [new DepthPanel(book)] : []
  // A book that is not shown may trade, and a closed one may have trades taken back.
  const isLive = market.status !== 'RESOLVED' && market.status !== 'DRAFT'
  const tape = new TapePanel(context, { slug: market.slug, isLive }, ({ price, timestamp }) => {
    history.addTrade(price, timestamp)
    own.pricesMoved()
  })
  const orders = ordersPanel(context, own, market)
  ends.push(ticket, ladder, ...depth, tape, orders, { stop: onEmptied(book, due) })
  return frame(
    column('left', ladder, tape),
    column('wide', history, ...depth, rules),
    column('side', ticket, orders, position),
  )
}
