import type {
  AccountId,
  Book,
  Generation,
  MarketId,
  ProfileId,
  Seq,
  SeriesId,
  Slot,
} from './ids.ts'
import type { MarketChange, MarketSpec } from './markets/market.ts'
import type { MarketPage, PropertyKey, PropertyOption } from './markets/market-page.ts'
import type { SeriesChange, SeriesSpec } from './markets/series.ts'
import type { TradingWindow } from './markets/trading-mode.ts'
import type { MoveBody } from './moves/move-command.ts'
import type { Role } from './operator.ts'
import type { PackBody } from './packs/pack-command.ts'
import type { RewardBody } from './rewards/reward-command.ts'
import type { SocialBody } from './social/social-command.ts'
import type { MatchBody } from './sports/match-command.ts'
import type { CollateralRaw, FeeBps, PriceE8, PriceTicks, SizeRaw, TimeMs } from './units.ts'

// Every decided command. A command carries all that `apply` needs: a replay decides nothing again.

/** Stamped by the sequencer: `seq` counts from 1 without a gap, `nowMs` never goes back. */
export interface Stamp {
  seq: Seq
  nowMs: TimeMs
}

/**
 * One decided order. Mutable on purpose: hot callers decode into one reused object.
 * Limit forms use `sizeRaw`; a market sell has `priceTicks` 0 and `sizeRaw`; a market buy has
 * `priceTicks` 0 and `spendRaw` (rules §1.6).
 */
export interface PlaceOrder extends Stamp {
  kind: 'placeOrder'
  marketId: MarketId
  /** The book of the market, where the order is matched. */
  book: Book
  accountId: AccountId
  slot: Slot
  generation: Generation
  side: number
  outcome: number
  orderType: number
  postOnly: boolean
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
  /** How long its market holds an order that would take on arrival (rules §4.3); 0 = not. */
  takerDelayMs: number
  /** First eight bytes of the EIP-712 hash, in big-endian halves. They identify the order. */
  hashHigh: number
  hashLow: number
  /** '' when none was given. */
  clientOrderId: string
}

/**
 * A held order enters its market as if it had just arrived (rules §4.3). It carries the terms of
 * its placement under a stamp of its own. The market skips an order that was canceled meanwhile.
 */
