// The visitor's open orders in all markets.

import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import { cancelOrder } from '../../exchange/orders.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { button, type Child, h } from '../../page/dom.ts'
import { reportActed } from '../../page/parts/acted.ts'
import { secondLook } from '../../page/parts/dialog.ts'
import { pagedList } from '../../page/parts/paged-list.ts'
import { KEY, region } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import { cents, dayTime, units } from '../../page/words.ts'
import type { OpenOrder, PageOf } from '../account-replies.ts'
import { onOwnUpdates } from '../own-updates.ts'
import type { Part } from '../part.ts'
import { marketsOf } from './known-markets.ts'
import { marketCell, outcomeWord } from './positions.ts'

const ORDERS_A_PAGE = 20
const COLUMNS = [
  ...['Market', 'Order'],
  ...['Price', 'Left', 'Of'].map((number) => ({ number })),
  ...['Type', 'Placed', 'Act'],
]

export function openOrdersPart(context: Context): Part {
  const cancelAll = button('Cancel all', () => askToCancelAll(context))
  const list = pagedList<string>(async (cursor, signal) => {
    const query = `limit=${ORDERS_A_PAGE}&cursor=${encodeURIComponent(cursor ?? '')}`
    const { data, nextCursor } = await read<PageOf<OpenOrder>>(`/orders?${query}`, signal)
    const slugs = data.map((order) => order.marketSlug)
    const market = await marketsOf(slugs, signal)
    cancelAll.hidden = data.length === 0
    return { content: shown(data, market, context), next: nextCursor }
  })
  cancelAll.hidden = true
  const unwatch = onOwnUpdates(context, () => list.again())
  return {
    element: region('Open orders', list.element, h('div', { class: 'row' }, cancelAll)),
    stop() {
      unwatch()
      list.stop()
    },
  }
}

function askToCancelAll({ trader, notices }: Context): void {
  secondLook({
    title: 'Cancel all orders?',
    about: [h('p', {}, 'Your open orders in all markets end, and what they reserve is free.')],
    act: 'Cancel all orders',
    async run() {
      await trader.signed('DELETE', '/orders/all')
      notices.good('All orders are canceled.')
      reportActed()
    },
  })
}

function shown(
  orders: readonly OpenOrder[],
  market: (slug: string) => MarketView | null,
  context: Context,
): Child {
  if (orders.length === 0) return h('p', { class: 'soft' }, 'No open orders.')
  const rows = orders.map((order) => cellsOf(order, market(order.marketSlug), context))
  return h('div', { class: 'table-box' }, table('Open orders', COLUMNS, rows))
}

function cellsOf(order: OpenOrder, market: MarketView | null, context: Context): readonly Child[] {
  const { marketSlug, side, price, remainingSize, originalSize, type, createdAt, token } = order
  const isYes = token === market?.tokens?.yes
  const outcome = market === null ? null : outcomeWord(isYes ? 'YES' : 'NO')
  const way = h('span', { class: 'way' }, side === 0 ? 'Buy' : 'Sell', ' ', outcome)
  return [
    marketCell(marketSlug, market?.title ?? marketSlug, null),
    way,
    price === null ? 'market' : cents(price),
    units(remainingSize),
    units(originalSize),
    type,
    dayTime(createdAt),
    cancelButton(order, context),
  ]
}

function cancelButton({ id }: OpenOrder, { trader, notices }: Context): HTMLButtonElement {
  const cancel = button(
    'Cancel',
    async () => {
      cancel.disabled = true
      try {
        await cancelOrder(trader, id)
        notices.good('The order is canceled.')
      } catch (error) {
        notices.failure(error)
        cancel.disabled = false
      }
      reportActed()
    },
    { attrs: { [KEY]: `cancel ${id}` } },
  )
  return cancel
}
