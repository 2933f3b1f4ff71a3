// Parts of the replies of the exchange that this page reads (/docs/openapi has all of them), and
// what is signed for it.

import type { Seq } from '../../../engine/domain/ids.ts'

export interface Token {
  readonly yes: string
  readonly no: string
}

export interface MarketView {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly proxyTitle: string | null
  readonly description?: string
  readonly status: string
  readonly tradeType: 'clob' | 'group' | 'amm'
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expirationTimestamp: number
  readonly volume: string
  readonly automationType: string
  readonly winningOutcomeIndex: number | null
  readonly payoutNumerators: readonly number[] | null
  readonly metadata: {
    readonly fee: boolean
    readonly openPrice?: string | number | null
    readonly closePrice?: string | null
    readonly takerDelayMs?: number
    readonly delayedCancel?: boolean
  }
  readonly conditionId?: string
  readonly tokens?: Token
  readonly prices?: readonly number[]
  /** Of a pool: its address, what it holds, and its fee. */
  readonly address?: string
  readonly reserves?: Token
  readonly feeBps?: number
  readonly venue?: { readonly exchange: string; readonly adapter: string | null }
  readonly settings?: {
    readonly minSize: string
    readonly maxSpread: number
    readonly dailyReward: string
    readonly takerDelayMs?: number
    readonly rebateRate?: number
  }
  readonly markets?: readonly MarketView[]
  readonly startAt?: string
  readonly nextMarket?: {
    readonly slug: string
    readonly startAt: string
    readonly endAt: string
  } | null
  readonly priceOracleMetadata?: {
    readonly ticker: string
    readonly symbol: string
    readonly name: string
  }
}

export interface MarketList {
  readonly data: readonly MarketView[]
  readonly totalMarketsCount: number
}

export interface Level {
  readonly price: number
  readonly size: number
}

export interface Book {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
  readonly midpoint: number
  readonly lastTradePrice: number | null
}

export interface BookFrame {
  readonly marketSlug: string
  readonly orderbook: Book
  readonly sequence: number
}

export interface DeltaFrame extends Omit<Book, 'adjustedMidpoint'> {
  readonly marketSlug: string
  readonly sequence: number
}

export interface TradeFrame {
  readonly marketSlug: string
  readonly seq: Seq
  readonly prevSeq: Seq | null
  readonly sequence: number
  readonly tradeEventId: string
  readonly price: number
  readonly size: number
  readonly side: 'BUY' | 'SELL'
  readonly timestamp: string
}

/** A trade as GET /markets/{slug}/trades gives it. */
export interface TapeTrade extends Omit<TradeFrame, 'marketSlug' | 'sequence'> {
  readonly busted?: boolean
}

/** A trade in a block, as GET /markets/{slug}/events gives it. */
export interface MinedTrade {
  readonly tradeEventId: string
  readonly txHash: string
}

export interface PoolFrame {
  readonly marketAddress: string
  readonly updatedPrices: readonly { readonly yesPrice: number; readonly noPrice: number }[]
}

export interface BustFrame {
  readonly marketSlug: string
  readonly tradeEventId: string
  readonly sequence: number
}

/** The chain and the rules that orders are signed and priced by. */
export interface ExchangeInfo {
  readonly version: string
  readonly chain: {
    readonly chainId: number
    readonly domainName: string
    readonly domainVersion: string
    readonly exchange: string
    readonly collateral: {
      readonly address: string
      readonly decimals: number
      readonly symbol: string
    }
    /** Absent unless trades settle on an EVM chain, and an explorer of it is known. */
    readonly explorerUrl?: string
  }
  readonly headerPrefixes: readonly string[]
}

export interface UserOrder {
  readonly id: string
  readonly createdAt: string
  readonly token: string
  readonly type: string
  readonly status: string
  readonly side: 'BUY' | 'SELL'
  readonly price: number | null
  readonly originalSize: string
  readonly remainingSize: string
}

/** What a wallet signs as EIP-712 typed data. */
export interface TypedData {
  readonly domain: Readonly<Record<string, string | number>>
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly message: Readonly<Record<string, string | number>>
}

export interface Signer {
  readonly account: string
  signText(text: string): Promise<string>
  signTyped(data: TypedData): Promise<string>
}
