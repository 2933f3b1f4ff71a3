// The obligations of a snapshot, and the proof of balances in it (rules §14).

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { integer, nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, schemaOf } from '../../edge/http/schema/schema.ts'

const hex = (bytes: number, description: string) => pattern(`^[0-9a-f]{${bytes * 2}}$`, description)
const hash = () => hex(32, 'Hash, 64 lower-case hex digits.')
const raw = () => pattern('^(0|[1-9][0-9]{0,19})$', 'Raw units as decimal text.')
const signed = () => pattern('^(0|-?[1-9][0-9]{0,19})$', 'Raw units as decimal text.')

export function snapshotShape() {
  return object({
    seq: means(integer(0), 'Seq of the last command whose effects are in the snapshot.'),
    at: means(isoTime(), 'Time of that command.'),
    stateHash: means(hash(), 'Hash of that state, as outcomex verify prints it.'),
    root: means(hash(), 'Root of the proof: it commits to all fields of the snapshot.'),
    treeHash: means(hash(), 'Root hash of the obligation tree.'),
    assetsRaw: means(signed(), 'Deposits minus withdrawals.'),
    debtsRaw: means(raw(), 'Owed to the exchange by accounts with a negative balance.'),
    advancedRaw: means(raw(), 'Paid in advance for conversions, until burnt shares repay it.'),
    obligationsRaw: means(raw(), 'All claims: the sum at the root of the tree.'),
    differenceRaw: means(signed(), 'Assets, debts and advances, minus obligations: zero.'),
  })
}

const step = () =>
  object({
    side: means(oneOf('left', 'right'), 'Position of the sibling.'),
    hash: means(hash(), 'Hash of the sibling.'),
    sumRaw: means(raw(), "Sum of the sibling's subtree."),
  })

const branch = () => list(step(), 0, MOVE_LIMITS.branchStepsMax)

const tokenSums = () =>
  object({
    hash: means(hash(), 'Root hash of the tree of this token.'),
    claimsRaw: means(raw(), 'Shares held by accounts.'),
    debtsRaw: means(raw(), 'Shares that accounts owe since a reversal.'),
  })

const provenMarket = () =>
  object({
    id: means(integer(1, 4_294_967_295), 'Id of the market.'),
    conditionId: means(text(66), 'Condition id of the market.'),
    payoutNumerators: means(
      anyOf(list(integer(0), 2, 2), schemaOf<null>({ type: 'null' })),
      'Payout parts of YES and NO; null until the payout is posted.',
    ),
    insideRaw: means(signed(), 'Collateral that backs the shares.'),
    yes: means(tokenSums(), 'All YES shares of the market.'),
    no: means(tokenSums(), 'All NO shares of the market.'),
  })

const balance = () =>
  object({
    token: means(oneOf('collateral', 'yes', 'no'), 'Token of the balance.'),
    balanceRaw: means(raw(), 'The balance, including the reserves of open orders.'),
    salt: means(hex(16, 'Salt, 32 lower-case hex digits.'), 'Secret of this leaf only.'),
    path: means(branch(), "Siblings on the path to the root of this token's tree."),
    market: means(
      anyOf(provenMarket(), schemaOf<null>({ type: 'null' })),
      'The market of the shares; null for collateral.',
    ),
    topPath: means(branch(), 'Siblings from there to the root of the obligation tree.'),
  })

export function proofShape() {
  return object({
    format: means(text(64), 'Name of the format of the proof.'),
    snapshot: means(snapshotShape(), 'The snapshot of the proof.'),
    account: means(
      pattern('^0x[0-9a-f]{40}$', 'Address, 0x and 40 lower-case hex digits.'),
      'Account of the balances, in lower case.',
    ),
    balances: means(
      list(balance(), 0, MOVE_LIMITS.provenBalancesMax),
      'Collateral first, then shares by ascending market id, YES before NO.',
    ),
  })
}

/** The complete reply that `outcomex verify-proof` reads. */
export function proofReply() {
  return object({
    proof: means(proofShape(), 'Balances and their branches; outcomex verify-proof checks them.'),
    next: means(nullable(integer(0)), 'Value of after for the next page; null on the last page.'),
  })
}
