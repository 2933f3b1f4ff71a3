// The visitor's open orders in all markets.

import type { Context } from '../../context.ts'
import { read } from '../../exchange/api.ts'
import { cancelOrder } from '../../exchange/orders.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { CallButton } from '../../page/act-form.tsx'
import { Button, Region, Table } from '../../page/blocks.tsx'
import { confirmAct } from '../../page/dialog.tsx'
import { cents, dayTime, units } from '../../page/format.ts'
import { PagedList, usePages } from '../../page/reading.tsx'
import type { OpenOrder, PageOf } from '../account-replies.ts'
import { notifyActed, useOwnEvents } from '../part.tsx'
import { MarketCell, Outcome } from './positions.tsx'

const ORDERS_A_PAGE = 20
const COLUMNS = [
  'Market',
  'Order',
  { number: 'Price' },
  { number: 'Left' },
  { number: 'Of' },
  'Type',
  'Placed',
  'Action',
] as const

interface NamedOrder {
  readonly order: OpenOrder
  /** Null for a market that cannot be read. */
  readonly market: MarketView | null
}

export function OpenOrders({ context }: { readonly context: Context }) {
  const pages = usePages<string, readonly NamedOrder[]>(async (cursor, signal) => {
    const query = `limit=${ORDERS_A_PAGE}&cursor=${encodeURIComponent(cursor ?? '')}`
    const { data, nextCursor } = await read<PageOf<OpenOrder>>(`/orders?${query}`, signal)
    return { reply: await withMarkets(data, signal), next: nextCursor }
  })
  useOwnEvents(context, () => pages.again())
  const isNone = (pages.reading.reply.value?.reply.length ?? 0) === 0
  return (
    <Region label="Open orders">
      <PagedList pages={pages}>
        {(orders) => <Orders orders={orders} context={context} />}
      </PagedList>
      <div class="row">
        <Button label="Cancel all" hidden={isNone} onClick={() => confirmCancelAll(context)} />
      </div>
    </Region>
  )
}

function confirmCancelAll({ trader, notices }: Context): void {
  confirmAct({
    title: 'Cancel all orders?',
    about: <p>Your open orders in all markets end, and what they reserve is free.</p>,
    act: 'Cancel all orders',
    async run() {
      await trader.signed('DELETE', '/orders/all')
      notices.good('All orders are canceled.')
      notifyActed()
    },
  })
}

interface OrdersProps {
  readonly orders: readonly NamedOrder[]
  readonly context: Context
}

function Orders({ orders, context }: OrdersProps) {
  if (orders.length === 0) return <p class="soft">No open orders.</p>
  const rows = orders.map(({ order, market }) => ({
    key: order.id,
    cells: [
      <MarketCell
        slug={order.marketSlug}
        title={market?.title ?? order.marketSlug}
        groupTitle={null}
      />,
      <span class="way">
        {order.side === 0 ? 'Buy' : 'Sell'}{' '}
        {market !== null && <Outcome outcome={order.token === market.tokens?.yes ? 'YES' : 'NO'} />}
      </span>,
      order.price === null ? 'market' : cents(order.price),
      units(order.remainingSize),
      units(order.originalSize),
      order.type,
      dayTime(order.createdAt),
      <CallButton notices={context.notices} call={() => cancel(order, context)}>
        Cancel
      </CallButton>,
    ],
  }))
  return <Table label="Open orders" columns={COLUMNS} rows={rows} />
}

async function cancel({ id }: OpenOrder, { trader, notices }: Context): Promise<void> {
  try {
    await cancelOrder(trader, id)
    notices.good('The order is canceled.')
  } finally {
    notifyActed()
  }
}

const KNOWN_MAX = 200
/** Orders name their markets by slug alone: the page reads once what each is called. */
const known = new Map<string, MarketView | null>()

async function readMarket(slug: string, signal: AbortSignal): Promise<void> {
  if (known.has(slug)) return
  const path = `/markets/${encodeURIComponent(slug)}`
  const found = await read<MarketView>(path, signal).catch(() => null)
  if (signal.aborted) return
  for (const oldest of known.keys()) if (known.size >= KNOWN_MAX) known.delete(oldest)
  known.set(slug, found)
}

async function withMarkets(
  orders: readonly OpenOrder[],
  signal: AbortSignal,
): Promise<readonly NamedOrder[]> {
  const slugs = new Set(orders.map(({ marketSlug }) => marketSlug))
  await Promise.all([...slugs].map((slug) => readMarket(slug, signal)))
  return orders.map((order) => ({ order, market: known.get(order.marketSlug) ?? null }))
}
