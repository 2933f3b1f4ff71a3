// Markets of every state: made, edited, locked and resolved here.

import { read } from '../../exchange/api.ts'
import { deadlineOf } from '../../exchange/market-words.ts'
import type { MarketView } from '../../exchange/shapes.ts'
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
/** The longest slug that there is. */
const WANTED_MAX = 128
const FOUND_MAX = 20
const SLUG = /^[a-z0-9][a-z0-9-]*$/
const NOTHING = 'No market has this slug, and no active market is about these words.'
const COLUMNS = [
  'Market',
  { number: 'Number' },
  ...['State', 'Trades until'],
  { number: 'Volume' },
  'Act',
]

export function marketsView(context: OperatorContext): View {
  const wanted = field('Slug or words', 'wanted', { type: 'search', maxlength: WANTED_MAX })
  const list: PagedList = pagedList<number>(async (cursor, signal) => {
    const text = wanted.input.value.trim()
    const page =
      text === '' ? await newest(cursor ?? 0, context, signal) : await found(text, context, signal)
    return { content: shown(page.markets, context, () => list.again()), next: page.next }
  })
  wanted.input.addEventListener('input', () => list.first())
  // The newest market stands first.
  const showMade = () => {
    wanted.input.value = ''
    list.first()
  }
  const create = button('Create market', () => askToCreate(context, showMade), { class: 'main' })
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Markets'),
    h('div', { class: 'row tools' }, create, wanted.element),
    region('All markets', list.element),
  )
  return { title: 'Markets', element, stop: () => list.stop() }
}

function newest(after: number, { access }: OperatorContext, signal: AbortSignal) {
  const query = `order=falling&after=${after}&limit=${MARKETS_A_PAGE}`
  return access.call<MarketPage>('GET', `/admin/markets?${query}`, { signal })
}

/** A slug finds its market in every state; other words find active markets. */
async function found(
  text: string,
  { access }: OperatorContext,
  signal: AbortSignal,
): Promise<MarketPage> {
  const slug = text.toLowerCase()
  if (SLUG.test(slug)) {
    const page = await access.call<MarketPage>('GET', `/admin/markets?slug=${slug}`, { signal })
    if (page.markets.length > 0) return page
  }
  const query = `query=${encodeURIComponent(text)}&limit=${FOUND_MAX}`
  const { markets } = await read<{ readonly markets: readonly MarketView[] }>(
    `/markets/search?${query}`,
    signal,
  )
  return { markets: markets.map(rowOf), next: null }
}

function rowOf(market: MarketView): ListedMarket {
  const { id, slug, title, status, volume: volumeRaw } = market
  const deadlineMs = deadlineOf(market)
  const deadline = deadlineMs === null ? null : new Date(deadlineMs).toISOString()
  return { id, slug, title, status, deadline, volumeRaw }
}

function shown(
  markets: readonly ListedMarket[],
  context: OperatorContext,
  again: () => void,
): Child {
  if (markets.length === 0) return h('p', { class: 'soft' }, NOTHING)
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
