// The exchange's obligations to all accounts, and the proof that a caller's balances are included
// (rules §14).

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { defaulted, integer, means } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
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
