// What the visitor has: collateral and shares.

import type { Context } from '../../context.ts'
import { call, read } from '../../exchange/api.ts'
import { type PositionRow, type Positions, positionRows } from '../../exchange/positions.ts'
import { CallButton } from '../../page/act-form.tsx'
import { Figure, Table } from '../../page/blocks.tsx'
import { cents, dollars, signedDollars, units } from '../../page/format.ts'
import { marketLink } from '../../page/router.tsx'
import type { Balance } from '../account-replies.ts'
import { notifyActed, Part } from '../part.tsx'

const UNIT_RAW = 1_000_000
const COLUMNS = [
  'Market',
  'Side',
  { number: 'Shares' },
  { number: 'Paid' },
  { number: 'Cost' },
  { number: 'Value' },
  { number: 'Unrealised' },
  { number: 'Realised' },
  'Action',
] as const

const readBalance = (signal: AbortSignal) => read<Balance>('/portfolio/balance', signal)
const readPositions = (signal: AbortSignal) => read<Positions>('/portfolio/positions', signal)

export function BalancePart({ context }: { readonly context: Context }) {
  return (
    <Part context={context} label="Balance" read={readBalance}>
      {({ free, inOrders, parked, withdrawable, total }) => (
        <dl class="figures">
          <Figure label="Free" value={dollars(free)} hint="for new orders" />
          <Figure label="Reserved" value={dollars(inOrders)} hint="by open buys" />
          <Figure label="Locked in parlays" value={dollars(parked)} hint="in packs and offers" />
          <Figure
            label="Withdrawable"
            value={dollars(withdrawable)}
            hint="now; the rest when trades are mined"
          />
          <Figure label="Cash total" value={dollars(total)} hint="without shares" />
        </dl>
      )}
    </Part>
  )
}

export function PositionsPart({ context }: { readonly context: Context }) {
  return (
    <Part context={context} label="Positions" read={readPositions}>
      {(positions) => <Rows positions={positions} context={context} />}
    </Part>
  )
}

interface RowsProps {
  readonly positions: Positions
  readonly context: Context
}

function Rows({ positions, context }: RowsProps) {
  const shown = positionRows(positions)
  if (shown.length === 0) {
    return (
      <p class="soft">
        No shares. <a href="#/">Find a market</a>
      </p>
    )
  }
  const rows = shown.map((row) => ({
    key: `${row.slug} ${row.outcome}`,
    cells: [
      <MarketCell {...row} />,
      <Outcome outcome={row.outcome} />,
      units(row.sharesRaw),
      cents(row.priceRaw / UNIT_RAW),
      dollars(row.costRaw),
      dollars(row.valueRaw),
      <Gain raw={row.unrealisedRaw} />,
      <Gain raw={row.realisedRaw} />,
      <Redemption row={row} context={context} />,
    ],
  }))
  return (
    <>
      <Table label="Positions" columns={COLUMNS} rows={rows} />
      {!positions.isWhole && <p class="soft">Only the newest markets are here.</p>}
    </>
  )
}

interface MarketCellProps {
  readonly slug: string
  readonly title: string
  readonly groupTitle: string | null
}

/** A link to a market, with the title of its group above. */
export function MarketCell({ slug, title, groupTitle }: MarketCellProps) {
  return (
    <a class="market-cell" href={marketLink(slug)}>
      {groupTitle !== null && <bdi class="soft group">{groupTitle}</bdi>}
      <bdi>{title}</bdi>
    </a>
  )
}

export function Outcome({ outcome }: { readonly outcome: 'YES' | 'NO' }) {
  return <span class={outcome === 'YES' ? 'buy' : 'sell'}>{outcome}</span>
}

function Gain({ raw }: { readonly raw: number }) {
  return <span class={raw < 0 ? 'sell' : raw > 0 ? 'buy' : 'soft'}>{signedDollars(raw)}</span>
}

interface RedemptionProps {
  readonly row: PositionRow
  readonly context: Context
}

function Redemption({ row: { redeemable, isResolved, title }, context }: RedemptionProps) {
  const { notices } = context
  if (redeemable === null) return isResolved ? <span class="soft">Resolved</span> : null
  const redeem = async () => {
    try {
      const body = { conditionId: redeemable }
      const { amount } = await call<{ amount: string }>('POST', '/portfolio/redeem', { body })
      notices.good(`Redeemed: ${signedDollars(amount)}.`)
    } finally {
      notifyActed()
    }
  }
  return (
    <CallButton notices={notices} call={redeem} title={`Redeem the shares of ${title}`}>
      Redeem
    </CallButton>
  )
}
