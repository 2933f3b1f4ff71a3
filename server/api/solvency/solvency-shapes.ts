// What a snapshot owes, and the proof of balances in it (rules §14).

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
    seq: means(integer(0), 'The snapshot has the state after this command.'),
    at: means(isoTime(), 'Time of that command.'),
    stateHash: means(hash(), 'Hash of that state, as outcomex verify prints it.'),
    root: means(hash(), 'Root of the proof: it binds all fields of the snapshot.'),
    treeHash: means(hash(), 'Hash at the top of the tree of obligations.'),
    assetsRaw: means(signed(), 'Deposits less withdrawals.'),
    debtsRaw: means(raw(), 'Owed to the exchange by accounts below zero.'),
    advancedRaw: means(raw(), 'Paid in advance for conversions, until burnt shares pay it back.'),
    obligationsRaw: means(raw(), 'All claims: the sum at the top of the tree.'),
    differenceRaw: means(signed(), 'Assets, debts and advances, less obligations: zero.'),
  })
}

const step = () =>
  object({
    side: means(oneOf('left', 'right'), 'Where the neighbour stands.'),
    hash: means(hash(), 'Hash of the neighbour.'),
    sumRaw: means(raw(), 'Sum of what stands below the neighbour.'),
  })

const branch = () => list(step(), 0, MOVE_LIMITS.branchStepsMax)

const tokenSums = () =>
  object({
    hash: means(hash(), 'Hash at the top of the tree of this token.'),
    claimsRaw: means(raw(), 'Shares that accounts hold.'),
    debtsRaw: means(raw(), 'Shares that accounts owe since a reversal.'),
  })

const provenMarket = () =>
  object({
    id: means(integer(1, 4_294_967_295), 'Number of the market.'),
    conditionId: means(text(66), 'Condition id of the market.'),
    payoutNumerators: means(
      anyOf(list(integer(0), 2, 2), schemaOf<null>({ type: 'null' })),
      'Parts that YES and NO get; null until the payout is posted.',
    ),
    insideRaw: means(signed(), 'Collateral that stands behind the shares.'),
    yes: means(tokenSums(), 'All YES shares of the market.'),
    no: means(tokenSums(), 'All NO shares of the market.'),
  })

const balance = () =>
  object({
    token: means(oneOf('collateral', 'yes', 'no'), 'What the balance consists of.'),
    balanceRaw: means(raw(), 'The balance, with what open orders reserve.'),
    salt: means(hex(16, 'Salt, 32 lower-case hex digits.'), 'Secret of this leaf alone.'),
    path: means(branch(), 'Neighbours on the way to the top of the tree of this token.'),
    market: means(
      anyOf(provenMarket(), schemaOf<null>({ type: 'null' })),
      'The market of the shares; null for collateral.',
    ),
    topPath: means(branch(), 'Neighbours from there to the top of the tree of obligations.'),
  })

export function proofShape() {
  return object({
    format: means(text(64), 'Name of the format of the proof.'),
    snapshot: means(snapshotShape(), 'The snapshot that the proof is of.'),
    account: means(
      pattern('^0x[0-9a-f]{40}$', 'Address, 0x and 40 lower-case hex digits.'),
      'Account of the balances, in lower case.',
    ),
    balances: means(
      list(balance(), 0, MOVE_LIMITS.provenBalancesMax),
      'Collateral first, then shares by rising market, YES before NO.',
    ),
  })
}

/** What `outcomex verify-proof` reads: the reply of the proof, whole. */
export function proofReply() {
  return object({
    proof: means(proofShape(), 'Balances and their branches; outcomex verify-proof checks them.'),
    next: means(nullable(integer(0)), 'Value of after for the next page; null on the last one.'),
  })
}
