// The work of the thread that counts obligations, without the thread.

import { addressesOf } from '../../engine/core/accounts/accounts.ts'
import {
  claimsOf,
  collateralReport,
  shareReports,
  type TokenReport,
} from '../../engine/core/state/claims.ts'
import type { Seq } from '../../engine/domain/ids.ts'
import { type KeyedFolder, macsOf } from '../keyed-folder.ts'
import { readHeld } from '../snapshot/snapshot.ts'
import type { HeldState } from '../snapshot/snapshot-sections.ts'
import { ClaimTrees, type TreeKeys } from './claim-trees.ts'
import { proofView, snapshotView } from './proof-view.ts'
import type { CollateralContracts, CollateralPlace } from './solvency-format.ts'
import type {
  ProofPage,
  ProofRequest,
  SolvencySummary,
  TokenRow,
  TokensPage,
  TokensRequest,
} from './solvency-thread.ts'

/** Different keys for each state, so that two trees reveal nothing about each other. */
function keysOf(folder: KeyedFolder, seq: Seq, stateHash: string): TreeKeys {
  const mac = macsOf(folder, 'solvency')
  const keyOf = (use: string) => mac().update(`${use} ${seq} ${stateHash}`).digest()
  return { salts: keyOf('salts'), order: keyOf('order') }
}

/**
 * The parts of a snapshot needed for a count. The rest of its state is garbage before the trees are
 * built.
 */
function readClaims(folder: KeyedFolder, seq: Seq, contracts: CollateralContracts | null) {
  const { state, stateHash } = readHeld(folder, seq)
  return {
    metadata: { seq, atMs: state.clock.lastNowMs, stateHash, chain: placeIn(state, contracts) },
    claims: claimsOf(state),
    addresses: addressesOf(state.profiles),
  }
}

/** Null when the exchange has the collateral itself. */
function placeIn(
  { settlement }: HeldState,
  contracts: CollateralContracts | null,
): CollateralPlace | null {
  // Snapshots of earlier versions have no funds on a chain.
  const { place = null } = settlement.chainFunds ?? {}
  if (place === null) return null
  if (contracts !== null) return { ...contracts, block: place.block, blockHash: place.hash }
  throw new Error('the chain, which states where the collateral is, has not answered yet')
}

/**
 * Builds the trees of a saved snapshot; it pauses often. Throws an UnusableSnapshot, and when
 * wallets on a chain have the collateral and its contracts are not known.
 */
export function* counting(
  folder: KeyedFolder,
  seq: Seq,
  contracts: CollateralContracts | null,
): Generator<undefined, ClaimTrees> {
  const { metadata, claims, addresses } = readClaims(folder, seq, contracts)
  yield
  const keys = keysOf(folder, seq, metadata.stateHash)
  return yield* ClaimTrees.growing(metadata, claims, { addresses, keys })
}

export function summaryOf(trees: ClaimTrees, tookMs: number): SolvencySummary {
  const { claims, sums } = trees
  const { claimsRaw } = claims.collateral
  return {
    snapshot: snapshotView(trees),
    obligations: {
      profilesRaw: String(claimsRaw - claims.systemRaw),
      systemRaw: String(claims.systemRaw),
      sharesRaw: String(sums.obligationsRaw - claimsRaw),
    },
    claims: claims.holders.length,
    markets: claims.markets.length,
    tookMs,
  }
}

/** A page of proofs. It looks for one more, to know whether there is a next page. */
export function proofPage(
  trees: ClaimTrees,
  { profileId, account, after, limit }: ProofRequest,
): ProofPage {
  const found = trees.of(profileId, after, limit + 1)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const nextAfter = found.length > limit && last !== undefined ? last.token : null
  return { proof: proofView(trees, account, shown), nextAfter }
}

function rowOf({ token, ...sums }: TokenReport): TokenRow {
  return {
    token,
    assetsRaw: String(sums.assetsRaw),
    obligationsRaw: String(sums.obligationsRaw),
    debtsRaw: String(sums.debtsRaw),
    differenceRaw: String(sums.differenceRaw),
  }
}

/** Collateral on the first page, and both shares of each market. */
export function tokensPage({ claims }: ClaimTrees, { after, limit }: TokensRequest): TokensPage {
  const rest = claims.markets.filter(({ marketId, isGroup }) => marketId > after && !isGroup)
  const shown = rest.slice(0, limit)
  const reports = shown.flatMap(shareReports)
  const all = after === 0 ? [collateralReport(claims), ...reports] : reports
  const nextAfter = rest.length > limit ? (shown.at(-1)?.marketId ?? null) : null
  return { tokens: all.map(rowOf), nextAfter }
}
