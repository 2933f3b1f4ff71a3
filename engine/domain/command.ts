import type {
  AccountId,
  Book,
  Generation,
  MarketId,
  OrderGroupId,
  ProfileId,
  Seq,
  SeriesId,
  Slot,
} from './ids.ts'
import type { MarketChange, MarketSpec } from './markets/market.ts'
import type { MarketPage, PropertyKey, PropertyOption } from './markets/market-page.ts'
import type { SeriesChange, SeriesSpec } from './markets/series.ts'
import type { TradingWindow } from './markets/trading-window.ts'
import type { MoveBody } from './moves/move-command.ts'
import type { Role } from './operator.ts'
import type { OrderFlags } from './order-flags.ts'
import type { PackBody } from './packs/pack-command.ts'
import type { RewardBody } from './rewards/reward-command.ts'
import type { SocialBody } from './social/social-command.ts'
import type { MatchBody } from './sports/match.ts'
import type { CollateralRaw, FeeBps, PriceE8, PriceTicks, SizeRaw, TimeMs } from './units.ts'

// All decided commands. A command carries everything `apply` needs, so a replay decides nothing.

/** Stamped by the sequencer. `seq` counts from 1 without gaps, and `nowMs` never decreases. */
export interface Stamp {
  seq: Seq
  nowMs: TimeMs
}

/**
 * One decided order. Mutable on purpose: hot callers decode into one reused object.
 * Limit forms use `sizeRaw`; a market sell has `priceTicks` 0 and `sizeRaw`; a market buy has
 * `priceTicks` 0 and `spendRaw` (rules §1.6).
 */
export interface PlaceOrder extends Stamp, OrderFlags {
  kind: 'placeOrder'
  marketId: MarketId
  /** The market's book, where the order is matched. */
  book: Book
  accountId: AccountId
  slot: Slot
  generation: Generation
  side: number
  outcome: number
  orderType: number
  marketForm: boolean
  stp: number
  /** Price of the order's own token; 0 for the market form. */
  priceTicks: PriceTicks
  sizeRaw: SizeRaw
  spendRaw: CollateralRaw
  /** What the order reserves: collateral for a buy, shares for a sell (rules §2.5). */
  reserveRaw: number
  /** Unix seconds, 0 = never. */
  expirationSec: number
  /** Charged to a taker; 0 on fee-disabled markets. */
  feeBps: FeeBps
  /** How long the market holds an order that would match on arrival (rules §4.3); 0 = no hold. */
  takerDelayMs: number
  /** First eight bytes of the EIP-712 hash, in big-endian halves. They identify the order. */
  hashHigh: number
  hashLow: number
  /** '' when none was given. */
  clientOrderId: string
  /** The order group that it joins (rules §4.13); 0 = none. */
  orderGroup: OrderGroupId
  /** The order that this one replaces (rules §4.10); slot 0 = none. */
  replacedSlot: Slot
  replacedGeneration: Generation
  /** What the replaced order had open at the decision; its fills since then come off. */
  replacedOpenRaw: SizeRaw
  /** Price of its own token. */
  replacedTicks: PriceTicks
  /** What the new one may trade before these fills come off; its signed size may be larger. */
  replacingRaw: SizeRaw
}

/**
 * A held order enters its market as if it had just arrived (rules §4.3). It carries the terms of
 * its placement under a stamp of its own. The market skips an order that was canceled meanwhile.
 */
export interface ReleaseOrder extends Omit<PlaceOrder, 'kind'> {
  kind: 'releaseOrder'
}

/**
 * Takes shares off an open order, which keeps its place in the queue (rules §4.10). An order with
 * less than a step left is canceled. The market skips an order that is gone.
 */
export interface DecreaseOrder extends Stamp {
  kind: 'decreaseOrder'
  marketId: MarketId
  slot: Slot
  generation: Generation
  byRaw: SizeRaw
}

/** An order as it arrives in its market: newly placed or released. */
export type Arrival = PlaceOrder | ReleaseOrder

