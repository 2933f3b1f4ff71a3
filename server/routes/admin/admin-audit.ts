// Who did what, when: the commands that operators caused, from the tables the follower writes.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { ROLES } from '../../../engine/domain/operator.ts'
import { TRADING_MODES } from '../../../engine/domain/trading-mode.ts'
import type { AuditRow } from '../../../persistence/query/read/audit.ts'
import { audit } from '../../../persistence/query/read/audit.ts'
import { admin } from '../../http/auth-scheme.ts'
import { refuse } from '../../http/refusal.ts'
import { route } from '../../http/route.ts'
import { address, isoTime, profileId, slug } from '../../http/schema/fields.ts'
import { scope } from '../../http/schema/profile-fields.ts'
import { defaulted, integer, nullable, oneOf, text } from '../../http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../http/schema/schema.ts'
import type { Services } from '../services.ts'

const [, ...RESTRICTIONS] = TRADING_MODES
const DEFAULT_LIMIT = 50

const entryFields = {
  seq: integer(1),
  at: isoTime(),
  operator: text(),
  kind: text(),
  profileId: optional(profileId()),
  account: optional(address()),
  username: optional(nullable(text())),
  rank: optional(nullable(text())),
  feeCapBps: optional(nullable(integer(0))),
  scopes: optional(list(scope())),
  tokenId: optional(text()),
  tokenScopes: optional(list(scope())),
  collateralRaw: optional(integer()),
  marketSlug: optional(slug()),
  payoutNumerators: optional(list(integer(0))),
  windowId: optional(integer(1)),
  mode: optional(oneOf(...RESTRICTIONS)),
  startsAtMs: optional(integer(0)),
  endsAtMs: optional(nullable(integer(0))),
  reason: optional(text()),
  name: optional(text()),
  role: optional(oneOf(...ROLES)),
}
const entry = object(entryFields)

function entryOf({ seq, atMs, operator, kind, about }: AuditRow): Infer<typeof entry> {
  const named: object = JSON.parse(about)
  return { seq, at: new Date(atMs).toISOString(), operator, kind, ...named }
}

export const showAudit = route({
  method: 'GET',
  path: '/admin/audit',
  auth: admin('read'),
  lane: 'admin',
  about: 'What operators did, newest first: who, when, which command, and what it named.',
  query: {
    operator: optional(text(LIMITS.operatorNameCharactersMax, 1)),
    before: optional(integer(1)),
    limit: defaulted(integer(1, LIMITS.auditLimitMax), DEFAULT_LIMIT),
  },
  reply: object({ entries: list(entry), nextBefore: nullable(integer(1)) }),
  rejects: ['READ_TIMEOUT'],
  example: {
    query: { operator: 'ada', limit: 1 },
    reply: {
      entries: [
        {
          ...{ seq: 4711, at: '2026-01-01T00:00:00.000Z', operator: 'ada', kind: 'freezeProfile' },
          ...{ profileId: 1, reason: 'Stolen key.' },
        },
      ],
      nextBefore: 4711,
    },
  },
  handle: async ({ query }, { reads }: Services) => {
    const { operator = null, before = Number.MAX_SAFE_INTEGER, limit } = query
    // One more than asked for says whether there are more.
    const rows = await reads.read(audit, { operator, beforeSeq: before, limit: limit + 1 })
    if (rows === undefined) return refuse('READ_TIMEOUT')
    const entries = rows.slice(0, limit).map(entryOf)
    const last = entries.at(-1)
    return { entries, nextBefore: rows.length > limit && last !== undefined ? last.seq : null }
  },
})
