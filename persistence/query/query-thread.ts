import type { SettledTrade } from '../../engine/core/money/reversal.ts'
import type { AuditAsk, AuditRow } from './read/audit.ts'
import type { HeldAsk, HeldRow } from './read/held-orders.ts'
import type { OrderStatus, OrderStatusAsk } from './read/order-status.ts'
import type { PositionRow, PositionsAsk } from './read/positions.ts'
import type { ShownProfile } from './read/profiles.ts'
import type { NewestTrade, Settlement } from './read/settlements.ts'
import type { TradeParts, TradePartsAsk } from './read/trade-parts.ts'
import type { OrderRow, UserOrdersAsk } from './read/user-orders.ts'

export type SettlementAsk =
  | { readonly what: 'of' | 'trade'; readonly tradeSeq: number }
  | { readonly what: 'tradesAfter'; readonly seq: number; readonly limit: number }
  | { readonly what: 'newest'; readonly limit: number }

export interface SettlementAnswer {
  readonly of?: Settlement
  readonly trade?: SettledTrade | null
  readonly tradesAfter?: readonly number[]
  readonly newest?: readonly NewestTrade[]
}

/** Main → query thread. */
export type QueryRequest =
  | { readonly kind: 'userOrders'; readonly id: number; readonly ask: UserOrdersAsk }
  | {
      readonly kind: 'orderBySlot'
      readonly id: number
      readonly slot: number
      readonly generation: number
    }
  | {
      readonly kind: 'orderByClientId'
      readonly id: number
      readonly accountId: number
      readonly clientOrderId: string
    }
  | { readonly kind: 'orderStatus'; readonly id: number; readonly ask: OrderStatusAsk }
  | { readonly kind: 'profiles'; readonly id: number; readonly profileIds: readonly number[] }
  | { readonly kind: 'held'; readonly id: number; readonly ask: HeldAsk }
  | { readonly kind: 'settlement'; readonly id: number; readonly ask: SettlementAsk }
  | { readonly kind: 'positions'; readonly id: number; readonly ask: PositionsAsk }
  | { readonly kind: 'tradeParts'; readonly id: number; readonly ask: TradePartsAsk }
  | { readonly kind: 'audit'; readonly id: number; readonly ask: AuditAsk }
  | { readonly kind: 'stop' }

/** Query thread → main: rows of a query, newest first, or what else was asked. */
export interface QueryAnswer {
  readonly id: number
  readonly rows?: readonly OrderRow[]
  readonly profiles?: readonly (ShownProfile | null)[]
  readonly held?: HeldRow
  readonly settlement?: SettlementAnswer
  readonly positions?: readonly PositionRow[]
  readonly tradeParts?: readonly TradeParts[]
  readonly statuses?: readonly (OrderStatus | null)[]
  readonly audit?: readonly AuditRow[]
  /** What the question broke at; trouble is no fault, and the question may be asked again. */
  readonly failed?: { readonly reason: string; readonly isTrouble: boolean }
}

export type QueryMessage = 'ready' | QueryAnswer

export interface QueryThreadData {
  readonly dataDir: string
  /** One shared word: the id of the question the thread is at and one more, 0 for none. */
  readonly working: Int32Array
}