/** Cancels up to `cancelItemsMax` orders of one market. The market skips orders that are gone. */
export interface CancelOrders extends Stamp {
  kind: 'cancelOrders'
  marketId: MarketId
  /** Index into CANCEL_REASONS. */
  reason: number
  count: number
  slots: Uint32Array
  generations: Uint32Array
}

export const SCOPES = ['trading', 'account_creation', 'delegated_signing', 'withdrawal'] as const
export type Scope = (typeof SCOPES)[number]

/** Rank of rules §3.3. */
export interface Rank {
  readonly id: number
  readonly name: string
  readonly feeRateBps: FeeBps
}

/** Optional profile data (rules §12.2). Profiles older than these fields lack them. */
export interface ProfileAbout {
  readonly bio?: string | null
  readonly pfpUrl?: string | null
  readonly socialUrl?: string | null
  /** null is `simple`. */
  readonly mode?: 'simple' | 'advanced' | null
  readonly tradeWalletOption?: 'eoa' | 'smartWallet' | null
  /** The X account that the owner verified, and its picture. */
  readonly xHandle?: string | null
  readonly xAvatar?: string | null
}

export interface ProfileFields extends ProfileAbout {
  readonly account: string
  readonly username: string | null
  /** null until the owner sets one. Until then the username is shown, or else the account. */
  readonly displayName: string | null
  readonly client: string
  readonly smartWallet: string | null
  readonly rank: Rank | null
  readonly feeCapBps: FeeBps | null
  readonly scopes: readonly Scope[]
  /** Set by an operator for accounts that a program runs; absent = false. */
  readonly isMachine?: boolean
}

/**
 * The fields that an edit changes. Absent fields keep their value. A smart wallet is never removed.
 */
export type ProfileChange = Partial<Omit<ProfileFields, 'account'>>

/** `sealedSecret` is AES-256-GCM under the server key. Only the edge decrypts it. */
export interface TokenFields {
  readonly tokenId: string
  readonly sealedSecret: Uint8Array
  readonly label: string | null
  readonly scopes: readonly Scope[]
}

/**
 * What one account receives (positive) or returns (negative) when a trade is reversed: raw shares
 * of one outcome, and the raw collateral paid for them.
 */
export interface ReversedLeg {
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly outcome: number
  readonly collateralRaw: number
  readonly sharesRaw: number
}

/**
 * Collateral that returns to the backing of a market's pairs (positive) or leaves it (negative).
 */
export interface ReversedCondition {
  readonly marketId: MarketId
  readonly collateralRaw: number
}

/**
 * The on-chain settlement of trades (design §5). A trade is identified by the seq of its taker's
 * order. A block covers every trade up to `throughSeq`, and all receipts up to there are settled.
 * It skips trades that were set aside (`retrySettlement`) or reversed (`failSettlement`) earlier. A
 * trade that was set aside joins a later block through its own `settleTrade`.
 */
type SettlementBody =
  | {
      kind: 'mineBlock'
      height: number
      throughSeq: Seq
      chainId: number
      /** The transaction of an EVM chain that holds its trades; absent on the embedded chain. */
      txHash?: string
    }
  | { kind: 'retrySettlement'; tradeSeq: Seq }
  | { kind: 'settleTrade'; tradeSeq: Seq; height: number }
  | {
      kind: 'failSettlement'
      tradeSeq: Seq
      /** The legs and conditions may span several markets. */
      legs: readonly ReversedLeg[]
      conditions: readonly ReversedCondition[]
      /**
       * How many fills of the trade are left for later commands to reverse, last fill first; absent
       * when this command completes the reversal. Until then the trade is open and in no block.
       */
      fillsLeft?: number
    }

/**
 * Transactions of the exchange on an EVM chain (design §12). Each attempt is durable before it is
 * sent. Attempts with the same account and nonce differ in fees only; the first one says what the
 * transaction does.
 */
