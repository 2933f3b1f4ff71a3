// What the visitor has: collateral and shares.

import type { Context } from '../../context.ts'
import { call, read } from '../../exchange/api.ts'
import { button, type Child, h } from '../../page/dom.ts'
import { reportActed } from '../../page/parts/acted.ts'
import { KEY } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import { marketLink } from '../../page/view.ts'
import { cents, dollars, signedDollars, units } from '../../page/words.ts'
import type { Balance, Positions } from '../account-replies.ts'
import { followedPart, type Part } from '../part.ts'
import { type PositionRow, positionRows } from './position-rows.ts'

const UNIT_RAW = 1_000_000

export function balancePart(context: Context): Part {
  const figure = (label: string, raw: string, hint: string) =>
    h(
      'div',
      { class: 'figure' },
      h('dt', {}, label),
      h('dd', {}, dollars(raw)),
      h('dd', { class: 'soft hint' }, hint),
    )
  return followedPart<Balance>(
    {
      label: 'Balance',
      read: (signal) => read('/portfolio/balance', signal),
      show: ({ free, inOrders, parked, withdrawable, total }) => [
        h(
          'dl',
          { class: 'figures' },
          figure('Free', free, 'for new orders'),
          figure('Reserved', inOrders, 'by open buys'),
          figure('Parked', parked, 'in packs and offers'),
          figure('Withdrawable', withdrawable, 'now; the rest when trades are mined'),
          figure('Total', total, 'without shares'),
        ),
      ],
    },
    context,
  )
}

export function positionsPart(context: Context): Part {
  return followedPart<Positions>(
    {
      label: 'Positions',
      read: (signal) => read('/portfolio/positions', signal),
      show: (reply) => shownPositions(reply, context),
    },
    context,
  )
}

function shownPositions(reply: Positions, context: Context): readonly Child[] {
  const rows = positionRows(reply)
  if (rows.length === 0) {
    return [h('p', { class: 'soft' }, 'No shares. ', h('a', { href: '#/' }, 'Find a market'))]
  }
  const columns = [
    ...['Market', 'Side'],
    ...['Shares', 'Paid', 'Cost', 'Value', 'Unrealised', 'Realised'].map((number) => ({ number })),
    'Act',
  ]
  const cells = rows.map((row) => positionCells(row, context))
  const more = reply.isWhole ? null : h('p', { class: 'soft' }, 'Only the newest markets are here.')
  return [h('div', { class: 'table-box' }, table('Positions', columns, cells)), more]
}

/** A link to a market, with the title of its group above. */
export function marketCell(slug: string, title: string, groupTitle: string | null): HTMLElement {
  const group = groupTitle === null ? null : h('bdi', { class: 'soft group' }, groupTitle)
  return h('a', { class: 'market-cell', href: marketLink(slug) }, group, h('bdi', {}, title))
}

export function outcomeWord(outcome: 'YES' | 'NO'): HTMLElement {
  return h('span', { class: outcome === 'YES' ? 'buy' : 'sell' }, outcome)
}

function gain(raw: number): HTMLElement {
  return h('span', { class: raw < 0 ? 'sell' : raw > 0 ? 'buy' : 'soft' }, signedDollars(raw))
}

function positionCells(row: PositionRow, context: Context): readonly Child[] {
  return [
    marketCell(row.slug, row.title, row.groupTitle),
    outcomeWord(row.outcome),
    units(row.sharesRaw),
    cents(row.priceRaw / UNIT_RAW),
    dollars(row.costRaw),
    dollars(row.valueRaw),
    gain(row.unrealisedRaw),
    gain(row.realisedRaw),
    redeemCell(row, context),
  ]
}

function redeemCell({ redeemable, isResolved, slug, title }: PositionRow, context: Context): Child {
  if (redeemable === null) return isResolved ? h('span', { class: 'soft' }, 'Resolved') : null
  const redeem = button(
    'Redeem',
    async () => {
      redeem.disabled = true
      try {
        const body = { conditionId: redeemable }
        const { amount } = await call<{ amount: string }>('POST', '/portfolio/redeem', { body })
        context.notices.good(`Redeemed: ${signedDollars(amount)}.`)
      } catch (error) {
        context.notices.failure(error)
        redeem.disabled = false
      }
      reportActed()
    },
    { attrs: { [KEY]: `redeem ${slug}`, title: `Redeem the shares of ${title}` } },
  )
  return redeem
}
