// One market of the model.

import assert from 'node:assert/strict'
import type { MarketKind, MarketStatus, SlotOf } from '../../engine/domain/markets/market.ts'

export interface MarketModel {
  /** The book that it was given; 0 while it has none. */
  book: number
  readonly kind: MarketKind
  readonly groupId: number
  readonly slot: SlotOf | null
  readonly feeEnabled: boolean
  readonly deadlineMs: number | null
  readonly takerDelayMs: number
  readonly exchangeAddress: string
  readonly conditionId: string
  strikeE8: number
  /** The oracle had no value for an end of the slot. */
  isFailed: boolean
  isArchived: boolean
  /** What YES and NO get; null until it is resolved. */
  payout: readonly [number, number] | null
  /** Of a group: the fee of a conversion. */
  readonly convertFeeBps: number
  /** The market's statuses, each with the command that set it. */
  readonly history: { readonly seq: number; readonly status: MarketStatus }[]
}

export function statusOf({ history }: MarketModel): MarketStatus {
  const last = history.at(-1)
  assert(last !== undefined, 'a market has a status')
  return last.status
}
