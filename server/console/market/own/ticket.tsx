// The order ticket: what one wants, what it would cost in the book as it is now, and the button
// that signs and sends it.

import { flagsFor } from '../../../../engine/domain/order-flags.ts'
import { hasBook } from '../../exchange/market-format.ts'
import { OUTCOMES } from '../../exchange/positions.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { Button, Metadata } from '../../page/blocks.tsx'
import { KINDS, type Kind, meaningOf, steppedPrice, TYPES } from './draft.ts'
import { Entry, MaxButton, TicketForm, WayChoice } from './fields.tsx'
import { UNTILS, type Until } from './lifetime.ts'
import type { OrderDraft, TicketParts } from './order-draft.ts'
import { linesOf, warningOf } from './ticket-format.ts'

const KIND_LABELS: Readonly<Record<Kind, string>> = {
  GTC: 'Limit (good till cancelled)',
  FAK: 'Limit, immediate or cancel',
  FOK: 'Limit, fill or kill',
  MARKET: 'Market',
}

const UNTIL_LABELS: Readonly<Record<Until, string>> = {
  canceled: 'Until canceled',
  hour: '1 hour',
  day: '1 day',
  midnight: 'Until the end of this day',
  own: 'Custom date and time',
}

/** Ticks of a tenth of a cent. */
const STEP = 1
const WIDE_STEP = 10

interface TicketProps extends TicketParts {
  readonly draft: OrderDraft
}

export function Ticket({ draft, context, market, book }: TicketProps) {
  const { isBuy, outcome } = draft.typed.value
  const isSending = draft.isSending.value
  const act = `${isBuy ? 'Buy' : 'Sell'} ${OUTCOMES[outcome]}`
  return (
    <TicketForm
      context={context}
      label="Order ticket"
      act={isSending ? 'Signing and sending…' : act}
      isBusy={isSending}
      isBuy={isBuy}
      fault={draft.fault.value}
      send={() => draft.send()}
    >
      <Fields draft={draft} />
      <Expectation draft={draft} market={market} book={book} />
      <Delay market={market} />
    </TicketForm>
  )
}

interface DraftProps {
  readonly draft: OrderDraft
}

/** The fields that this kind of order has. */
function Fields({ draft }: DraftProps) {
  const { typed, faults, lifetime } = draft
  const { kind, isBuy, amount, at, until, flags } = typed.value
  const isMarket = kind === 'MARKET'
  return (
    <>
      <WayChoice way={typed.value} change={(way) => draft.change(way)} />
      <List
        label="Type"
        name="type"
        labels={KIND_LABELS}
        values={KINDS}
        value={kind}
        choose={(chosen) => draft.change({ kind: chosen })}
      />
      {!isMarket && <Price draft={draft} />}
      <Entry
        label={isMarket && isBuy ? 'Spend, $' : 'Shares'}
        name="amount"
        value={amount}
        fault={faults.amount}
        enter={(text) => draft.change({ amount: text })}
      >
        <MaxButton fill={() => draft.fillMost()} />
      </Entry>
      {kind === 'GTC' && (
        <List
          label="Time in force"
          name="until"
          labels={UNTIL_LABELS}
          values={UNTILS}
          value={until}
          choose={(chosen) => draft.change({ until: chosen })}
        />
      )}
      {lifetime.until === 'own' && (
        <Entry
          label="Expires at (local time)"
          name="end"
          type="datetime-local"
          value={at}
          fault={faults.end}
          enter={(text) => draft.change({ at: text })}
        />
      )}
      {flagsFor(TYPES[kind]).map(({ name, label }) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            name={name}
            checked={flags[name] === true}
            onChange={({ currentTarget: { checked } }) => {
              draft.change({ flags: { ...flags, [name]: checked } })
            }}
          />
          <span>{label}</span>
        </label>
      ))}
    </>
  )
}

function Price({ draft }: DraftProps) {
  const { price } = draft.typed.value
  const step = (ticks: number) => draft.change({ price: steppedPrice(price, ticks) })
  const stepByKey = (event: KeyboardEvent) => {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (sign === undefined) return
    event.preventDefault()
    step(sign * (event.shiftKey ? WIDE_STEP : STEP))
  }
  return (
    <Entry
      label="Price, ¢"
      name="price"
      value={price}
      fault={draft.faults.price}
      enter={(text) => draft.change({ price: text })}
      press={stepByKey}
    >
      <Button label="−" aria-label="A tenth of a cent less" onClick={() => step(-STEP)} />
      <Button label="+" aria-label="A tenth of a cent more" onClick={() => step(STEP)} />
    </Entry>
  )
}

interface ListProps<Value extends string> {
  readonly label: string
  readonly name: string
  readonly labels: Readonly<Record<Value, string>>
  readonly values: readonly Value[]
  readonly value: Value
  readonly choose: (value: Value) => void
}

/** A choice of one below its label. */
function List<Value extends string>(props: ListProps<Value>) {
  const { label, name, labels, values, value, choose } = props
  const id = `ticket-${name}`
  const chosen = (text: string) => {
    const found = values.find((each) => each === text)
    if (found !== undefined) choose(found)
  }
  return (
    <div class="entry">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        value={value}
        onChange={(event) => chosen(event.currentTarget.value)}
      >
        {values.map((each) => (
          <option key={each} value={each}>
            {labels[each]}
          </option>
        ))}
      </select>
    </div>
  )
}

/** What the order would do in the book as it is now. */
function Expectation({ draft, market, book }: DraftProps & Pick<TicketParts, 'market' | 'book'>) {
  const { request } = meaningOf(draft.typed.value)
  const { estimate } = draft
  const noEstimate = () => {
    if (!hasBook(market)) return 'No estimate: the book is not shown.'
    return book.copy?.isCurrent === true ? '' : 'No estimate while the book is behind.'
  }
  const isKnown = request !== null && estimate !== null
  const warning = isKnown ? warningOf(request, estimate) : request === null ? '' : noEstimate()
  return (
    <>
      <Metadata look="summary" metadata={isKnown ? linesOf(request, estimate, draft.feeBps) : []} />
      <p class="warning" role="status">
        {warning}
      </p>
    </>
  )
}

function Delay({ market: { settings, metadata } }: { readonly market: MarketView }) {
  const delayMs = settings?.takerDelayMs ?? metadata.takerDelayMs ?? 0
  if (delayMs === 0) return null
  const rule = metadata.delayedCancel === false ? 'and cannot be canceled meanwhile' : 'here'
  return <p class="soft">{`Orders that match at once wait ${delayMs} ms ${rule}.`}</p>
}
