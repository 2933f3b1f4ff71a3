// Checks a proof of balances without any other data (rules §14).

import { uncoveredRaw } from '../../engine/core/state/claims.ts'
import type { MarketView, ProofView, SnapshotView, StepView } from './proof-view.ts'
import {
  type CollateralPlace,
  collateralNode,
  formatOf,
  type MarketEntry,
  marketNode,
  rootOf,
} from './solvency-format.ts'
import {
  HASH_BYTES,
  leafNode,
  parentNode,
  SALT_BYTES,
  type TreeNode,
  type TreeStep,
  UnfitSum,
} from './tree-format.ts'

const ADDRESS_BYTES = 20
const TOKENS: readonly string[] = ['collateral', 'yes', 'no']

/** A sentence with the reason why a proof is invalid. */
export class BrokenProof extends Error {
  override name = 'BrokenProof'
}

function must(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenProof(sentence)
}

function bytesOf(hex: string, length: number, what: string): Buffer {
  const isHex = new RegExp(`^[0-9a-f]{${length * 2}}$`).test(hex)
  must(isHex, `The ${what} is not ${length} bytes in lowercase hex.`)
  return Buffer.from(hex, 'hex')
}

/** Parses decimal text in canonical form. */
function rawOf(text: string, what: string): bigint {
  must(/^(0|-?[1-9][0-9]{0,19})$/.test(text), `The ${what} is not an integer in canonical form.`)
  return BigInt(text)
}

function stepsOf(views: readonly StepView[]): TreeStep[] {
  return views.map(({ side, hash, sumRaw }) => {
    must(side === 'left' || side === 'right', 'A step of a branch has no side.')
    const node = { hash: bytesOf(hash, HASH_BYTES, 'hash'), sumRaw: rawOf(sumRaw, 'sum') }
    return { side, node }
  })
}

function entryOf(view: MarketView): MarketEntry {
  const token = ({ hash, claimsRaw, debtsRaw }: MarketView['yes']) => ({
    hash: bytesOf(hash, HASH_BYTES, 'hash of a token'),
    sumRaw: rawOf(claimsRaw, 'sum of claims'),
    debtsRaw: rawOf(debtsRaw, 'sum of debts'),
  })
  const insideRaw = rawOf(view.insideRaw, 'collateral of a market')
  const { id: marketId, conditionId } = view
  const [yesPart = 0, noPart = 0, ...more] = view.payoutNumerators ?? [1, 0]
  const isPayout = yesPart >= 0 && noPart >= 0 && yesPart + noPart > 0 && more.length === 0
  must(isPayout, `Market ${marketId} has an invalid payout.`)
  const payout = view.payoutNumerators === null ? null : ([yesPart, noPart] as const)
  const sides = { yes: token(view.yes), no: token(view.no) }
  return { marketId, isGroup: false, conditionId, payout, insideRaw, ...sides }
}

/** The node reached from a leaf through its neighbours. */
function climbed(leaf: TreeNode, path: readonly TreeStep[]): TreeNode {
  let node = leaf
  for (const { side, node: other } of path) {
    node = side === 'left' ? parentNode(other, node) : parentNode(node, other)
  }
  return node
}

function hexAfter0x(text: string, length: number, what: string): void {
  must(text.startsWith('0x'), `The ${what} does not begin with 0x.`)
  bytesOf(text.slice(2), length, what)
}

function checkChain({ blockHash, ...chain }: CollateralPlace): void {
  hexAfter0x(blockHash, HASH_BYTES, 'hash of the block')
  hexAfter0x(chain.collateralAddress, ADDRESS_BYTES, 'address of the collateral')
  hexAfter0x(chain.conditionalTokensAddress, ADDRESS_BYTES, 'address of the conditional tokens')
  hexAfter0x(chain.exchangeAddress, ADDRESS_BYTES, 'address of the exchange')
}

