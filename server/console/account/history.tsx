// What the visitor did, a page at a time.

import type { Context } from '../context.ts'
import { read } from '../exchange/api.ts'
import { Region, Table } from '../page/blocks.tsx'
import { cents, dayTime } from '../page/format.ts'
import { PagedList, usePages } from '../page/reading.tsx'
import { TransactionLink } from '../page/transaction-link.tsx'
import type { Act, PageOf } from './account-replies.ts'
import { historyRow } from './history-rows.ts'
import { MarketCell } from './holdings/positions.tsx'
import { useOwnEvents } from './part.tsx'

const ACTS_A_PAGE = 20
const COLUMNS = [
  'Market',
  'Action',
  'Shares',
  { number: 'Price' },
  { number: 'Collateral' },
  'When',
] as const

export function History({ context }: { readonly context: Context }) {
  const pages = usePages<string, readonly Act[]>(async (cursor, signal) => {
    const query = `limit=${ACTS_A_PAGE}&cursor=${encodeURIComponent(cursor ?? '')}`
    const { data, nextCursor } = await read<PageOf<Act>>(`/portfolio/history?${query}`, signal)
    return { reply: data, next: nextCursor }
  })
  useOwnEvents(context, () => pages.again())
  return (
    <Region label="History">
      <PagedList pages={pages}>{(acts) => <Acts acts={acts} context={context} />}</PagedList>
    </Region>
  )
}

interface ActsProps {
  readonly acts: readonly Act[]
  readonly context: Context
}

function Acts({ acts, context }: ActsProps) {
  if (acts.length === 0) return <p class="soft">Nothing yet.</p>
  const rows = acts.map(historyRow).map((row, index) => ({
    key: index,
    cells: [
      <MarketCell {...row} />,
      row.what,
      row.shares,
      cents(row.price),
      row.collateral,
      <span title={row.isMined ? 'in a block' : 'not in a block yet'}>
        <TransactionLink context={context} hash={row.txHash}>
          {dayTime(row.atMs)}
        </TransactionLink>
      </span>,
    ],
  }))
  return <Table label="History" columns={COLUMNS} rows={rows} />
}
