// What the exchange owes to everybody, and the proof that a caller's balances are counted in it
// (rules §14).

import { MOVE_LIMITS } from '../../../engine/domain/moves/move-limits.ts'
import { eitherOf, hmac, open, sessionOrIdentity } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { route } from '../../edge/http/route.ts'
import { uint256Text } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { defaulted, integer } from '../../edge/http/schema/scalars.ts'
import { object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import type { SolvencyServices } from './services.ts'
import { PROOF_EXAMPLE, SUMMARY_EXAMPLE } from './solvency-examples.ts'
import { proofReply, snapshotShape } from './solvency-shapes.ts'

const DEFAULT_LIMIT = 20

export const solvency = route({
  method: 'GET',
  path: '/solvency',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Assets and obligations of the newest counted snapshot, and the root that binds them.',
  reply: object({
    snapshot: means(snapshotShape(), 'The snapshot, its sums and its root.'),
    obligations: means(
      object({
        profilesRaw: means(uint256Text(), 'Collateral of profiles, free and reserved.'),
        systemRaw: means(uint256Text(), 'Collateral of the exchange: fees, vault, pools.'),
        sharesRaw: means(uint256Text(), 'Raw collateral behind the shares of all markets.'),
      }),
      'What the obligations consist of.',
    ),
    claims: means(integer(0), 'How many balances above zero were counted.'),
    markets: means(integer(0), 'How many markets have something inside.'),
  }),
  means: 'The newest count; another comes with the next snapshot that is counted.',
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
  about: "Branches from the caller's balances to the published root, a page at a time.",
  query: {
    after: means(
      defaulted(integer(-1), -1),
      'Value of next of the page before; -1 for the first page.',
    ),
    limit: means(
      defaulted(integer(1, MOVE_LIMITS.provenBalancesMax), DEFAULT_LIMIT),
      'Most balances on a page.',
    ),
  },
  reply: proofReply(),
  means: 'The balances of the snapshot; none for an account that held nothing then.',
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
