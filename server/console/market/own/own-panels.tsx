// The visitor's open orders and shares in the market that is shown.

import type { Context } from '../../context.ts'
import { cancelOrder } from '../../exchange/orders.ts'
import type { PositionRow } from '../../exchange/positions.ts'
import type { MarketView, UserOrder } from '../../exchange/shapes.ts'
import { CallButton } from '../../page/act-form.tsx'
import { Metadata, Region, Table } from '../../page/blocks.tsx'
import { cents, dollars, evenCents, signedDollars, units } from '../../page/format.ts'
import type { ComponentChildren } from '../../page/preact.ts'
import type { OwnMarket, OwnState } from './own-market.ts'

const UNIT_RAW = 1_000_000
const COLUMNS = ['Order', { number: 'Price' }, { number: 'Left' }, { number: '' }] as const

interface OwnPartProps {
  readonly label: string
  readonly name: string
  readonly own: OwnMarket
  readonly children: (state: OwnState) => ComponentChildren
}

function OwnPart({ label, name, own, children }: OwnPartProps) {
  const state = own.state.value
  return (
    <Region label={label} name={name}>
      <div>
        {state === null ? <p class="soft">Shown when you are logged in.</p> : children(state)}
      </div>
    </Region>
  )
}

interface OrdersPanelProps {
  readonly context: Context
  readonly own: OwnMarket
  readonly market: MarketView
}

export function OrdersPanel(props: OrdersPanelProps) {
  return (
    <OwnPart label="My orders" name="orders" own={props.own}>
      {({ orders }) =>
        orders.length === 0 ? (
          <p class="soft">No open orders in this market.</p>
        ) : (
          <Table
            label="My open orders"
            columns={COLUMNS}
            rows={orders.map((order) => ({ key: order.id, cells: cellsOf(order, props) }))}
          />
        )
      }
    </OwnPart>
  )
}

function cellsOf(order: UserOrder, { context, own, market }: OrdersPanelProps) {
  const isBuy = order.side === 'BUY'
  const what = `${isBuy ? 'Buy' : 'Sell'} ${order.token === market.tokens?.no ? 'NO' : 'YES'}`
  const price = order.price === null ? 'market' : evenCents(order.price)
  const left = units(order.remainingSize)
  return [
    <span class={isBuy ? 'buy' : 'sell'}>{what}</span>,
    price,
    `${left} of ${units(order.originalSize)}`,
    <CallButton
      class="small"
      aria-label={`Cancel: ${what} ${left} at ${price}`}
      notices={context.notices}
      call={() => cancel(order, context, own)}
    >
      Cancel
    </CallButton>,
  ]
}

async function cancel({ id }: UserOrder, { trader, notices }: Context, own: OwnMarket) {
  try {
    await cancelOrder(trader, id)
    notices.good('The order is canceled.')
  } finally {
    own.refresh()
  }
}

export function PositionPanel({ own }: { readonly own: OwnMarket }) {
  return (
    <OwnPart label="My position" name="position" own={own}>
      {({ held, freeRaw }) => {
        const some = held.filter(({ sharesRaw }) => sharesRaw !== 0)
        // Without shares the exchange gives no row, so what was realised is not known then.
        const realisedRaw = held.reduce((sum, each) => sum + each.realisedRaw, 0)
        const realised = ['Realised', <Gain raw={realisedRaw} />] as const
        const free = ['Free to trade', dollars(freeRaw)] as const
        return (
          <>
            {some.length === 0 && <p class="soft">No shares of this market.</p>}
            {some.map((each) => (
              <HeldPart key={each.outcome} held={each} />
            ))}
            <Metadata
              look="metadata-list"
              metadata={realisedRaw === 0 ? [free] : [realised, free]}
            />
          </>
        )
      }}
    </OwnPart>
  )
}

/** A list and no table: the panel is narrow on every screen. */
function HeldPart({ held }: { readonly held: PositionRow }) {
  const { outcome, sharesRaw, priceRaw, costRaw, valueRaw, unrealisedRaw } = held
  const metadata = [
    ['Average', cents(priceRaw / UNIT_RAW)],
    ['Cost', dollars(costRaw)],
    ['Worth now', dollars(valueRaw)],
    ['Profit and loss', <Gain raw={unrealisedRaw} />],
  ] as const
  return (
    <div class="held">
      <h3>
        {units(sharesRaw)} {outcome}
      </h3>
      <Metadata look="metadata-list" metadata={metadata} />
    </div>
  )
}

function Gain({ raw }: { readonly raw: number }) {
  return <span class={raw < 0 ? 'sell' : 'buy'}>{signedDollars(raw)}</span>
}
