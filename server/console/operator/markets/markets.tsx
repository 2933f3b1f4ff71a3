// Markets of every state: made, edited, locked and resolved here.

import { read } from '../../exchange/api.ts'
import { deadlineOf } from '../../exchange/market-format.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { Field } from '../../page/act-form.tsx'
import { Button, Region, Table } from '../../page/blocks.tsx'
import { dayTime, dollars, visible } from '../../page/format.ts'
import { useSignal } from '../../page/preact.ts'
import { PagedList, usePages } from '../../page/reading.tsx'
import type { OperatorContext } from '../access.ts'
import type { ListedMarket } from '../operator-replies.ts'
import { confirmLock, openCreation, openEdit, openResolution } from './market-acts.tsx'

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
  'State',
  'Trading ends',
  { number: 'Volume' },
  'Action',
] as const

export function MarketsView({ context }: { readonly context: OperatorContext }) {
  const wanted = useSignal('')
  const pages = usePages<number, readonly ListedMarket[]>(async (cursor, signal) => {
    const text = wanted.peek().trim()
    const { markets, next } =
      text === '' ? await newest(cursor ?? 0, context, signal) : await found(text, context, signal)
    return { reply: markets, next }
  })
  const search = (text: string) => {
    wanted.value = text
    pages.first()
  }
  return (
    <div class="view operator">
      <h1>Markets</h1>
      <div class="row tools">
        <Button
          label="Create market"
          class="main"
          // The newest market stands first.
          onClick={() => openCreation(context, () => search(''))}
        />
        <Field
          label="Slug or words"
          name="wanted"
          type="search"
          maxLength={WANTED_MAX}
          value={wanted.value}
          onInput={(event) => search(event.currentTarget.value)}
        />
      </div>
      <Region label="All markets">
        <PagedList pages={pages}>
          {(markets) => <Markets markets={markets} context={context} again={() => pages.again()} />}
        </PagedList>
      </Region>
    </div>
  )
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
  return { markets: markets.map(listed), next: null }
}

function listed(market: MarketView): ListedMarket {
  const { id, slug, title, status, volume: volumeRaw } = market
  const deadlineMs = deadlineOf(market)
  const deadline = deadlineMs === null ? null : new Date(deadlineMs).toISOString()
  return { id, slug, title, status, deadline, volumeRaw }
}

interface MarketsProps {
  readonly markets: readonly ListedMarket[]
  readonly context: OperatorContext
  readonly again: () => void
}

function Markets({ markets, context, again }: MarketsProps) {
  if (markets.length === 0) return <p class="soft">{NOTHING}</p>
  const rows = markets.map((market) => {
    const { id, slug, title, status, deadline, volumeRaw } = market
    return {
      key: id,
      cells: [
        <div class="named">
          <bdi>{visible(title)}</bdi>
          <code class="soft">{slug}</code>
        </div>,
        id,
        <span class={`state ${status.toLowerCase()}`}>{status}</span>,
        deadline === null ? 'no deadline' : dayTime(deadline),
        dollars(volumeRaw),
        <Actions market={market} context={context} again={again} />,
      ],
    }
  })
  return <Table label="Markets" columns={COLUMNS} rows={rows} />
}

interface ActionsProps extends Omit<MarketsProps, 'markets'> {
  readonly market: ListedMarket
}

function Actions({ market, context, again }: ActionsProps) {
  const lock = market.status === 'LOCKED' ? 'Unlock' : 'Lock'
  const actions = [
    ['Edit', openEdit],
    [lock, confirmLock],
    ['Resolve', openResolution],
  ] as const
  return (
    <div class="row acts">
      {market.status !== 'RESOLVED' &&
        actions.map(([label, act]) => (
          <Button
            label={label}
            key={label}
            class="small"
            aria-label={`${label} ${market.slug}`}
            onClick={() => act(market, context, again)}
          />
        ))}
    </div>
  )
}
