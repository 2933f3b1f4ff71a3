import { type MarketStatus, takesOrders } from './market.ts'

/** States of a slot (rules §10.2). Read tables store the index. */
export const SLOT_STATES = ['PRE_OPEN', 'OPEN', 'SETTLING', 'SETTLED', 'FAILED'] as const
export type SlotState = (typeof SLOT_STATES)[number]

interface Metadata {
  readonly status: MarketStatus
  readonly isPaidOut: boolean
  readonly isFailed: boolean
}

export function slotStateOf({ status, isPaidOut, isFailed }: Metadata): SlotState {
  if (status === 'RESOLVED') return isPaidOut ? 'SETTLED' : 'SETTLING'
  if (isFailed) return 'FAILED'
  if (takesOrders(status)) return 'OPEN'
  return status === 'LOCKED' ? 'SETTLING' : 'PRE_OPEN'
}
