// The exchange's obligations to all accounts, and the proof that a caller's balances are included
// (rules §14).

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { admin, eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime, uint256Text } from '../../edge/http/schema/fields.ts'
import {
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { anyOf, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { next, paging } from '../admin/services.ts'
import type { SolvencyServices } from './services.ts'

const hex = (bytes: number, description: string) => pattern(`^[0-9a-f]{${bytes * 2}}$`, description)
const hash = () => hex(32, 'Hash, 64 lower-case hex digits.')
const raw = () => pattern('^(0|[1-9][0-9]{0,19})$', 'Raw units as decimal text.')
const signed = () => pattern('^(0|-?[1-9][0-9]{0,19})$', 'Raw units as decimal text.')

const lowerAddress = () => pattern('^0x[0-9a-f]{40}$', 'Address, 0x and 40 lower-case hex digits.')

/** Where anybody can read, on the chain, what wallets hold. */
function placeShape() {
  return object({
    chainId: means(integer(0), 'EIP-155 id of the chain.'),
    collateralAddress: means(lowerAddress(), 'The ERC-20 token of the collateral.'),
    conditionalTokensAddress: means(
      lowerAddress(),
      'The contract of the shares; it holds the collateral behind them.',
    ),
    exchangeAddress: means(
      lowerAddress(),
      'The contract that settles trades; it names the others.',
    ),
    block: means(integer(0), 'Last block up to which moves of wallets are in the balances.'),
    blockHash: means(
      pattern('^0x[0-9a-f]{64}$', 'Hash, 0x and 64 lower-case hex digits.'),
      'Hash of that block.',
    ),
  })
}

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
    chain: means(
      optional(placeShape()),
      'Where the collateral is on an EVM chain; absent when the exchange holds it itself.',
    ),
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

function proofShape() {
  return object({
    format: means(text(64), 'Name of the format of the proof.'),
    snapshot: means(snapshotShape(), 'The snapshot of the proof.'),
    account: means(lowerAddress(), 'Account of the balances, in lower case.'),
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

// A complete proof of a tiny exchange, which outcomex verify-proof accepts.

const SNAPSHOT = {
  seq: 42,
  at: '2026-01-01T00:00:00.000Z',
  stateHash: 'aeed1f3b32d1fa505dc0dbf3f3fcce6e5986d28580fbcde5c330304e51ce0d80',
  root: '0c3d69d4b75031411747e5a75c30ae3b0357ade1896460b7fceecbe7ab9e48aa',
  treeHash: 'ac71bd89aa2e7edb23dc3514bfa46e8b8f6d15373d65d38cee0f9e8425f9ae87',
  assetsRaw: '25000000',
  debtsRaw: '0',
  advancedRaw: '0',
  obligationsRaw: '25000000',
  differenceRaw: '0',
}

export const SUMMARY_EXAMPLE = {
  snapshot: SNAPSHOT,
  obligations: {
    profilesRaw: '20000000',
    systemRaw: '0',
    sharesRaw: '5000000',
  },
  claims: 4,
  markets: 1,
}

export const PROOF_EXAMPLE = {
  proof: {
    format: 'outcomex/solvency/1',
    snapshot: SNAPSHOT,
    account: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
    balances: [
      {
        token: 'collateral' as const,
        balanceRaw: '10000000',
        salt: '7298caa565031eadc6ce23d23ea66378',
        path: [
          {
            side: 'right' as const,
            hash: 'fae9fd5d6bf4827ee6967052492f06bbd7558d43474885e45f71a9164d7c81c9',
            sumRaw: '10000000',
          },
        ],
        market: null,
        topPath: [
          {
            side: 'right' as const,
            hash: 'fe6bb564a41463f8ddcb090627773e2b779726a1462a53ad0eed21965827068f',
            sumRaw: '5000000',
          },
        ],
      },
    ],
  },
  next: 0,
}

const DEFAULT_LIMIT = 20

export const solvency = route({
  method: 'GET',
  path: '/solvency',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the assets and obligations of the newest counted snapshot, with the root hash.',
  reply: object({
    snapshot: means(snapshotShape(), 'The snapshot with its sums and its root.'),
    obligations: means(
      object({
        profilesRaw: means(uint256Text(), 'Collateral of profiles, free and reserved.'),
        systemRaw: means(uint256Text(), 'Collateral of the exchange: fees, vault, pools.'),
        sharesRaw: means(uint256Text(), 'Raw collateral that backs the shares of all markets.'),
      }),
      'Composition of the obligations.',
    ),
    claims: means(integer(0), 'Number of positive balances counted.'),
    markets: means(integer(0), 'Number of markets with collateral.'),
  }),
  means: 'The newest count; the next one follows with the next counted snapshot.',
  rejects: ['NOT_COUNTED'],
  example: { reply: SUMMARY_EXAMPLE },
  handle: (_input, { solvency: counts }: SolvencyServices) => {
    if (counts.summary === null) return refuse('NOT_COUNTED')
    const { snapshot, obligations, claims, markets } = counts.summary
    return { snapshot, obligations, claims, markets }
  },
})

export const solvencyProof = route({
  method: 'GET',
  path: '/solvency/proof',
  auth: eitherOf(hmac(), sessionOrIdentity()).forSubAccounts(),
  rateClass: 'private',
  about: "Returns the branches from the caller's balances to the published root, by page.",
  query: {
    after: means(
      defaulted(integer(-1), -1),
      'Value of next of the previous page; -1 for the first page.',
    ),
    limit: means(
      defaulted(integer(1, MOVE_LIMITS.provenBalancesMax), DEFAULT_LIMIT),
      'Maximum balances per page.',
    ),
  },
  reply: proofReply(),
  means: 'The balances in the snapshot; none for an account that held nothing then.',
  rejects: ['NOT_COUNTED', 'OVERLOADED'],
  example: { query: { after: -1, limit: 1 }, reply: PROOF_EXAMPLE },
  handle: async ({ query, owner }, { solvency: counts, pipeline }: SolvencyServices) => {
    if (counts.summary === null) return refuse('NOT_COUNTED')
    const account = pipeline.clearing.accounts.accountOf(owner) ?? ''
    const page = await counts.prove({ profileId: owner, account, ...query })
    if (page === undefined) return refuse('OVERLOADED')
    return { proof: page.proof, next: page.nextAfter }
  },
})

// Assets and obligations of each token, and a count on the operator's request.

const row = () =>
  object({
    token: means(text(), 'Collateral, or YES or NO of one market.'),
    assetsRaw: means(signed(), 'Deposits minus withdrawals, or shares issued.'),
    obligationsRaw: means(
      signed(),
      'Balances of accounts in this token; for collateral, all obligations.',
    ),
    debtsRaw: means(signed(), 'Debts of accounts in this token, and payments in advance.'),
    differenceRaw: means(signed(), 'Assets and debts minus obligations: zero.'),
  })

export const showSolvency = route({
  method: 'GET',
  path: '/admin/solvency',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Returns the assets and obligations of each token in the newest counted snapshot.',
  query: paging(),
  reply: object({
    snapshot: means(snapshotShape(), 'The snapshot with its sums and its root.'),
    tokens: means(list(row()), 'Tokens of this page, by ascending market id.'),
    next: next(),
  }),
  means: 'YES and NO of the markets on this page; the first page begins with the collateral.',
  rejects: ['NOT_COUNTED', 'OVERLOADED'],
  example: {
    query: { after: 0, limit: 50 },
    reply: {
      snapshot: SUMMARY_EXAMPLE.snapshot,
      tokens: [
        {
          token: 'collateral',
          assetsRaw: '25000000',
          obligationsRaw: '25000000',
          debtsRaw: '0',
          differenceRaw: '0',
        },
      ],
      next: null,
    },
  },
  handle: async ({ query }, { solvency }: SolvencyServices) => {
    if (solvency.summary === null) return refuse('NOT_COUNTED')
    const { snapshot } = solvency.summary
    const page = await solvency.tokens(query)
    if (page === undefined) return refuse('OVERLOADED')
    return { snapshot, tokens: page.tokens, next: page.nextAfter }
  },
})

export const countSolvency = route({
  method: 'POST',
  path: '/admin/solvency',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Takes a snapshot and counts its obligations without waiting for the next count.',
  status: 202,
  reply: object({ message: means(text(), 'Confirms that the count started.') }),
  means: 'A count started or was in progress; GET /solvency returns its result later.',
  example: { reply: { message: 'The count started.' } },
  handle: (_input, { solvency }: SolvencyServices) => {
    void solvency.count()
    return reply(202, { message: 'The count started.' })
  },
})