export interface ReleaseOrder extends Omit<PlaceOrder, 'kind'> {
  kind: 'releaseOrder'
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

/**
 * What a profile says of itself (rules §12.2). Profiles from before these fields were kept say
 * nothing.
 */
export interface ProfileAbout {
  readonly bio?: string | null
  readonly pfpUrl?: string | null
  readonly socialUrl?: string | null
  /** null is `simple`. */
  readonly mode?: 'simple' | 'advanced' | null
  readonly tradeWalletOption?: 'eoa' | 'smartWallet' | null
  /** The account on X that the owner proved, and its picture. */
  readonly xHandle?: string | null
  readonly xAvatar?: string | null
}

export interface ProfileFields extends ProfileAbout {
  readonly account: string
  readonly username: string | null
  /** null until one is chosen. Meanwhile the username, or else the account, is shown. */
  readonly displayName: string | null
  readonly client: string
  readonly smartWallet: string | null
  readonly rank: Rank | null
  readonly feeCapBps: FeeBps | null
  readonly scopes: readonly Scope[]
  /** An operator says that a program has this profile; absent is false. */
  readonly isMachine?: boolean
}

/** The fields that an edit changes. An absent field stays, and a smart wallet is never removed. */
export type ProfileChange = Partial<Omit<ProfileFields, 'account'>>

/** `sealedSecret` is AES-256-GCM under the server key. Only the edges can open it. */
export interface TokenFields {
  readonly tokenId: string
  readonly sealedSecret: Uint8Array
  readonly label: string | null
  readonly scopes: readonly Scope[]
}

/**
 * What one account gets back (positive) or gives back (negative) when a trade is reversed: raw
 * shares of one outcome, and the raw collateral that was paid for them.
 */
export interface ReversedLeg {
  readonly accountId: AccountId
  readonly marketId: MarketId
  readonly outcome: number
  readonly collateralRaw: number
  readonly sharesRaw: number
}

/**
 * Collateral that goes back behind the pairs of a market (positive), or comes out as pairs are
 * unmade (negative).
 */
export interface ReversedCondition {
  readonly marketId: MarketId
  readonly collateralRaw: number
}

/**
 * What becomes of trades on the chain (design §5). The seq of its taker's order names a trade. A
 * block covers every trade up to `throughSeq`, and every receipt up to there is settled. It skips
 * trades that were set aside (`retrySettlement`) or reversed (`failSettlement`) before. A trade
 * that was set aside goes into a later block by its own `settleTrade`.
 */
type SettlementBody =
  | { kind: 'mineBlock'; height: number; throughSeq: Seq; chainId: number }
  | { kind: 'retrySettlement'; tradeSeq: Seq }
  | { kind: 'settleTrade'; tradeSeq: Seq; height: number }
  | {
      kind: 'failSettlement'
      tradeSeq: Seq
      /** The legs and conditions may lie in several markets. */
      legs: readonly ReversedLeg[]
      conditions: readonly ReversedCondition[]
      /**
       * How many fills of the trade later commands take back, from the last one on; absent when
       * the whole trade is taken back. Until then it is open, and no block holds it.
       */
      fillsLeft?: number
    }
export type SettlementCommand = Stamp & SettlementBody
export type RewardCommand = Stamp & RewardBody
export type PackCommand = Stamp & PackBody
export type MatchCommand = Stamp & MatchBody

/** Name of the operator who caused a command. Absent when no operator did. */
interface Caused {
  by?: string
}

/** How the collateral behind a market's pairs is paid: in parts, to YES and to NO. */
export interface Resolution {
  readonly marketId: MarketId
  readonly payoutNumerators: readonly [number, number]
  /** Of a slot: the oracle's value at its end. */
  readonly closeE8?: PriceE8
}

/** A market that a command makes. */
export interface NewMarket {
  readonly marketId: MarketId
  /** Free, and held until the market is resolved and its last order is gone; 0 for no book. */
  readonly book: Book
  readonly market: MarketSpec
}

/** Commands beside those of orders; they travel as msgpack. Digests are lowercase hex SHA-256. */
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
        /** Whose code the first login named; absent for nobody's. */
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
        /** Its oldest session ends; absent: only when the profile has 32. */
        endsOldest?: true
      }
    | { kind: 'logout'; sessionDigest: string }
    /** Ends every session of the profile. */
    | { kind: 'logoutEverywhere'; profileId: ProfileId }
    | ({ kind: 'createMarket' } & NewMarket)
    /** A group, and then its children. */
    | { kind: 'createGroup'; markets: readonly NewMarket[] }
    | { kind: 'editMarket'; marketId: MarketId; change: MarketChange }
    | { kind: 'lockMarket'; marketId: MarketId }
    /** A locked market trades again. */
    | { kind: 'unlockMarket'; marketId: MarketId }
    | { kind: 'flagMarket'; marketId: MarketId; isFlagged: boolean }
    /** A slot gets its book at its start, and the oracle's value then. */
    | { kind: 'openSlot'; marketId: MarketId; book: Book; strikeE8: PriceE8 }
    /** The oracle has no value for the start or the end of a slot. */
    | { kind: 'failSlot'; marketId: MarketId }
    /** A block holds every trade of these resolved markets, so they are paid out. */
    | {
        kind: 'postPayouts'
        marketIds: readonly MarketId[]
        /** When the exchange redeems what is left then; absent = never. */
        redeemAtMs?: TimeMs
      }
    | { kind: 'createSeries'; seriesId: SeriesId; series: SeriesSpec }
    /** Slots that exist stay as they are. */
    | { kind: 'editSeries'; seriesId: SeriesId; change: SeriesChange }
    /** No more slots are created; those that exist go on. */
    | { kind: 'endSeries'; seriesId: SeriesId }
    /** The oracle's report of a price at an instant. */
    | { kind: 'reportPrice'; symbol: string; atMs: TimeMs; priceE8: PriceE8 }
    /** The oracle's value at a boundary of slots; 0 when it has none (rules §13 row 37). */
    | { kind: 'decideBoundary'; symbol: string; atMs: TimeMs; priceE8: PriceE8 }
    /** One market, or all children of a group: none of them is open while another is resolved. */
    | { kind: 'resolveMarkets'; resolutions: readonly Resolution[] }
    /** A resolved market that nothing needs any more leaves memory (design §10). */
    | { kind: 'archiveMarket'; marketId: MarketId }
    | { kind: 'adjustBalance'; profileId: ProfileId; collateralRaw: number }
    | MoveBody
    | RewardBody
    | PackBody
    | MatchBody
    | SocialBody
    | SettlementBody
    | {
        kind: 'createSubAccount'
        profileId: ProfileId
        profile: ProfileFields
        partnerId: ProfileId
        /**
         * The key of its server wallet, sealed like a token's secret; null for a wallet of its own.
         */
        sealedKey: Uint8Array | null
        approved: readonly string[]
        /** The login nonce that proved a wallet of its own; null for a server wallet. */
        proof: { nonce: string; nonceExpiresMs: TimeMs } | null
      }
    /** A sub-account that signs for itself has no partner from now on. */
    | { kind: 'leavePartner'; profileId: ProfileId }
    /**
     * Approves at once. An exchange without a chain does this, and all did before blocks approved.
     */
    | { kind: 'approveSpenders'; profileId: ProfileId; spenders: readonly string[] }
    | { kind: 'submitApprovals'; profileId: ProfileId; spenders: readonly string[] }
    /**
     * The result of everything that the profile submitted. `height` is that of the newest block.
     */
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
    /** Heartbeats whose deadlines have passed. Older journals have one `fireHeartbeat` for each. */
    | { kind: 'fireHeartbeats'; profileIds: readonly ProfileId[] }
    /** `reason` is what the operator gave; '' without one. */
    | { kind: 'freezeProfile'; profileId: ProfileId; reason: string }
    | { kind: 'unfreezeProfile'; profileId: ProfileId; reason: string }
    /** Revokes every live API token of the profile. */
    | { kind: 'revokeTokens'; profileId: ProfileId }
    | { kind: 'addOperator'; name: string; role: Role; tokenDigest: string }
    | { kind: 'removeOperator'; name: string }
    /** Makes the page, or replaces the one with its id. */
    | { kind: 'putMarketPage'; page: MarketPage }
    | { kind: 'removeMarketPage'; pageId: string }
    /** Makes the key, or edits it; options that it does not name stay as they are. */
    | {
        kind: 'putPropertyKey'
        key: PropertyKey
        options: readonly PropertyOption[]
        removedOptionIds: readonly string[]
      }
    | { kind: 'removePropertyKey'; keyId: string }
  )

