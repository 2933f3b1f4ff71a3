import type { AccountId, MarketId, ProfileId, Seq } from '../ids.ts'
import type { CollateralRaw, SizeRaw, TimeMs } from '../units.ts'

/** Prevents a call from executing twice. Digests are lowercase hex SHA-256. */
export interface CallOnce {
  /** `signed`: by its signature. `keyed`: by its profile's idempotency key. */
  readonly by: 'signed' | 'keyed'
  readonly digest: string
  /** The request body, for a keyed call; '' for a signed call. */
  readonly bodyDigest: string
  readonly untilMs: TimeMs
}

/** What moved money outside trading. The index is stored in the tables. */
export const MOVE_KINDS = [
  'SPLIT',
  'MERGE',
  'REDEEM',
  'CONVERT',
  'WITHDRAW',
  'BUY',
  'SELL',
  'FUND',
  'DRAIN',
  'DEPOSIT',
  'TRANSFER',
] as const
export type MoveKind = (typeof MOVE_KINDS)[number]

/** Settlement states of a trade (rules §5.2). The index is stored in read.db. */
export const SETTLEMENT_STATUSES = ['MATCHED', 'RETRYING', 'MINED', 'FAILED'] as const
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number]

/** States of a server wallet's approval (rules §12.1). */
export type ApprovalStatus = 'confirmed' | 'submitted' | 'failed' | 'missing'

// Commands on a market's pool. Each carries all its amounts.

/** Amounts of YES and NO. */
export type BothRaw = readonly [SizeRaw, SizeRaw]

interface OfPool {
  readonly marketId: MarketId
  readonly profileId: ProfileId
}

/** What an account allows a pool to take: collateral for a BUY, shares for a SELL. */
export const POOL_SIDES = ['BUY', 'SELL'] as const
export type PoolSide = (typeof POOL_SIDES)[number]

