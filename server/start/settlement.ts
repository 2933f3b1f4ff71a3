// How trades settle: on the exchange's own chain, or on an EVM chain by the thread of the chain.

import type { Clearing } from '../../engine/core/clearing.ts'
import { assert } from '../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../engine/domain/ids.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import type { FollowerHandle } from '../../persistence/follower/follower-handle.ts'
import type { KeyedFolder } from '../../persistence/keyed-folder.ts'
import { patiently } from '../../persistence/query/patient-read.ts'
import type { QueryHandle } from '../../persistence/query/query-handle.ts'
import { archivedOfGroup } from '../../persistence/query/read/markets/markets.ts'
import { settledTrade, tradesAfter } from '../../persistence/query/read/settlements.ts'
import { type Seal, walletKeyOf } from '../../persistence/seal.ts'
import { DataFolderError } from '../../persistence/snapshot/recovery.ts'
import { EmbeddedChain } from '../exchange/settlement/embedded-chain.ts'
import type { SettlementParts } from '../exchange/settlement/mining.ts'
import type { ChainConfig } from '../settings/chain-settings.ts'
import { checkedAddress } from '../settlement/evm/evm-address.ts'
import { EvmChain } from '../settlement/evm/settling/evm-chain.ts'

export interface SettlementOptions {
  readonly domain: { readonly name: string; readonly chainId: number }
  /** The contract of an EVM chain. */
  readonly exchangeAddress?: string
  /** The token in which shares are paid; when absent, no series runs. */
  readonly collateralAddress?: string
  /** Absent when trades settle on the exchange's own chain. */
  readonly chain?: ChainConfig | undefined
  /** Interval between blocks of trades; when absent, trades are never mined. */
  readonly blockMs?: number
  /** Days after a payout until the exchange redeems what is left; absent or 0 for never. */
  readonly autoRedeemDays?: number
  /** Share of mined fees paid to the referrers of takers; absent for none. */
  readonly referralBps?: number
  /** Receives a sentence that states which part died and why; the process must stop. */
  readonly onFault: (sentence: string) => void
  /** Receives a sentence for the log: nothing is lost, but an operator should know. */
  readonly onWarning: (sentence: string) => void
}

interface Tables {
  readonly follower: FollowerHandle
  readonly query: QueryHandle
  readonly clearing: Clearing
  readonly seal: Seal
}

/** The chain, and the trades that are in none of its blocks yet. */
export async function settlementOf(
  options: SettlementOptions,
  chain: EvmChain | null,
  tables: Tables & { readonly lastSeq: Seq },
): Promise<{ readonly settlement?: SettlementParts }> {
  const { blockMs, autoRedeemDays = 0, referralBps = 0, domain, onWarning } = options
  const { follower, query, clearing, seal, lastSeq } = tables
  const { throughSeq } = clearing.blocks
  refuseOtherChain(clearing, chain !== null)
  if (blockMs === undefined) return {}
  const waiting = lastSeq === throughSeq ? [] : await waitingTrades(query, throughSeq)
  const tradeOf = async (tradeSeq: Seq) => {
    const isThere = await follower.whenApplied(tradeSeq, LIMITS.privateReadDeadlineMs)
    if (!isThere) return undefined
    return query.request(settledTrade, { tradeSeq }).catch((error: unknown) => {
      onWarning(`Retrying the read of a failed trade: ${error}`)
      return undefined
    })
  }
  chain?.connect({
    whenWritten: (tradeSeqs) => whenWritten(follower, tradeSeqs),
    whenApplied: (seq) => whenApplied(follower, seq),
    walletKeyOf: (profileId) => walletKey(clearing, seal, profileId),
    archivedOf: (groupId) => archivedOf(tables, groupId, onWarning),
  })
  const port = chain ?? new EmbeddedChain(domain.chainId)
  const settled = { port, blockMs, waiting, tradeOf }
  // Where wallets hold the funds, nobody is paid in the ledger alone.
  if (chain !== null) return { settlement: settled }
  return { settlement: { ...settled, autoRedeemMs: autoRedeemDays * DAY_MS, referralBps } }
}

/** Funds of one chain are not those of another. */
function refuseOtherChain({ chainFunds, ledger }: Clearing, isOnChain: boolean): void {
  if (chainFunds.place !== null && !isOnChain) {
    throw new DataFolderError(
      'Funds of this folder are in wallets on an EVM chain; name the chain with --chain-rpc.',
    )
  }
  if (chainFunds.place === null && isOnChain && ledger.fundedRaw !== 0) {
    throw new DataFolderError(
      'This folder holds funds of the own chain of the exchange, and no wallet has them; start ' +
        'with an empty folder, or without --chain-rpc.',
    )
  }
}

/**
 * The thread of an EVM chain; null when trades settle on the exchange's own. Throws a
 * DataFolderError when its settings can never work.
 */
export async function startChain(
  { chain, domain, exchangeAddress, collateralAddress, onFault, onWarning }: SettlementOptions,
  seal: Seal,
  folder: KeyedFolder,
): Promise<EvmChain | null> {
  if (chain === undefined) return null
  assert(exchangeAddress !== undefined && collateralAddress !== undefined, 'a chain has contracts')
  const tag = BigInt(`0x${Buffer.from(seal.derive('trade-ids')).toString('hex').slice(0, 32)}`)
  const data = {
    ...chain,
    chainId: domain.chainId,
    domainName: domain.name,
    exchange: checkedAddress(exchangeAddress),
    collateral: checkedAddress(collateralAddress),
    folder,
    tag,
  }
  try {
    return await EvmChain.start(data, { onFault, onWarning })
  } catch (error) {
    throw new DataFolderError(error instanceof Error ? error.message : String(error))
  }
}

/** However late the tables are: nothing settles before they have the trades. */
async function whenWritten(follower: FollowerHandle, tradeSeqs: readonly Seq[]): Promise<void> {
  await whenApplied(follower, Math.max(...tradeSeqs))
  await follower.whenWritten({ tradeSeqs })
}

async function whenApplied(follower: FollowerHandle, seq: Seq): Promise<void> {
  while (!(await follower.whenApplied(seq, LIMITS.privateReadDeadlineMs)));
}

/** Of a server wallet. */
function walletKey({ accounts }: Clearing, seal: Seal, profileId: ProfileId): Uint8Array {
  const sealedKey = accounts.partners.byId(profileId)?.sealedKey ?? null
  assert(sealedKey !== null, 'a server wallet has its key')
  return seal.open(sealedKey, walletKeyOf(profileId))
}

/** The children of a group that left memory; undefined when the tables are late. */
async function archivedOf(
  { follower, query, clearing }: Tables,
  groupId: MarketId,
  onWarning: (sentence: string) => void,
) {
  const isThere = await follower.whenApplied(clearing.lastSeq, LIMITS.privateReadDeadlineMs)
  if (!isThere) return undefined
  const read = () => query.request(archivedOfGroup, groupId)
  return patiently(read, { ref: false }).catch((error: unknown) => {
    onWarning(`The markets of group ${groupId} were not read: ${error}`)
    return undefined
  })
}

/** The trades that wait for a block; without them the start fails. */
async function waitingTrades(query: QueryHandle, throughSeq: Seq): Promise<readonly number[]> {
  const requested = { seq: throughSeq, limit: LIMITS.waitingTradesMax }
  const waiting = await patiently(() => query.request(tradesAfter, requested))
  if (waiting !== undefined) return waiting
  throw new DataFolderError('The read tables did not return the waiting trades; start again.')
}
