// Markets of every state: made, edited, locked and resolved here.

import { button, type Child, field, h } from '../../page/dom.ts'
import { type PagedList, pagedList } from '../../page/parts/paged-list.ts'
import { KEY, region } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import type { View } from '../../page/view.ts'
import { visible } from '../../page/visible.ts'
import { dayTime, dollars } from '../../page/words.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { ListedMarket } from '../operator-replies.ts'
import { askToCreate, askToEdit, askToLock, askToResolve } from './market-acts.ts'

interface MarketPage {
  readonly markets: readonly ListedMarket[]
  readonly next: number | null
}

const MARKETS_A_PAGE = 50
const COLUMNS = [
  'Market',
  { number: 'Number' },
  ...['State', 'Trades until'],
  { number: 'Volume' },
  'Act',
]

export function marketsView(context: OperatorContext): View {
  const from = field('From number', 'from', { inputmode: 'numeric', placeholder: '1' })
  const startAfter = () => Math.max(0, (Number.parseInt(from.input.value, 10) || 1) - 1)
  const list: PagedList = pagedList<number>(async (cursor, signal) => {
    const query = `after=${cursor ?? startAfter()}&limit=${MARKETS_A_PAGE}`
    const page = await context.access.call<MarketPage>('GET', `/admin/markets?${query}`, { signal })
    return { content: shown(page.markets, context, () => list.again()), next: page.next }
  })
  from.input.addEventListener('change', () => list.first())
  const create = button('Create market', () => askToCreate(context, () => list.again()), {
    class: 'main',
  })
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Markets'),
    h('div', { class: 'row tools' }, create, from.element),
    region('All markets', list.element),
  )
  return { title: 'Markets', element, stop: () => list.stop() }
}

function shown(
  markets: readonly ListedMarket[],
  context: OperatorContext,
  again: () => void,
): Child {
  if (markets.length === 0) return h('p', { class: 'soft' }, 'No market has such a number.')
  const rows = markets.map((market) => cellsOf(market, context, again))
  return h('div', { class: 'table-box' }, table('Markets', COLUMNS, rows))
}

function cellsOf(market: ListedMarket, context: OperatorContext, again: () => void) {
  const { id, slug, title, status, deadline, volumeRaw } = market
  const act = (label: string, ask: () => void) =>
    button(label, ask, {
      class: 'small',
      attrs: { [KEY]: `${label} ${id}`, 'aria-label': `${label} ${slug}` },
    })
  const isOver = status === 'RESOLVED'
  const isLocked = status === 'LOCKED'
  const lock = act(isLocked ? 'Unlock' : 'Lock', () => askToLock(market, context, again))
  return [
    h('div', { class: 'named' }, h('bdi', {}, visible(title)), h('code', { class: 'soft' }, slug)),
    id,
    h('span', { class: `state ${status.toLowerCase()}` }, status),
    deadline === null ? 'no deadline' : dayTime(deadline),
    dollars(volumeRaw),
    h(
      'div',
      { class: 'row acts' },
      !isOver && act('Edit', () => askToEdit(market, context, again)),
      !isOver && lock,
      !isOver && act('Resolve', () => askToResolve(market, context, again)),
    ),
  ]
}
