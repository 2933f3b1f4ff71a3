// The audit log of operators: the commands that they issued, from the tables that the follower
// writes.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { audit } from '../../../persistence/query/read/audit.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import { defaulted, integer, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import { refuse } from '../../messages/refusal.ts'
import { auditEntry, auditEntryOf } from './audit-entry.ts'
import type { AdminServices } from './services.ts'

const DEFAULT_LIMIT = 50

export const showAudit = route({
  method: 'GET',
  path: '/admin/audit',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists the acts of operators, newest first: who, when, which command, and its fields.',
  query: {
    operator: means(
      optional(text(LIMITS.operatorNameCharactersMax, 1)),
      'Name of the operator whose acts to list; all when absent.',
    ),
    before: means(
      optional(integer(1)),
      'Lists entries with a seq below this one; starts at the newest when absent.',
    ),
    limit: means(
      defaulted(integer(1, LIMITS.auditLimitMax), DEFAULT_LIMIT),
      'Maximum entries per page.',
    ),
  },
  reply: object({
    entries: means(list(auditEntry), 'Acts of operators, newest first.'),
    nextBefore: means(
      nullable(integer(1)),
      'Value of before for the next page; null on the last page.',
    ),
  }),
  means: 'One page of the audit log; each entry has the fields of its command.',
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { operator: 'ada', limit: 1 },
    reply: {
      entries: [
        {
          seq: 4711,
          at: '2026-01-01T00:00:00.000Z',
          operator: 'ada',
          kind: 'freezeProfile',
          profileId: 1,
          reason: 'Stolen key.',
        },
      ],
      nextBefore: 4711,
    },
  },
  handle: async ({ query }, { reads }: AdminServices) => {
    const { operator = null, before = Number.MAX_SAFE_INTEGER, limit } = query
    // Reads one extra entry to know whether there is another page.
    const rows = await reads.read(audit, { operator, beforeSeq: before, limit: limit + 1 })
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const entries = rows.slice(0, limit).map(auditEntryOf)
    const last = entries.at(-1)
    return { entries, nextBefore: rows.length > limit && last !== undefined ? last.seq : null }
  },
})
