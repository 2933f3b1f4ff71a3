// The order ticket: what one wants, what it would cost in the book as it is now, and the button
// that signs and sends it.

import type { Context } from '../../context.ts'
import { Refused, Unreached } from '../../exchange/api.ts'
import { hasBook } from '../../exchange/market-words.ts'
import type { Wanted } from '../../exchange/order-amounts.ts'
import { placeOrder } from '../../exchange/orders.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { h, write } from '../../page/dom.ts'
import { askForLogin } from '../../page/login-request.ts'
import { paint, unpaint } from '../../page/painter.ts'
import type { Unwatch } from '../../page/signal.ts'
import type { LiveBook } from '../shown/live-book.ts'
import { type Panel, panel } from '../shown/panel.ts'
import { meaningOf, mostOf, priceOfLevel } from './draft.ts'
import { type Estimate, estimateOf, offersOf } from './estimate.ts'
import { drawLines } from './fields.ts'
import { expirationSecOf, lifetimeFault } from './lifetime.ts'
import type { OwnMarket } from './own-market.ts'
import { TicketForm } from './ticket-form.ts'
import {
  type FeeRate,
  linesOf,
  type Means,
  OUTCOMES,
  resultOf,
  shortageOf,
  warningOf,
} from './ticket-words.ts'

export interface TicketParts {
  readonly context: Context
  readonly market: MarketView
  readonly book: LiveBook
  readonly own: OwnMarket
}

/** Which field a refusal of the exchange belongs to; others stand below the button. */
const FIELD_OF: Readonly<Record<string, 'price' | 'amount'>> = {
  POST_ONLY_WOULD_MATCH: 'price',
  PRICE_MISMATCH: 'price',
  AMOUNTS_INVALID: 'amount',
  INSUFFICIENT_COLLATERAL: 'amount',
  INSUFFICIENT_SHARES: 'amount',
  OPEN_SIZE_LIMIT: 'amount',
}

const UNSURE =
  'The exchange cannot be reached. The order may or may not have arrived: ' +
  'look at My orders before you send it again.'

