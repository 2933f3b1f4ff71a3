// A snapshot's sums and the proof of an account's balances as plain JSON (rules §14). The root
// covers every field. Amounts are raw decimal text; hashes are lowercase hex.

import type { Seq } from '../../engine/domain/ids.ts'
import type { BalanceProof, ClaimTrees } from './claim-trees.ts'
import {
  type CollateralPlace,
  formatOf,
  type MarketEntry,
  type TokenEntry,
} from './solvency-format.ts'
import type { TreeStep } from './tree-format.ts'

export interface SnapshotView {
  readonly seq: Seq
  readonly at: string
  readonly stateHash: string
  readonly root: string
  readonly treeHash: string
  readonly assetsRaw: string
  readonly debtsRaw: string
  readonly advancedRaw: string
  readonly obligationsRaw: string
  readonly differenceRaw: string
  /** Absent when the exchange has the collateral itself. */
  readonly chain?: CollateralPlace
}

export interface StepView {
  readonly side: 'left' | 'right'
  readonly hash: string
  readonly sumRaw: string
}

interface TokenView {
  readonly hash: string
  readonly claimsRaw: string
  readonly debtsRaw: string
}

export interface MarketView {
  readonly id: number
  readonly conditionId: string
  /** Payouts of YES and NO. */
  readonly payoutNumerators: readonly number[] | null
  readonly insideRaw: string
  readonly yes: TokenView
  readonly no: TokenView
}

export interface BalanceView {
  readonly token: 'collateral' | 'yes' | 'no'
  readonly balanceRaw: string
  readonly salt: string
  readonly path: readonly StepView[]
  readonly market: MarketView | null
  readonly topPath: readonly StepView[]
}

export interface ProofView {
  readonly format: string
  readonly snapshot: SnapshotView
  /** In lower case. */
  readonly account: string
  readonly balances: readonly BalanceView[]
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

export function snapshotView(trees: ClaimTrees): SnapshotView {
  const { metadata, sums, root, tree } = trees
  return {
    seq: metadata.seq,
    at: new Date(metadata.atMs).toISOString(),
    stateHash: metadata.stateHash,
    root,
    treeHash: hexOf(tree.hash),
    assetsRaw: String(sums.assetsRaw),
    debtsRaw: String(sums.debtsRaw),
    advancedRaw: String(sums.advancedRaw),
    obligationsRaw: String(sums.obligationsRaw),
    differenceRaw: String(sums.differenceRaw),
    ...(metadata.chain === null ? {} : { chain: metadata.chain }),
  }
}

function stepView({ side, node: { hash, sumRaw } }: TreeStep): StepView {
  return { side, hash: hexOf(hash), sumRaw: String(sumRaw) }
}

function tokenView({ hash, sumRaw, debtsRaw }: TokenEntry): TokenView {
  return { hash: hexOf(hash), claimsRaw: String(sumRaw), debtsRaw: String(debtsRaw) }
}

function marketView({
  marketId,
  conditionId,
  payout,
  insideRaw,
  yes,
  no,
}: MarketEntry): MarketView {
  return {
    id: marketId,
    conditionId,
    payoutNumerators: payout,
    insideRaw: String(insideRaw),
    yes: tokenView(yes),
    no: tokenView(no),
  }
}

function balanceView({ token, ...proof }: BalanceProof): BalanceView {
  return {
    token: token === 0 ? 'collateral' : token % 2 === 1 ? 'yes' : 'no',
    balanceRaw: String(proof.balanceRaw),
    salt: hexOf(proof.salt),
    path: proof.path.map(stepView),
    market: proof.market === null ? null : marketView(proof.market),
    topPath: proof.topPath.map(stepView),
  }
}

export function proofView(
  trees: ClaimTrees,
  account: string,
  proofs: readonly BalanceProof[],
): ProofView {
  return {
    format: formatOf(trees.metadata.chain),
    snapshot: snapshotView(trees),
    account: account.toLowerCase(),
    balances: proofs.map(balanceView),
  }
}
