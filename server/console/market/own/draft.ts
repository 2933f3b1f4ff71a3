// The order ticket as it is typed, and the order that it means.

import { flagFields, type OrderFlags } from '../../../../engine/domain/order-flags.ts'
import { amountsOf, type OrderRequest, type OrderType } from '../../exchange/order-amounts.ts'
import { rawOf, ticksOf } from '../../page/format.ts'

export const KINDS = ['GTC', 'FAK', 'FOK', 'MARKET'] as const
export type Kind = (typeof KINDS)[number]

export interface Draft {
  readonly isBuy: boolean
  readonly outcome: 0 | 1
  readonly kind: Kind
  /** As checked; an order has those of them that its type may have. */
  readonly flags: Partial<OrderFlags>
  /** Cents, as typed. */
  readonly price: string
  /** Shares; dollars for a market buy. */
  readonly amount: string
}

/** What is wrong with each field; an empty field is not wrong yet. */
export interface Faults {
  readonly price: string
  readonly amount: string
}

export interface Meant {
  /** Null while a field is empty or wrong. */
  readonly request: OrderRequest | null
  readonly faults: Faults
}

export const TYPES: Readonly<Record<Kind, OrderType>> = {
  GTC: 'GTC',
  FAK: 'FAK',
  FOK: 'FOK',
  // An order at market is the form of a FOK without a price (rules §1.6).
  MARKET: 'FOK',
}

function priceFault({ kind, price }: Draft): string {
  if (kind === 'MARKET' || price.trim() === '' || ticksOf(price) !== null) return ''
  return 'A price is 0.1 to 99.9 cents, in steps of 0.1.'
}

function amountFault({ amount }: Draft): string {
  if (amount.trim() === '' || rawOf(amount) !== null) return ''
  return 'Type a number like 10 or 2.5.'
}

export function meaningOf(draft: Draft): Meant {
  const faults = { price: priceFault(draft), amount: amountFault(draft) }
  const amountRaw = rawOf(draft.amount)
  const priceTicks = draft.kind === 'MARKET' ? null : ticksOf(draft.price)
  if (amountRaw === null || (priceTicks === null && draft.kind !== 'MARKET')) {
    return { request: null, faults }
  }
  const { isBuy, outcome, kind } = draft
  const request: OrderRequest = {
    isBuy,
    outcome,
    type: TYPES[kind],
    flags: flagFields(draft.flags, TYPES[kind]),
    priceTicks,
    amountRaw,
  }
  const amounts = amountsOf(request)
  if (typeof amounts === 'string') return { request: null, faults: { ...faults, amount: amounts } }
  return { request, faults }
}

const TICKS_PER_CENT = 10
const TICKS_MAX = 999
const TICKS_ONE = 1000

export function centsText(ticks: number): string {
  return String(ticks / TICKS_PER_CENT)
}

/** The price so many ticks further, within what prices there are. */
export function steppedPrice(price: string, ticks: number): string {
  const from = ticksOf(price) ?? TICKS_PER_CENT * 50
  return centsText(Math.min(TICKS_MAX, Math.max(1, from + ticks)))
}

/** A level of the YES book as a price of the outcome that is traded. */
export function priceOfLevel(yesPrice: number, outcome: 0 | 1): string {
  const ticks = Math.round(yesPrice * TICKS_ONE)
  return centsText(outcome === 0 ? ticks : TICKS_ONE - ticks)
}

const RAW = 1_000_000
const STEP_RAW = 1000

/** The largest amount of this order that free collateral or free shares cover, as text. */
export function mostOf(
  draft: Draft,
  { collateralRaw, sharesRaw }: { readonly collateralRaw: number; readonly sharesRaw: number },
): string {
  const isMarket = draft.kind === 'MARKET'
  const priceTicks = ticksOf(draft.price)
  if (draft.isBuy && !isMarket && priceTicks === null) return ''
  const buyRaw = isMarket ? collateralRaw : (collateralRaw / (priceTicks ?? 1)) * TICKS_ONE
  const mostRaw = Math.max(0, draft.isBuy ? buyRaw : sharesRaw)
  const stepRaw = isMarket ? 1 : STEP_RAW
  return String((Math.floor(mostRaw / stepRaw) * stepRaw) / RAW)
}
