// What operators did, newest first.

import { type Child, field, h } from '../page/dom.ts'
import { pagedList } from '../page/parts/paged-list.ts'
import { region } from '../page/parts/region.ts'
import { table } from '../page/parts/table.ts'
import type { View } from '../page/view.ts'
import { visible } from '../page/visible.ts'
import { dayTime } from '../page/words.ts'
import { type AuditEntry, detailsOf } from './audit-details.ts'
import type { OperatorContext } from './operator-context.ts'

interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly nextBefore: number | null
}

const ENTRIES_A_PAGE = 50

export function auditView({ access }: OperatorContext): View {
  const who = field('Operator', 'operator', { placeholder: 'all' })
  const list = pagedList<number>(async (before, signal) => {
    const name = who.input.value.trim()
    const operator = name === '' ? '' : `&operator=${encodeURIComponent(name)}`
    const place = before === null ? '' : `&before=${before}`
    const path = `/admin/audit?limit=${ENTRIES_A_PAGE}${operator}${place}`
    const { entries, nextBefore } = await access.call<AuditPage>('GET', path, { signal })
    return { content: shown(entries), next: nextBefore }
  })
  who.input.addEventListener('change', () => list.first())
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Audit'),
    h('div', { class: 'row tools' }, who.element),
    region('Acts of operators', list.element),
  )
  return { title: 'Audit', element, stop: () => list.stop() }
}

function shown(entries: readonly AuditEntry[]): Child {
  if (entries.length === 0) return h('p', { class: 'soft' }, 'Nothing here.')
  const rows = entries.map((entry) => [
    h('span', { class: 'when' }, dayTime(entry.at, 'medium')),
    h('bdi', {}, entry.operator),
    entry.kind,
    h(
      'div',
      { class: 'details' },
      ...detailsOf(entry).map(([key, value]) =>
        h('span', {}, h('span', { class: 'soft' }, `${key} `), h('bdi', {}, visible(value))),
      ),
    ),
    entry.seq,
  ])
  const columns = ['When', 'Operator', 'What', 'Of', { number: 'Seq' }]
  return h('div', { class: 'table-box' }, table('Audit', columns, rows))
}