/** What operators and owners set for whole profiles, for trading, and for lists of markets. */
export type SettingCommand = Extract<
  ControlCommand,
  {
    kind:
      | 'putTradingWindow'
      | 'endTradingWindow'
      | 'armHeartbeat'
      | 'disarmHeartbeat'
      | 'fireHeartbeat'
      | 'fireHeartbeats'
      | 'freezeProfile'
      | 'unfreezeProfile'
      | 'addOperator'
      | 'removeOperator'
      | 'putMarketPage'
      | 'removeMarketPage'
      | 'putPropertyKey'
      | 'removePropertyKey'
  }
>

/** What changes profiles, tokens, sessions and wallets. */
export type AccountCommand = Extract<
  ControlCommand,
  {
    kind:
      | 'createProfile'
      | 'editProfile'
      | 'createSubAccount'
      | 'leavePartner'
      | 'approveSpenders'
      | 'submitApprovals'
      | 'settleApprovals'
      | 'createToken'
      | 'revokeToken'
      | 'revokeTokens'
      | 'touchToken'
      | 'login'
      | 'logout'
      | 'logoutEverywhere'
      | 'addWithdrawalAddress'
      | 'removeWithdrawalAddress'
  }
>

export type Command = Arrival | CancelOrders | ControlCommand

export function isSettlement(command: Command): command is SettlementCommand {
  switch (command.kind) {
    case 'mineBlock':
    case 'retrySettlement':
    case 'settleTrade':
    case 'failSettlement':
      return true
    default:
      return false
  }
}

/** Whether a market thread must hear the command. */
export function concernsBook(command: Command): command is Arrival | CancelOrders {
  const { kind } = command
  return kind === 'placeOrder' || kind === 'cancelOrders' || kind === 'releaseOrder'
}
