// Parts of the replies about the visitor that the account shows.

import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { UserOrder } from '../exchange/shapes.ts'

export interface Balance {
  readonly free: string
  readonly reserved: string
  readonly inOrders: string
  readonly parked: string
  readonly withdrawable: string
  readonly total: string
}

export interface Act {
  readonly blockTimestamp: number
  readonly market: {
    readonly slug: string
    readonly title: string
    readonly group: { readonly slug: string; readonly title: string } | null
  }
  readonly transactionHash: string | null
  readonly collateralAmount: string
  readonly outcomeIndex?: number
  readonly outcomeTokenAmount?: string
  readonly outcomeTokenAmounts: readonly string[]
  readonly outcomeTokenPrice?: number
  readonly strategy: string
}

export interface PageOf<Entry> {
  readonly data: readonly Entry[]
  readonly nextCursor: string | null
}

export interface OpenOrder extends Omit<UserOrder, 'side'> {
  /** As it was signed: 0 to buy, 1 to sell. */
  readonly side: 0 | 1
  readonly marketSlug: string
}

export interface ApiToken {
  readonly tokenId: string
  readonly label: string | null
  readonly scopes: readonly string[]
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

export interface NewToken {
  readonly tokenId: string
  readonly secret: string
  readonly scopes: readonly string[]
  readonly profile: { readonly id: ProfileId }
}

export interface PnlChart {
  readonly data: readonly { readonly timestamp: number; readonly value: number }[]
  readonly percentChange: number
  readonly current: {
    readonly realised: number
    readonly unrealised: number
    readonly total: number
  } | null
}