type TransactionBody =
  | {
      kind: 'submitTransaction'
      /** Who sends it, as EIP-55 text. */
      account: string
      nonce: number
      /** `0x` and 64 lowercase hex digits. */
      txHash: string
      rawTx: Uint8Array
      /** The trades that it settles, in its order. */
      trades?: readonly Seq[]
      /** The markets whose tokens it registers, or whose payouts it posts. */
      markets?: readonly MarketId[]
      /** The moves and approvals of server wallets that it makes, by the seqs of their commands. */
      moves?: readonly Seq[]
    }
  /** One attempt happened, and everything that follows from it is in earlier commands. */
  | {
      kind: 'endTransaction'
      account: string
      nonce: number
      txHash: string
      isReverted: boolean
      /** Those of its moves that it did not make; they are submitted again. */
      left?: readonly Seq[]
    }

/** Name of the operator who caused a command; absent when no operator did. */
interface Caused {
  by?: string
}

/** How the collateral behind a market's pairs is split between YES and NO. */
export interface Resolution {
  readonly marketId: MarketId
  readonly payoutNumerators: readonly [number, number]
  /** For a slot: the oracle's value at its end. */
  readonly closeE8?: PriceE8
}

/** A market that a command creates. */
export interface NewMarket {
  readonly marketId: MarketId
  /** A free book, in use until the market is resolved and its last order is gone; 0 = no book. */
  readonly book: Book
  readonly market: MarketSpec
}

