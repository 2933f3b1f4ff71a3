// The order ticket as it is filled in, what the exchange refused of it, and how it is sent.

import type { Context } from '../../context.ts'
import { messageOf, Refused, Unreached } from '../../exchange/api.ts'
import { placeOrder } from '../../exchange/orders.ts'
import { OUTCOMES } from '../../exchange/positions.ts'
import type { MarketView } from '../../exchange/shapes.ts'
import { batch, signal } from '../../page/preact.ts'
import type { LiveBook } from '../shown/live-book.ts'
import { type Draft, type Faults, meaningOf, mostOf, priceOfLevel } from './draft.ts'
import { type Estimate, estimateOf, offersOf } from './estimate.ts'
import { expirationSecOf, type Lifetime, lifetimeFault, type Until } from './lifetime.ts'
import type { OwnMarket } from './own-market.ts'
import { type FeeRate, type Means, resultOf, shortageOf } from './ticket-format.ts'

export interface TicketParts {
  readonly context: Context
  readonly market: MarketView
  readonly book: LiveBook
  readonly own: OwnMarket
}

interface Typed extends Draft {
  readonly until: Until
  /** The end of an order that has one of its own, as the browser writes it. */
  readonly at: string
}

export type FieldName = 'price' | 'amount' | 'end'
type FieldFaults = Readonly<Record<FieldName, string>>

/** Which field a refusal of the exchange belongs to; others stand below the button. */
const FIELD_OF: Readonly<Record<string, keyof Faults>> = {
  POST_ONLY_WOULD_MATCH: 'price',
  PRICE_MISMATCH: 'price',
  AMOUNTS_INVALID: 'amount',
  INSUFFICIENT_COLLATERAL: 'amount',
  INSUFFICIENT_SHARES: 'amount',
  OPEN_SIZE_LIMIT: 'amount',
}
const NO_FAULTS: Faults = { price: '', amount: '' }

const UNSURE =
  'The exchange cannot be reached. The order may or may not have arrived: ' +
  'look at My orders before you send it again.'

export class OrderDraft {
  readonly typed = signal<Typed>({
    isBuy: true,
    outcome: 0,
    kind: 'GTC',
    flags: {},
    price: '',
    amount: '',
    until: 'canceled',
    at: '',
  })
  /** Why the exchange refused the order; empty for no refusal. */
  readonly fault = signal('')
  readonly isSending = signal(false)
  readonly #parts: TicketParts
  /** What the exchange refused, until a field changes. */
  readonly #refused = signal(NO_FAULTS)
  /** Whether empty fields are faults: an order was to be sent with them. */
  readonly #isSubmitted = signal(false)

  constructor(parts: TicketParts) {
    this.#parts = parts
  }

  change(change: Partial<Typed>): void {
    batch(() => {
      this.typed.value = { ...this.typed.peek(), ...change }
      this.#refused.value = NO_FAULTS
      this.#isSubmitted.value = false
      this.fault.value = ''
    })
  }

  /** A level of the ladder was pressed. */
  readonly pick = (yesPrice: number): void => {
    this.change({ price: priceOfLevel(yesPrice, this.typed.peek().outcome) })
  }

  fillMost(): void {
    const typed = this.typed.peek()
    const means = this.#meansOf(typed.outcome)
    if (means !== null) this.change({ amount: mostOf(typed, means) })
  }

  /** Only an order that may wait has an end. */
  get lifetime(): Lifetime {
    const { kind, until, at } = this.typed.value
    return { until: kind === 'GTC' ? until : 'canceled', at }
  }

  /** The rate of the visitor here; null while it is not known. */
  get feeBps(): FeeRate {
    const { context, market } = this.#parts
    if (!market.metadata.fee) return 0
    return context.trader.profile.value?.effectiveFeeRateBps ?? null
  }

  /** Null while the order or the book is not known. */
  get estimate(): Estimate | null {
    const { request } = meaningOf(this.typed.value)
    const { copy } = this.#parts.book
    if (request === null || copy === null || !copy.isCurrent) return null
    return estimateOf(request, offersOf(copy, request), this.feeBps ?? 0)
  }

  get faults(): FieldFaults {
    const typed = this.typed.value
    const { request, faults } = meaningOf(typed)
    const refused = this.#refused.value
    const means = this.#meansOf(typed.outcome)
    const shortage = request === null || means === null ? '' : shortageOf(request, means)
    const missing = this.#isSubmitted.value ? this.#missing : { ...NO_FAULTS, end: '' }
    return {
      price: refused.price || faults.price || missing.price,
      amount: refused.amount || faults.amount || shortage || missing.amount,
      end: lifetimeFault(this.lifetime, Date.now()) || missing.end,
    }
  }

  /** Sends the order of a visitor. Without an order it gives the field to fill in first. */
  async send(): Promise<FieldName | undefined> {
    const { context, market, own } = this.#parts
    const { trader, notices, info } = context
    const { request } = meaningOf(this.typed.peek())
    const expirationSec = expirationSecOf(this.lifetime, Date.now())
    if (this.isSending.peek()) return undefined
    if (request === null || expirationSec === null) return this.#pointOut()
    this.change({})
    this.isSending.value = true
    try {
      const { execution } = await placeOrder(trader, info, market, { request, expirationSec })
      // An empty amount keeps a second press from being a second order.
      this.change({ amount: '' })
      notices.good(resultOf(request, execution))
    } catch (error) {
      this.#refuse(error)
      own.refused(error)
    }
    this.isSending.value = false
    own.refresh()
    return undefined
  }

  get #missing(): FieldFaults {
    const { kind, price, amount } = this.typed.value
    const { until, at } = this.lifetime
    return {
      price: kind !== 'MARKET' && price.trim() === '' ? 'Type a price.' : '',
      amount: amount.trim() === '' ? 'Type an amount.' : '',
      end: until === 'own' && at === '' ? 'Type a date and a time.' : '',
    }
  }

  #pointOut(): FieldName | undefined {
    this.#isSubmitted.value = true
    const faults = this.faults
    const names = ['price', 'amount', 'end'] as const
    return names.find((name) => faults[name] !== '')
  }

  /** Null before a login. Open sales have their shares reserved. */
  #meansOf(outcome: 0 | 1): Means | null {
    const { own, market } = this.#parts
    const state = own.state.value
    if (state === null) return null
    const token = outcome === 0 ? market.tokens?.yes : market.tokens?.no
    const sales = state.orders.filter((each) => each.side === 'SELL' && each.token === token)
    const soldRaw = sales.reduce((sum, each) => sum + Number(each.remainingSize), 0)
    const heldRaw = state.held.find((each) => each.outcome === OUTCOMES[outcome])?.sharesRaw ?? 0
    return { collateralRaw: state.freeRaw, sharesRaw: heldRaw - soldRaw }
  }

  #refuse(error: unknown): void {
    const isUnsure = error instanceof Unreached && error.isUnsure
    const sentence = isUnsure ? UNSURE : messageOf(error)
    const field = error instanceof Refused ? FIELD_OF[error.code] : undefined
    if (field === undefined) this.fault.value = sentence
    else this.#refused.value = { ...NO_FAULTS, [field]: sentence }
  }
}
