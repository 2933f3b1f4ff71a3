// The exchange's obligations to all accounts, and the proof that a caller's balances are included
// (rules §14).

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { admin, eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { defaulted, integer, means, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { next, paging } from '../admin/services.ts'
import type { SolvencyServices } from './services.ts'
import { PROOF_EXAMPLE, proofReply, SUMMARY_EXAMPLE, snapshotShape } from './solvency-shapes.ts'

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

const signed = () => pattern('^(0|-?[1-9][0-9]{0,19})$', 'Raw units as decimal text.')

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
