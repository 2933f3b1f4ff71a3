// The messages between main and the thread of the chain.

import type { Address } from 'viem'
import type { CapturedTransactions } from '../../../../engine/core/money/chain-transactions.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import type { KeyedFolder } from '../../../../persistence/keyed-folder.ts'
import type { ControlBody } from '../../../exchange/sequencer/sequencer.ts'
import type { ChainAnswer } from '../../../exchange/settlement/settlement-port.ts'
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

export type ChainRequest =
  /** From now on this node decides; before that the thread only checks the chain. */
  | { readonly kind: 'resume'; readonly senders: CapturedTransactions }
  /** The read tables have these trades. */
  | { readonly kind: 'settle'; readonly tradeSeqs: readonly Seq[] }
  /** The command of this number is durable. */
  | { readonly kind: 'kept'; readonly number: number }

export type ChainMessage =
  /** The chain answers and the contract is right. */
  | { readonly kind: 'checked'; readonly account: Address }
  /** It can never work with these settings. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Why nothing settles at present; null when it does again. */
  | { readonly kind: 'trouble'; readonly sentence: string | null }
  | { readonly kind: 'keep'; readonly number: number; readonly body: ControlBody }
  | { readonly kind: 'answer'; readonly answer: ChainAnswer }
