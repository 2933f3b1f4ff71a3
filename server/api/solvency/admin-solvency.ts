// Assets and obligations of each token, and a count on the operator's request.

import { admin } from '../../auth/auth-scheme.ts'
import { reply } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { means, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { next, paging } from '../admin/admin-fields.ts'
import type { SolvencyServices } from './services.ts'
import { SUMMARY_EXAMPLE, snapshotShape } from './solvency-shapes.ts'

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
