import type { Clearing } from '../../../engine/core/clearing.ts'
import type { Market } from '../../../engine/core/markets/catalogue.ts'
import type { ControlCommand } from '../../../engine/domain/command.ts'
import type { ProfileId, Seq } from '../../../engine/domain/ids.ts'
import type { RejectName } from '../../../engine/domain/reject-precedence.ts'
import type { WalletCode } from '../../messages/wallet-signature.ts'
import type { ControlBody, FollowedChain } from '../sequencer/sequencer.ts'

// The port to the chain on which trades settle (design §5). The pipeline knows only this port.

/** The outcome of a trade that the chain did not mine in its next block. */
export type Setback = 'RETRYING' | 'FAILED'

/** One trade by its event id, the next submitted trades, or the next approvals. */
export type FaultTarget =
  | { readonly tradeSeq: Seq }
  | { readonly next: number }
  | { readonly nextApprovals: number }

export interface FaultHook {
  /** Arms a fault; null when it is armed, otherwise the refusal. */
  arm(target: FaultTarget, outcome: Setback): RejectName | null
}

/** What the chain made of trades that were submitted one after the other. */
export interface ChainAnswer {
  /** In the order in which they were submitted. */
  readonly tradeSeqs: readonly Seq[]
  /** Those that are not mined: they are submitted again, or have failed permanently. */
  readonly setbacks: ReadonlyMap<number, Setback>
  /** The transaction that holds the others; null on the embedded chain, which derives hashes. */
  readonly txHash: string | null
  /** What is stamped after everything that follows from this answer; null for nothing. */
  readonly end: Extract<ControlBody, { kind: 'endTransaction' }> | null
}

/** What a port needs of an exchange that decides. */
export interface SettlingExchange {
  /** Answers come in the order of the trades, perhaps in parts, and perhaps within `submit`. */
  readonly onAnswer: (answer: ChainAnswer) => void
  /** Decides a command when the rings can take it; resolves when it is durable. */
  readonly keep: (decide: () => ControlBody) => Promise<void>
  /** The approvals of a server wallet happened. */
  readonly onApproved: (profileId: ProfileId) => void
  readonly clearing: Clearing
}

/** Of an EVM chain: with more, a conversion would not fit a transaction. */
export const CHAIN_CHILDREN_MAX = 50

/** The addresses on which the ids of groups and their children depend (rules §6.3). */
export interface GroupAddresses {
  readonly adapter: string
  /** The wrapped collateral of the adapter. */
  readonly wrapped: string
}

export interface SettlementPort {
  readonly chainId: number
  /** Whether every answer comes within `submit`, so that a reply may wait for it. */
  readonly answersAtOnce: boolean
  /** Trades that it takes now. */
  readonly freeCount: number
  /** How long a trade that is retried waits. */
  readonly retryMs: number
  /**
   * From now on this node decides. Returns the trades that were submitted before and have no
   * answer yet; it answers for them first.
   */
  resume(exchange: SettlingExchange): readonly Seq[]
  /** Submits trades by the seqs of their takers' orders: at most `freeCount`. */
  submit(tradeSeqs: readonly Seq[]): void
  /** The payouts of these markets are posted. A start repeats those of markets in memory. */
  paidOut(markets: readonly Market[]): void
  /**
   * The transaction that makes a move of a server wallet, once it is sent; null for none, and
   * undefined when it is late. Without an EVM chain, hashes are derived.
   */
  sentHash(seq: Seq): Promise<string | null | undefined>
  /**
   * Submits the approval of a server wallet, where answers come at once. Null when the next block
   * confirms it. RETRYING means that it is submitted again, FAILED that it failed permanently.
   */
  approve(profileId: ProfileId): Setback | null
  /** Only the embedded chain has a fault hook. */
  readonly faults: FaultHook | null
  /** A command was applied. */
  applied(command: ControlCommand): void
  /** What makes wallets on an EVM chain; null on the embedded one, and until the chain answered. */
  readonly walletCode: WalletCode | null
  /** Null when the exchange holds the funds itself. */
  readonly followed: FollowedChain | null
  /** Null on the embedded chain, and until an EVM chain has answered. */
  readonly groupAddresses: GroupAddresses | null
  /** The last block whose moves of wallets are counted; null for none. */
  readonly followedBlock: number | null
  /** Least coins of an account that pays on an EVM chain; null for none, and until known. */
  readonly coin: number | null
  /** The contract that holds shares; null like these. */
  readonly conditionalTokens: string | null
  /** Why nothing settles at present; null when nothing is wrong. */
  readonly trouble: string | null
  /** Nothing is submitted from here on. */
  stop(): Promise<void>
}
