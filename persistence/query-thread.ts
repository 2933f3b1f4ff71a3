import type { OrderRow, UserOrdersAsk } from './read/user-orders.ts'

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
  | { readonly kind: 'stop' }

/** Query thread → main: rows of any query, newest first. */
export type QueryMessage = 'ready' | { readonly id: number; readonly rows: readonly OrderRow[] }

export interface QueryThreadData {
  readonly dataDir: string
}