/** Checks that the snapshot's sums add up and give the root. */
function checkSnapshot(view: SnapshotView, tree: TreeNode): void {
  const assetsRaw = rawOf(view.assetsRaw, 'sum of assets')
  const debtsRaw = rawOf(view.debtsRaw, 'sum of debts')
  const advancedRaw = rawOf(view.advancedRaw, 'sum of advances')
  const obligationsRaw = rawOf(view.obligationsRaw, 'sum of obligations')
  const differenceRaw = rawOf(view.differenceRaw, 'difference')
  const atMs = Date.parse(view.at)
  must(Number.isFinite(atMs) && atMs >= 0, 'The time of the snapshot is invalid.')
  must(new Date(atMs).toISOString() === view.at, 'The time of the snapshot is not in ISO 8601.')
  bytesOf(view.stateHash, HASH_BYTES, 'state hash')
  bytesOf(view.root, HASH_BYTES, 'root')
  must(
    assetsRaw + debtsRaw + advancedRaw - obligationsRaw === differenceRaw,
    'The sums of the snapshot do not give its difference.',
  )
  must(differenceRaw === 0n, 'The difference is not zero: the obligations are not covered.')
  must(tree.sumRaw === obligationsRaw, 'The sum of the tree differs from the obligations.')
  const { chain = null } = view
  if (chain !== null) checkChain(chain)
  const root = rootOf({ ...view, atMs, assetsRaw, debtsRaw, advancedRaw, tree, chain })
  must(root === view.root, 'The root does not follow from the snapshot.')
}

function checkMarket(entry: MarketEntry): void {
  const { yes, no } = entry
  const claims = ({ sumRaw, debtsRaw }: typeof yes) => ({ claimsRaw: sumRaw, debtsRaw })
  const uncovered = uncoveredRaw({ ...entry, yes: claims(yes), no: claims(no) })
  must(
    uncovered === 0n,
    `Market ${entry.marketId} has ${uncovered} raw less collateral than its shares may receive.`,
  )
}

/** The root of the tree of obligations, as reached from one balance. */
function topOf(view: ProofView, index: number): TreeNode {
  const { token, balanceRaw, salt, path, market, topPath } = view.balances[index]
  const leaf = leafNode({
    salt: bytesOf(salt, SALT_BYTES, 'salt'),
    address: bytesOf(view.account.slice(2), ADDRESS_BYTES, 'account'),
    balanceRaw: rawOf(balanceRaw, 'balance'),
  })
  const top = climbed(leaf, stepsOf(path))
  must(TOKENS.includes(token), 'A balance has an unknown token.')
  must((token === 'collateral') === (market === null), 'Only a balance of shares has a market.')
  if (token === 'collateral' || market === null) {
    return climbed(collateralNode(top), stepsOf(topPath))
  }
  const entry = entryOf(market)
  const { hash, sumRaw } = token === 'yes' ? entry.yes : entry.no
  must(
    Buffer.compare(hash, top.hash) === 0 && sumRaw === top.sumRaw,
    `The branch of ${token} shares does not lead to their sum in market ${entry.marketId}.`,
  )
  checkMarket(entry)
  return climbed(marketNode(entry), stepsOf(topPath))
}

function checked(view: ProofView, root: string | null): void {
  const { snapshot } = view
  const format = formatOf(snapshot.chain ?? null)
  must(view.format === format, `The format is not '${format}'.`)
  hexAfter0x(view.account, ADDRESS_BYTES, 'account')
  const tree = {
    hash: bytesOf(snapshot.treeHash, HASH_BYTES, 'hash of the tree'),
    sumRaw: rawOf(snapshot.obligationsRaw, 'sum of obligations'),
  }
  checkSnapshot(snapshot, tree)
  const seen = new Set<string>()
  for (const [index, { token, market }] of view.balances.entries()) {
    const name = `${token} ${market?.id ?? ''}`
    must(!seen.has(name), 'The proof has one balance twice.')
    seen.add(name)
    const top = topOf(view, index)
    must(
      Buffer.compare(top.hash, tree.hash) === 0 && top.sumRaw === tree.sumRaw,
      `The branch of balance ${index + 1} does not lead to the root.`,
    )
  }
  must(
    root === null || root === snapshot.root,
    'The proof is valid, but its root differs from the given root.',
  )
}

/** Throws a BrokenProof unless every balance leads to the root. */
export function checkProof(view: ProofView, root: string | null = null): void {
  try {
    checked(view, root)
  } catch (error) {
    if (error instanceof UnfitSum) throw new BrokenProof(`A number does not fit: ${error.message}.`)
    throw error
  }
}
