// What operators did, newest first.

import { Field } from '../page/act-form.tsx'
import { Region, Table } from '../page/blocks.tsx'
import { dayTime, visible } from '../page/format.ts'
import { useRef } from '../page/preact.ts'
import { PagedList, usePages } from '../page/reading.tsx'
import type { OperatorContext } from './access.ts'
import { type AuditEntry, detailsOf } from './audit-details.ts'

interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly nextBefore: number | null
}

const ENTRIES_A_PAGE = 50
const COLUMNS = ['When', 'Operator', 'Command', 'Details', { number: 'Seq' }] as const

export function AuditView({ context: { access } }: { readonly context: OperatorContext }) {
  const operator = useRef('')
  const pages = usePages<number, readonly AuditEntry[]>(async (before, signal) => {
    const query = new URLSearchParams({ limit: String(ENTRIES_A_PAGE) })
    if (operator.current !== '') query.set('operator', operator.current)
    if (before !== null) query.set('before', String(before))
    const { entries, nextBefore } = await access.call<AuditPage>('GET', `/admin/audit?${query}`, {
      signal,
    })
    return { reply: entries, next: nextBefore }
  })
  const choose = (name: string) => {
    operator.current = name.trim()
    pages.first()
  }
  return (
    <div class="view operator">
      <h1>Audit</h1>
      <div class="row tools">
        <Field
          label="Operator"
          name="operator"
          placeholder="all"
          onChange={(event) => choose(event.currentTarget.value)}
        />
      </div>
      <Region label="Acts of operators">
        <PagedList pages={pages}>{(entries) => <Entries entries={entries} />}</PagedList>
      </Region>
    </div>
  )
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <p class="soft">Nothing here.</p>
  const rows = entries.map((entry) => ({
    key: entry.seq,
    cells: [
      <span class="when">{dayTime(entry.at, 'medium')}</span>,
      <bdi>{entry.operator}</bdi>,
      entry.kind,
      <div class="details">
        {detailsOf(entry).map(([key, value]) => (
          <span key={key}>
            <span class="soft">{key} </span>
            <bdi>{visible(value)}</bdi>
          </span>
        ))}
      </div>,
      entry.seq,
    ],
  }))
  return <Table label="Audit" columns={COLUMNS} rows={rows} />
}
