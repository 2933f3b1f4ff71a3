// The visitor's open orders and shares in the market that is shown.

import type { Context } from '../../context.ts'
import { cancelOrder } from '../../exchange/orders.ts'
import type { MarketView, UserOrder } from '../../exchange/shapes.ts'
import { button, type Child, h } from '../../page/dom.ts'
import { KEY, refill } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import { cents, dollars, evenCents, signedDollars, units } from '../../page/words.ts'
import { type Panel, panel } from '../shown/panel.ts'
import type { Held } from './holdings.ts'
import type { OwnMarket, OwnState } from './own-market.ts'

const OUTCOMES = ['YES', 'NO'] as const

function shownWith(
  own: OwnMarket,
  element: HTMLElement,
  content: (state: OwnState) => readonly Child[],
): Panel {
  const box = h('div')
  element.append(box)
  const stop = own.state.watch((state) => {
    if (state === null) refill(box, h('p', { class: 'soft' }, 'Shown when you are logged in.'))
    else refill(box, ...content(state))
  })
  return { element, stop }
}

async function cancel(context: Context, own: OwnMarket, order: UserOrder): Promise<void> {
  try {
    await cancelOrder(context.trader, order.id)
    context.notices.good('The order is canceled.')
  } catch (error) {
    context.notices.failure(error)
  }
  own.refresh()
}

function cancelButton(context: Context, own: OwnMarket, order: UserOrder, words: string) {
  const attrs = { 'aria-label': `Cancel: ${words}`, [KEY]: order.id }
  const made = button(
    'Cancel',
    () => {
      made.disabled = true
      void cancel(context, own, order)
    },
    { class: 'small', attrs },
  )
  return made
}

export function ordersPanel(context: Context, own: OwnMarket, market: MarketView): Panel {
  const rowOf = (order: UserOrder): readonly Child[] => {
    const outcome = order.token === market.tokens?.no ? 'NO' : 'YES'
    const isBuy = order.side === 'BUY'
    const what = `${isBuy ? 'Buy' : 'Sell'} ${outcome}`
    const price = order.price === null ? 'market' : evenCents(order.price)
    return [
      h('span', { class: isBuy ? 'buy' : 'sell' }, what),
      price,
      `${units(order.remainingSize)} of ${units(order.originalSize)}`,
      cancelButton(context, own, order, `${what} ${units(order.remainingSize)} at ${price}`),
    ]
  }
  return shownWith(own, panel('My orders', 'orders'), ({ orders }) => {
    if (orders.length === 0) return [h('p', { class: 'soft' }, 'No open orders in this market.')]
    const columns = ['Order', { number: 'Price' }, { number: 'Left' }, { number: '' }]
    return [table('My open orders', columns, orders.map(rowOf))]
  })
}

const tone = (raw: number): string => (raw < 0 ? 'sell' : 'buy')
const gain = (raw: number): HTMLElement => h('span', { class: tone(raw) }, signedDollars(raw))

/** A list and no table: the panel is narrow on every screen. */
function heldPart({ outcome, sharesRaw, average, costRaw, worthRaw, unrealisedRaw }: Held) {
  const metadata: readonly (readonly [string, Child])[] = [
    ['Average', cents(average)],
    ['Cost', dollars(costRaw)],
    ['Worth now', dollars(worthRaw)],
    ['Profit and loss', gain(unrealisedRaw)],
  ]
  const title = `${units(sharesRaw)} ${OUTCOMES[outcome]}`
  return h('div', { class: 'held' }, h('h3', {}, title), metadataList(metadata))
}

function metadataList(metadata: readonly (readonly [string, Child])[]): HTMLElement {
  const rows = metadata.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))
  return h('dl', { class: 'facts-list' }, ...rows)
}

export function positionPanel(own: OwnMarket): Panel {
  return shownWith(own, panel('My position', 'position'), ({ held, freeRaw }) => {
    const some = held.filter(({ sharesRaw }) => sharesRaw !== 0)
    const realisedRaw = held.reduce((sum, each) => sum + each.realisedRaw, 0)
    const free: readonly [string, Child] = ['Free to trade', dollars(freeRaw)]
    // The exchange tells no row once all shares are sold: what was realised is not known then.
    const rest = metadataList(realisedRaw === 0 ? [free] : [['Realised', gain(realisedRaw)], free])
    const none = some.length === 0 && h('p', { class: 'soft' }, 'No shares of this market.')
    return [none, ...some.map(heldPart), rest]
  })
}
