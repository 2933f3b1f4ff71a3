// The messages between main and the thread of the chain.

import type { Address } from 'viem'
import type { SentTransaction } from '../../../../engine/core/money/chain-transactions.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type {
  ChainAllowance,
  ChainPlace,
  DueMove,
} from '../../../../engine/domain/moves/move-command.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { KeyedFolder } from '../../../../persistence/keyed-folder.ts'
import type { ControlBody } from '../../../exchange/sequencer/sequencer.ts'
import type { ChainAnswer } from '../../../exchange/settlement/settlement-port.ts'
import type { WalletAnswer, WalletCode, WalletQuery } from '../../../messages/wallet-signature.ts'
import type { ChainConfig } from '../../../settings/chain-settings.ts'

/** How trades settle on an EVM chain. */
export interface ChainSettings extends ChainConfig {
  readonly chainId: number
  readonly exchange: Address
  readonly collateral: Address
  readonly domainName: string
}

export interface ChainThreadData extends ChainSettings {
  readonly folder: KeyedFolder
  /** Makes the ids of trades those of this exchange. */
  readonly tag: bigint
}

/** A transaction that an account sent before a start. */
export interface SentBefore extends SentTransaction {
  readonly account: string
}

/** For each account, one more than the highest nonce that it used. */
export type Nonces = ReadonlyMap<string, number>

/** The adapter of groups of the exchange contract. */
export interface GroupContracts {
  readonly adapter: Address
  readonly wrapped: Address
}

/** A market that is resolved, with its payouts of YES and NO. */
export interface PaidMarket {
  readonly kind: 'market'
  readonly marketId: MarketId
  readonly slug: string
  readonly conditionId: string
  readonly yesTokenId: string
  readonly payouts: readonly [yes: number, no: number]
}

/** The wallet of a profile. */
export interface Wallet {
  readonly profileId: ProfileId
  readonly address: Address
}

/** What a server wallet does on the chain. */
export type WalletWork =
  | { readonly kind: 'move'; readonly move: DueMove }
  | {
      readonly kind: 'approve'
      readonly profileId: ProfileId
      readonly spenders: readonly Address[]
    }

/** Calls that the exchange signs for a server wallet. */
export interface WalletJob {
  /** Of its command, which is durable. */
  readonly seq: Seq
  readonly wallet: Address
  /** The account of its key. */
  readonly owner: Address
  readonly key: Uint8Array
  /** Whether a transaction was sent for it before the start. */
  readonly isSent: boolean
  readonly work: WalletWork
}

/** What a transaction moved of one owner, by token id; '' is collateral. */
export interface TokenMove {
  readonly owner: ProfileId
  /** Absent for what a wallet held before. */
  readonly txHash?: string
  readonly moved: readonly (readonly [tokenId: string, raw: bigint])[]
}

/** What happened to wallets in blocks up to a place. */
export interface WatchedBlocks {
  readonly place: ChainPlace
  readonly moves?: readonly TokenMove[]
  readonly allowances?: readonly ChainAllowance[]
  /** Wallets that are counted from now on. */
  readonly wallets?: readonly Wallet[]
}

/** A group that is resolved; its winner is the index of a child. */
export interface PaidGroup {
  readonly kind: 'group'
  readonly marketId: MarketId
  readonly negRiskId: string
  readonly winner: number
}

export type Paid = PaidMarket | PaidGroup

export type ChainRequest =
  /** From now on this node decides; before that the thread only checks the chain. */
  | {
      readonly kind: 'resume'
      /** In the order of their answers. */
      readonly sent: readonly SentBefore[]
      readonly nonces: Nonces
      readonly place: ChainPlace | null
      /** Wallets that are counted already. */
      readonly wallets: readonly Wallet[]
    }
  /** Wallets to count from now on. */
  | { readonly kind: 'watch'; readonly wallets: readonly Wallet[] }
  /** What server wallets must do, in the order of their commands. */
  | { readonly kind: 'make'; readonly jobs: readonly WalletJob[] }
  /** The read tables have these trades. */
  | { readonly kind: 'settle'; readonly tradeSeqs: readonly Seq[] }
  /** Payouts are posted; those that the chain has are left out. */
  | { readonly kind: 'pay'; readonly paid: readonly Paid[] }
  /** The command of this number is durable. */
  | { readonly kind: 'kept'; readonly number: number }
  /** Answered at any time, whatever is being settled. */
  | ({ readonly kind: 'query wallet'; readonly number: number } & WalletQuery)

export type ChainMessage =
  /** The chain answers and the contracts are right. */
  | {
      readonly kind: 'checked'
      readonly wallets: WalletCode | null
      readonly groups: GroupContracts
      readonly conditionalTokens: Address
    }
  /** It can never work with these settings. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Why nothing settles at present; null when it does again. */
  | { readonly kind: 'trouble'; readonly sentence: string | null }
  /** A sentence for the log. */
  | { readonly kind: 'warning'; readonly sentence: string }
  | { readonly kind: 'keep'; readonly number: number; readonly body: ControlBody }
  | { readonly kind: 'watched'; readonly number: number; readonly blocks: WatchedBlocks }
  /** Coins of an account that pays. */
  | { readonly kind: 'coin'; readonly account: Address; readonly coin: number }
  /** The time of the newest block, and the last one whose moves are counted. */
  | {
      readonly kind: 'seen'
      readonly blockMs: TimeMs
      readonly followedBlock: number | null
    }
  /** The approvals of a server wallet happened. */
  | { readonly kind: 'approved'; readonly profileId: ProfileId }
  | { readonly kind: 'answer'; readonly answer: ChainAnswer }
  | { readonly kind: 'wallet answer'; readonly number: number; readonly answer: WalletAnswer }