export type PoolBody =
  /**
   * Collateral becomes pairs. The pool keeps a part, and the provider gets the rest (rules §7.4).
   */
  | ({
      kind: 'fundPool'
      collateralRaw: CollateralRaw
      keptRaw: BothRaw
      /** The provider's new liquidity shares. */
      liquidityRaw: SizeRaw
      once?: undefined
    } & OfPool)
  /** A provider leaves with its part of the shares and its fees. */
  | ({
      kind: 'drainPool'
      liquidityRaw: SizeRaw
      sharesRaw: BothRaw
      feesRaw: CollateralRaw
      once?: undefined
    } & OfPool)
  /**
   * Allows the pool to take what the account trades, once a block has this command (rules §7.5).
   */
  | ({ kind: 'approvePool'; side: PoolSide; once?: undefined } & OfPool)
  /** The collateral includes the fee, which goes to the providers. */
  | ({
      kind: 'buyFromPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)
  /** The collateral that the account receives. The fee is in addition to it. */
  | ({
      kind: 'sellToPool'
      outcome: number
      collateralRaw: CollateralRaw
      feeRaw: CollateralRaw
      sharesRaw: SizeRaw
      once?: CallOnce | undefined
    } & OfPool)

/** A purchase from a pool or a sale to it. */
export type PoolTrade = Extract<PoolBody, { kind: 'buyFromPool' | 'sellToPool' }>

// Commands that convert collateral into shares and back, and that withdraw collateral.

/**
 * All free shares of one market that an account redeems, and the collateral it receives. Balances
 * that reversals made negative are negative here: the account owes them, rounded up (rules §6.2).
 */
export interface RedeemedPosition {
  readonly accountId: AccountId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  readonly paidRaw: CollateralRaw
}

/**
 * What one transaction of an EVM chain did to the wallet of a profile, or to its shares of one
 * market. Received amounts are positive.
 */
export interface ChainMove {
  readonly kind: Extract<
    MoveKind,
    'SPLIT' | 'MERGE' | 'REDEEM' | 'WITHDRAW' | 'DEPOSIT' | 'TRANSFER'
  >
  readonly owner: ProfileId
  /** 0 when only collateral moved. */
  readonly marketId: MarketId
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  readonly collateralRaw: CollateralRaw
  /** More left than the account had free when it was decided: the account owes it. */
  readonly isOwed?: true
  /** `0x` and 64 lowercase hex digits; absent for what a wallet held before. */
  readonly txHash?: string
}

/** The part of an EVM chain whose moves are counted. */
export interface ChainPlace {
  /** The last block that is counted whole. */
  readonly block: number
  /** The hash of that block. */
  readonly hash: string
  /** Moves of the next block that are counted. */
  readonly taken: number
}

/** What a wallet allows the exchange contract to move. */
export interface ChainAllowance {
  readonly profileId: ProfileId
  /** At most the largest exact number. */
  readonly collateralRaw: CollateralRaw
  /** Whether the contract may move its shares. */
  readonly ofShares: boolean
}

/**
 * What a wallet received while the exchange was full: collateral of a profile, or shares of one
 * outcome. It is the first to leave again.
 */
export type UncountedRaw = readonly [key: string, raw: number]

/** What a server wallet must still do on an EVM chain after its move in the ledger. */
export interface DueMove {
  readonly seq: Seq
  readonly owner: ProfileId
  readonly kind: Extract<MoveKind, 'SPLIT' | 'MERGE' | 'REDEEM' | 'CONVERT' | 'WITHDRAW'>
  /** Pairs of a split or a merge, NO of each child of a conversion, or what is withdrawn. */
  readonly amountRaw: number
  /** For a redemption. */
  readonly yesRaw: SizeRaw
  readonly noRaw: SizeRaw
  /** A market that must be on the chain first; 0 for none. */
  readonly marketId: MarketId
  /** Of the market; '' for a conversion or a withdrawal. */
  readonly conditionId: string
  /** The group of the market or of the conversion; '' for none. */
  readonly negRiskId: string
  /** The indices of the children whose NO is converted. */
  readonly indices: readonly number[]
  /** EIP-55 text; '' unless it is a withdrawal. */
  readonly destination: string
}

/** Wallets of profiles on an EVM chain changed, or are counted from now on (design §12). */
export interface FollowChain {
  kind: 'followChain'
  place: ChainPlace
  moves?: readonly ChainMove[]
  allowances?: readonly ChainAllowance[]
  /** Wallets whose balances are counted from this block on; their balances are in `moves`. */
  wallets?: readonly { readonly profileId: ProfileId; readonly address: string }[]
  /** What came and could not be counted, as it is from now on; 0 is nothing. */
  uncounted?: readonly UncountedRaw[]
  /** Whose orders the contract could not settle any more: they are canceled. */
  short?: readonly ProfileId[]
  profileId?: undefined
  once?: undefined
}

/**
 * A call of a profile; the exchange's own commands have none. The amount of a split or a merge
 * counts pairs of shares, and the same amount of collateral.
 */
interface Called {
  readonly profileId: ProfileId
  readonly once?: CallOnce | undefined
}

export type MoveBody =
  | PoolBody
  | FollowChain
  /** Converts collateral into equal amounts of YES and NO (rules §6.2). */
  | ({ kind: 'splitPosition'; marketId: MarketId; amountRaw: number } & Called)
  /** Converts equal amounts of YES and NO into collateral. */
  | ({ kind: 'mergePositions'; marketId: MarketId; amountRaw: number } & Called)
  /**
   * Redeems positions of a market that is paid out. `once` is absent if the exchange redeems them.
   */
  | {
      kind: 'redeemPositions'
      marketId: MarketId
      positions: readonly RedeemedPosition[]
      profileId?: ProfileId
      once?: CallOnce | undefined
    }
  /** Converts NO of each named child into YES of all other children and collateral (rules §6.3). */
  | ({
      kind: 'convertPositions'
      groupId: MarketId
      noMarketIds: readonly MarketId[]
      amountRaw: SizeRaw
      /** The part of the amount that the vault keeps. */
      feeRaw: SizeRaw
    } & Called)
  /** Withdraws free collateral from the exchange. */
  | ({
      kind: 'withdraw'
      collateralRaw: CollateralRaw
      /** EIP-55 text. */
      destination: string
    } & Called)
