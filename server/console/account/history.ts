// What the visitor did, a page at a time.

import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import { type Child, h } from '../page/dom.ts'
import { pagedList } from '../page/parts/paged-list.ts'
import { region } from '../page/parts/region.ts'
import { table } from '../page/parts/table.ts'
import { cents, dayTime } from '../page/words.ts'
import type { Act, PageOf } from './account-replies.ts'
import { type HistoryRow, historyRow } from './history-rows.ts'
import { marketCell } from './holdings/positions.ts'
import { onOwnUpdates } from './own-updates.ts'
import type { Part } from './part.ts'

const ACTS_A_PAGE = 20
const COLUMNS = [
  ...['Market', 'What', 'Shares'],
  ...['Price', 'Collateral'].map((number) => ({ number })),
  'When',
]

export function historyPart(context: Context): Part {
  const list = pagedList<string>(async (cursor, signal) => {
    const query = `limit=${ACTS_A_PAGE}&cursor=${encodeURIComponent(cursor ?? '')}`
    const { data, nextCursor } = await read<PageOf<Act>>(`/portfolio/history?${query}`, signal)
    return { content: shown(data.map(historyRow)), next: nextCursor }
  })
  const unwatch = onOwnUpdates(context, () => list.again())
  return {
    element: region('History', list.element),
    stop() {
      unwatch()
      list.stop()
    },
  }
}

function shown(rows: readonly HistoryRow[]): Child {
  if (rows.length === 0) return h('p', { class: 'soft' }, 'Nothing yet.')
  return h('div', { class: 'table-box' }, table('History', COLUMNS, rows.map(cellsOf)))
}

function cellsOf(row: HistoryRow): readonly Child[] {
  const hint = row.isMined ? 'in a block' : 'in no block yet'
  return [
    marketCell(row.slug, row.title, row.groupTitle),
    row.what,
    row.shares,
    cents(row.price),
    row.collateral,
    h('span', { attrs: { title: hint } }, dayTime(row.atMs)),
  ]
}