/** Commands other than those of orders; encoded as msgpack. Digests are lowercase hex SHA-256. */
export type ControlCommand = Stamp &
  Caused &
  (
    | { kind: 'rules'; version: number }
    | { kind: 'setAdminToken'; tokenDigest: string }
    | {
        kind: 'createProfile'
        profileId: ProfileId
        profile: ProfileFields
        token: TokenFields | null
        /** The owner of the referral code given at the first login; absent = none. */
        referredBy?: ProfileId
      }
    | {
        kind: 'editProfile'
        profileId: ProfileId
        profile: ProfileChange
        token: TokenFields | null
      }
    | { kind: 'createToken'; profileId: ProfileId; token: TokenFields }
    | { kind: 'revokeToken'; tokenId: string }
    | { kind: 'touchToken'; tokenId: string }
    | {
        kind: 'login'
        profileId: ProfileId
        sessionDigest: string
        expiresMs: TimeMs
        nonce: string
        nonceExpiresMs: TimeMs
        /** Ends the profile's oldest session; absent: ends it only if the profile has 32. */
        endsOldest?: true
      }
    | { kind: 'logout'; sessionDigest: string }
    /** Ends every session of the profile. */
    | { kind: 'logoutEverywhere'; profileId: ProfileId }
    | ({ kind: 'createMarket' } & NewMarket)
    /** A group, followed by its children. */
    | { kind: 'createGroup'; markets: readonly NewMarket[] }
    | { kind: 'editMarket'; marketId: MarketId; change: MarketChange }
    | { kind: 'lockMarket'; marketId: MarketId }
    /** Trading resumes in a locked market. */
    | { kind: 'unlockMarket'; marketId: MarketId }
    | { kind: 'flagMarket'; marketId: MarketId; isFlagged: boolean }
    /** A slot gets its book and the oracle's value at its start. */
    | { kind: 'openSlot'; marketId: MarketId; book: Book; strikeE8: PriceE8 }
    /** The oracle has no value for the start or the end of a slot. */
    | { kind: 'failSlot'; marketId: MarketId }
    /** All trades of these resolved markets are in blocks, so the markets pay out. */
    | {
        kind: 'postPayouts'
        marketIds: readonly MarketId[]
        /** When the exchange redeems the remaining positions; absent = never. */
        redeemAtMs?: TimeMs
      }
    | { kind: 'createSeries'; seriesId: SeriesId; series: SeriesSpec }
    /** Existing slots keep their values. */
    | { kind: 'editSeries'; seriesId: SeriesId; change: SeriesChange }
    /** No more slots are created. Existing slots continue. */
    | { kind: 'endSeries'; seriesId: SeriesId }
    /** The oracle's report of a price at an instant. */
    | { kind: 'reportPrice'; symbol: string; atMs: TimeMs; priceE8: PriceE8 }
    /** The oracle's value at a slot boundary; 0 when there is none (rules §13 row 37). */
    | { kind: 'decideBoundary'; symbol: string; atMs: TimeMs; priceE8: PriceE8 }
    /** One market, or all children of a group: a group is always resolved as a whole. */
    | { kind: 'resolveMarkets'; resolutions: readonly Resolution[] }
    /** Removes a resolved market that is no longer needed from memory (design §10). */
    | { kind: 'archiveMarket'; marketId: MarketId }
    | { kind: 'adjustBalance'; profileId: ProfileId; collateralRaw: number }
    | MoveBody
    | RewardBody
    | PackBody
    | MatchBody
    | SocialBody
    | SettlementBody
    | TransactionBody
    | {
        kind: 'createSubAccount'
        profileId: ProfileId
        profile: ProfileFields
        partnerId: ProfileId
        /**
         * The key of its server wallet, sealed like a token's secret; null if it has its own
         * wallet.
         */
        sealedKey: Uint8Array | null
        approved: readonly string[]
        /** The login nonce that proved its own wallet; null for a server wallet. */
        proof: { nonce: string; nonceExpiresMs: TimeMs } | null
      }
    /** Detaches a sub-account that signs for itself from its partner. */
    | { kind: 'leavePartner'; profileId: ProfileId }
    /** Approves immediately. Used without a chain, and by versions before blocks approved. */
    | { kind: 'approveSpenders'; profileId: ProfileId; spenders: readonly string[] }
    | { kind: 'submitApprovals'; profileId: ProfileId; spenders: readonly string[] }
    /** The result for all submitted approvals of the profile. `height` is the newest block's. */
    | { kind: 'settleApprovals'; profileId: ProfileId; height: number; isConfirmed: boolean }
    | {
        kind: 'addWithdrawalAddress'
        profileId: ProfileId
        /** UUIDv4 text. */
        addressId: string
        address: string
        /** '' when none was given. */
        label: string
      }
    | { kind: 'removeWithdrawalAddress'; profileId: ProfileId; address: string }
    | { kind: 'putTradingWindow'; window: TradingWindow }
    | { kind: 'endTradingWindow'; windowId: number }
    | { kind: 'armHeartbeat'; profileId: ProfileId; cancelAtMs: TimeMs }
    | { kind: 'disarmHeartbeat'; profileId: ProfileId }
    | { kind: 'fireHeartbeat'; profileId: ProfileId }
    /** Heartbeats whose deadlines have passed. Older journals have one `fireHeartbeat` each. */
    | { kind: 'fireHeartbeats'; profileIds: readonly ProfileId[] }
    /** Its seq is the id of the group. A window of 0 is a one-cancels-other group. */
    | {
        kind: 'createOrderGroup'
        profileId: ProfileId
        maxFillRaw: SizeRaw
        windowSec: number
      }
    /** Its orders filled too much. `keptSeq`: the order that stays live; 0 for none. */
    | { kind: 'closeOrderGroup'; groupId: OrderGroupId; keptSeq: Seq }
    | { kind: 'resetOrderGroup'; groupId: OrderGroupId }
    | { kind: 'removeOrderGroup'; groupId: OrderGroupId }
    /** `reason` is the operator's text; '' if none was given. */
    | { kind: 'freezeProfile'; profileId: ProfileId; reason: string }
    | { kind: 'unfreezeProfile'; profileId: ProfileId; reason: string }
    /** Revokes every live API token of the profile. */
    | { kind: 'revokeTokens'; profileId: ProfileId }
    | { kind: 'addOperator'; name: string; role: Role; tokenDigest: string }
    | { kind: 'removeOperator'; name: string }
    /** Creates the page, or replaces the one with the same id. */
    | { kind: 'putMarketPage'; page: MarketPage }
    | { kind: 'removeMarketPage'; pageId: string }
    /** Creates or edits the key. Options that are not named keep their values. */
    | {
        kind: 'putPropertyKey'
        key: PropertyKey
        options: readonly PropertyOption[]
        removedOptionIds: readonly string[]
      }
    | { kind: 'removePropertyKey'; keyId: string }
  )

export type Command = Arrival | CancelOrders | DecreaseOrder | ControlCommand