export class Ticket implements Panel {
  readonly element: HTMLElement
  readonly #parts: TicketParts
  readonly #form = new TicketForm(
    () => this.#changed(),
    () => this.#fillMost(),
  )
  readonly #summary = h('dl', { class: 'summary' })
  readonly #warning = h('p', { class: 'warning', attrs: { role: 'status' } })
  readonly #notice = h('p', { class: 'said', attrs: { role: 'alert' } })
  readonly #submit = h('button', { class: 'main submit', attrs: { type: 'submit' } })
  readonly #unwatches: Unwatch[]
  #isSending = false
  /** What the exchange refused, until a field changes. */
  #refused: { readonly price: string; readonly amount: string } = { price: '', amount: '' }

  constructor(parts: TicketParts) {
    this.#parts = parts
    const { context, book, own, market } = parts
    const delayMs = market.settings?.takerDelayMs ?? market.metadata.takerDelayMs ?? 0
    const isBinding = market.metadata.delayedCancel === false
    const rule = isBinding ? 'and cannot be canceled meanwhile' : 'here'
    const wait = `Orders that match at once wait ${delayMs} ms ${rule}.`
    const delay = delayMs > 0 && h('p', { class: 'soft' }, wait)
    const form = h(
      'form',
      { class: 'ticket-form', attrs: { novalidate: true } },
      ...this.#form.fields,
      ...[this.#summary, this.#warning, delay, this.#submit, this.#notice],
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#send()
    })
    form.addEventListener('input', () => this.#changed())
    this.element = panel('Order ticket', 'ticket', form)
    const soon = () => paint(this.#draw)
    const { trader } = context
    this.#unwatches = [book.watch(soon), own.state.watch(soon), trader.profile.watch(soon)]
    this.#draw()
  }

  stop(): void {
    for (const unwatch of this.#unwatches) unwatch()
    unpaint(this.#draw)
  }

  /** A level of the ladder was pressed. */
  pick(yesPrice: number): void {
    this.#form.price.input.value = priceOfLevel(yesPrice, this.#form.draft.outcome)
    this.#changed()
  }

  #changed(): void {
    this.#refused = { price: '', amount: '' }
    write(this.#notice, '')
    this.#draw()
  }

  /** The rate of the visitor here; null while it is not known. */
  get #feeBps(): FeeRate {
    const { context, market } = this.#parts
    if (!market.metadata.fee) return 0
    return context.trader.profile.value?.effectiveFeeRateBps ?? null
  }

  /** Null before a login. Open sales have their shares reserved. */
  #means(outcome: 0 | 1): Means | null {
    const { own, market } = this.#parts
    const state = own.state.value
    if (state === null) return null
    const token = outcome === 0 ? market.tokens?.yes : market.tokens?.no
    const sales = state.orders.filter((each) => each.side === 'SELL' && each.token === token)
    const soldRaw = sales.reduce((sum, each) => sum + Number(each.remainingSize), 0)
    const heldRaw = state.held.find((each) => each.outcome === outcome)?.sharesRaw ?? 0
    return { collateralRaw: state.freeRaw, sharesRaw: heldRaw - soldRaw }
  }

  #estimate(wanted: Wanted): Estimate | null {
    const { copy } = this.#parts.book
    if (copy === null || !copy.isCurrent) return null
    return estimateOf(wanted, offersOf(copy, wanted), this.#feeBps ?? 0)
  }

  #fillMost(): void {
    const draft = this.#form.draft
    const means = this.#means(draft.outcome)
    if (means === null) return
    this.#form.amount.input.value = mostOf(draft, means)
    this.#changed()
  }

  readonly #draw = (): void => {
    this.#form.arrange()
    const { draft } = this.#form
    const { wanted, faults } = meaningOf(draft)
    const means = this.#means(draft.outcome)
    const shortage = wanted === null || means === null ? '' : shortageOf(wanted, means)
    this.#form.price.complain(this.#refused.price || faults.price)
    this.#form.amount.complain(this.#refused.amount || faults.amount || shortage)
    this.#form.end.complain(lifetimeFault(this.#form.lifetime, Date.now()))
    this.#drawSummary(wanted)
    this.#drawSubmit(draft.isBuy, draft.outcome)
  }

  #drawSummary(wanted: Wanted | null): void {
    const estimate = wanted === null ? null : this.#estimate(wanted)
    if (wanted === null || estimate === null) {
      drawLines(this.#summary, [])
      write(this.#warning, wanted === null ? '' : this.#noEstimate())
      return
    }
    drawLines(this.#summary, linesOf(wanted, estimate, this.#feeBps))
    write(this.#warning, warningOf(wanted, estimate))
  }

  #noEstimate(): string {
    const { book, market } = this.#parts
    if (!hasBook(market)) return 'No estimate: the book is not shown.'
    return book.copy?.isCurrent === true ? '' : 'No estimate while the book is behind.'
  }

  #drawSubmit(isBuy: boolean, outcome: 0 | 1): void {
    const isKnown = this.#parts.context.trader.profile.value !== null
    const act = `${isBuy ? 'Buy' : 'Sell'} ${OUTCOMES[outcome]}`
    const label = this.#isSending ? 'Signing and sending…' : act
    write(this.#submit, isKnown ? label : 'Log in to trade')
    this.#submit.disabled = this.#isSending
    this.#submit.dataset.side = isBuy ? 'buy' : 'sell'
  }

  async #send(): Promise<void> {
    const { context, market, own } = this.#parts
    const { trader, notices, info } = context
    if (trader.profile.value === null) return askForLogin()
    const { wanted } = meaningOf(this.#form.draft)
    const expirationSec = expirationSecOf(this.#form.lifetime, Date.now())
    if (wanted === null || expirationSec === null || this.#isSending) return this.#pointOut()
    this.#isSending = true
    this.#changed()
    try {
      const { execution } = await placeOrder(trader, info, market, { wanted, expirationSec })
      // An empty amount keeps a second press from being a second order.
      this.#form.amount.input.value = ''
      notices.good(resultOf(wanted, execution))
    } catch (error) {
      this.#refuse(error)
      own.refused(error)
    }
    this.#isSending = false
    own.refresh()
    this.#draw()
  }

  /** Says what is missing, and goes there. */
  #pointOut(): void {
    const { draft, lifetime, price, amount, end } = this.#form
    const isPriceMissing = draft.kind !== 'MARKET' && draft.price.trim() === ''
    if (isPriceMissing) price.complain('Type a price.')
    if (draft.amount.trim() === '') amount.complain('Type an amount.')
    if (lifetime.until === 'own' && lifetime.at === '') end.complain('Type a date and a time.')
    const first = [price, amount, end].find(
      (each) => each.input.getAttribute('aria-invalid') === 'true',
    )
    first?.input.focus()
  }

  #refuse(error: unknown): void {
    const isUnsure = error instanceof Unreached && error.isUnsure
    const notice = error instanceof Error ? error.message : String(error)
    const sentence = isUnsure ? UNSURE : notice
    const field = error instanceof Refused ? FIELD_OF[error.code] : undefined
    if (field === undefined) write(this.#notice, sentence)
    else this.#refused = { ...this.#refused, [field]: sentence }
  }
}
