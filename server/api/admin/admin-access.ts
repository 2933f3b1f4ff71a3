// Access: an operator ends the tokens and sessions of a profile, and adds or removes operators.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { TRADING_MODES } from '../../../engine/domain/markets/trading-window.ts'
import { ROLES, ROOT_OPERATOR } from '../../../engine/domain/operator.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import { type AuditRow, audit } from '../../../persistence/query/read/audit.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import {
  account,
  isoTime,
  profileId,
  scope,
  shownUsername,
  slug,
} from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../edge/http/schema/schema.ts'
import { isoText } from '../../messages/iso-text.ts'
import { refuse } from '../../messages/refusal.ts'
import { ORDER_ID } from '../examples.ts'
import { message } from '../shapes.ts'
import { aboutFields, title } from './admin-markets.ts'
import type { AdminServices } from './services.ts'

const AT = '2026-01-01T00:00:00.000Z'
const ENDED = 'All sessions of the profile ended'
const REVOKED = 'API token revoked successfully'

const operatorName = () => {
  const most = LIMITS.operatorNameCharactersMax
  const form = `1 to ${most} lower-case letters, digits and dashes, a letter first.`
  return means(
    pattern(`^[a-z][a-z0-9-]{0,${most - 1}}$`, form),
    'Name of the operator, as shown in the audit log.',
  )
}
const role = () => {
  return means(
    oneOf(...ROLES),
    'Role of the operator; each role includes the permissions of the roles before it.',
  )
}
const operatorSince = 'When the operator was added.'

export const revokeProfileTokens = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/tokens',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Revokes every API token of a profile.',
  params: { profileId: profileId() },
  reply: object({
    profileId: profileId(),
    revoked: means(integer(0), 'How many active tokens were revoked.'),
  }),
  means: 'No token of the profile can sign calls.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: { profileId: 1, revoked: 3 } },
  handle: async ({ params, caller }, { accounts }: AdminServices) => {
    const done = await accounts.revokeTokens(params.profileId, caller.operator.name)
    if (done instanceof Reject) return refuse(done)
    return { profileId: params.profileId, revoked: done.count }
  },
})

export const revokeProfileToken = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/tokens/:tokenId',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Revokes one API token of a profile.',
  params: {
    profileId: profileId(),
    tokenId: means(text(64, 1), 'Id of the API token to revoke.'),
  },
  reply: message(),
  means: 'The token can no longer sign calls.',
  rejects: ['OVERLOADED', 'TOKEN_UNKNOWN'],
  example: { params: { profileId: 1, tokenId: ORDER_ID }, reply: { message: REVOKED } },
  handle: async ({ params, caller }, { accounts }: AdminServices) => {
    const by = caller.operator.name
    const refused = await accounts.revokeToken(params.profileId, params.tokenId, by)
    return refused === null ? { message: REVOKED } : refuse(refused)
  },
})

export const endProfileSessions = route({
  method: 'DELETE',
  path: '/admin/profiles/:profileId/sessions',
  auth: admin('support'),
  rateClass: 'admin',
  about: 'Ends every session of a profile; its wallet may log in again.',
  params: { profileId: profileId() },
  reply: message(),
  means: 'The profile has no open session.',
  rejects: ['OVERLOADED', 'PROFILE_NOT_FOUND'],
  example: { params: { profileId: 1 }, reply: { message: ENDED } },
  handle: async ({ params, caller }, { accounts, pipeline }: AdminServices) => {
    if (pipeline.clearing.accounts.byId(params.profileId) === undefined) {
      return refuse(await pipeline.refused(REJECT.PROFILE_NOT_FOUND))
    }
    const refused = await accounts.logoutEverywhere(params.profileId, caller.operator.name)
    return refused === null ? { message: ENDED } : refuse(refused)
  },
})

export const addOperator = route({
  method: 'POST',
  path: '/admin/operators',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Adds an operator. Its token is returned only once.',
  body: object({ name: operatorName(), role: role() }),
  status: 201,
  reply: object({
    name: operatorName(),
    role: role(),
    token: means(text(), 'Bearer token of the operator. Store it: it is never shown again.'),
    createdAt: means(isoTime(), operatorSince),
  }),
  means: 'The operator is added.',
  links: {
    remove: {
      to: 'DELETE /admin/operators/:name',
      about: 'Removes the operator and its token.',
      params: { name: '/name' },
    },
  },
  rejects: ['OVERLOADED', 'OPERATOR_TAKEN', 'OPERATOR_LIMIT'],
  example: {
    body: { name: 'ada', role: 'support' },
    reply: { name: 'ada', role: 'support', token: '…', createdAt: AT },
  },
  handle: async ({ body, caller }, { operators }: AdminServices) => {
    const made = await operators.add(body.name, body.role, caller.operator.name)
    if (made instanceof Reject) return refuse(made)
    return { ...body, token: made.token, createdAt: isoText(made.createdMs) }
  },
})

export const listOperators = route({
  method: 'GET',
  path: '/admin/operators',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists every operator with its role, without tokens; the first start created the first.',
  reply: list(
    object({
      name: operatorName(),
      role: role(),
      createdAt: means(nullable(isoTime()), `${operatorSince} Null for the first.`),
    }),
  ),
  means: 'Every operator, in the order of creation.',
  example: {
    reply: [
      { name: ROOT_OPERATOR, role: 'root', createdAt: null },
      { name: 'ada', role: 'support', createdAt: AT },
    ],
  },
  handle: async (_input, { pipeline }: AdminServices) => {
    const named = pipeline.clearing.operators.all
    await pipeline.durable()
    const views = named.map(({ name, role: held, createdMs }) => {
      return { name, role: held, createdAt: isoText(createdMs) }
    })
    return [{ name: ROOT_OPERATOR, role: 'root' as const, createdAt: null }, ...views]
  },
})

export const removeOperator = route({
  method: 'DELETE',
  path: '/admin/operators/:name',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes an operator: its token becomes invalid, and its name can be used again.',
  params: { name: operatorName() },
  reply: message(),
  means: 'The operator is removed.',
  rejects: ['OVERLOADED', 'OPERATOR_ROOT', 'OPERATOR_NOT_FOUND'],
  example: { params: { name: 'ada' }, reply: { message: 'Operator removed' } },
  handle: async ({ params, caller }, { operators }: AdminServices) => {
    const refused = await operators.remove(params.name, caller.operator.name)
    return refused === null ? { message: 'Operator removed' } : refuse(refused)
  },
})

// One act of an operator, as shown in the audit log.

const [, ...RESTRICTIONS] = TRADING_MODES

const act = {
  seq: means(integer(1), 'Seq of the command; later commands have greater ones.'),
  at: means(isoTime(), 'When the command was decided.'),
  operator: means(text(), 'Name of the operator.'),
  kind: means(text(), 'Kind of the command, as the journal names it.'),
}

const ofProfiles = {
  profileId: optional(profileId()),
  account: optional(account()),
  username: optional(shownUsername()),
  rank: means(optional(nullable(text())), 'Name of the rank that was set; null if it was removed.'),
  feeCapBps: means(
    optional(nullable(integer(0))),
    'Fee cap that was set, in basis points; null if it was removed.',
  ),
  scopes: means(optional(list(scope())), 'Scopes that the profile was allowed.'),
  isMachine: means(optional(boolean()), 'Whether the profile was marked as that of a program.'),
  tokenId: means(optional(text()), 'Id of the API token that was created or revoked.'),
  tokenScopes: means(optional(list(scope())), 'Scopes of the new API token.'),
  collateralRaw: means(
    optional(integer()),
    'Raw collateral that was credited, or debited when negative.',
  ),
  liquidityRaw: means(
    optional(integer(0)),
    'The raw pool share that the profile was given, or that it withdrew.',
  ),
}

const payout = () => means(list(integer(0)), 'Payout parts for YES, then for NO.')

const ofMarkets = {
  marketSlug: optional(slug()),
  payoutNumerators: optional(payout()),
  children: means(optional(list(text())), 'Slugs of the markets of the new group.'),
  markets: means(
    optional(list(object({ marketSlug: slug(), payoutNumerators: payout() }))),
    'The markets that were resolved together.',
  ),
  isFlagged: means(optional(boolean()), 'Whether the market was flagged or unflagged.'),
  title: means(optional(title()), 'New title of the market.'),
  ...aboutFields,
  windowId: means(optional(integer(1)), 'Number of the trading window.'),
  mode: means(optional(oneOf(...RESTRICTIONS)), 'Trading restriction of the window.'),
  startsAtMs: means(optional(integer(0)), 'When the window starts, in Unix milliseconds.'),
  endsAtMs: means(
    optional(nullable(integer(0))),
    'When the window ends, in Unix milliseconds; null until an operator ends it.',
  ),
}

const ofSeries = {
  seriesId: means(optional(integer(1)), 'Id of the series.'),
  stableSlug: means(optional(slug()), 'Slug of the market of the current slot.'),
  symbol: means(optional(text()), 'Symbol of the asset whose price was reported.'),
  atMs: means(optional(integer(0)), 'Time of that price, in Unix milliseconds.'),
  priceE8: means(optional(integer(0)), 'That price times 100,000,000; 0 for none.'),
}

const ofPages = {
  pageId: means(optional(text()), 'Id of the market page.'),
  slug: means(optional(text()), "Last segment of the page's path, or name of the property."),
  parentId: means(optional(nullable(text())), 'Id of the parent page; null at the top.'),
  keyId: means(optional(text()), 'Id of the property.'),
  optionsPut: means(optional(integer(0)), 'How many options were added or changed.'),
  optionsRemoved: means(optional(integer(0)), 'How many options were removed.'),
}

const ofPacks = {
  packNumber: means(
    optional(integer(1)),
    'Number of the curated pack: the last part of its id, in decimal.',
  ),
  packName: means(optional(text()), 'Name of the curated pack.'),
  dayLossMaxRaw: means(
    optional(nullable(integer(0))),
    'Maximum cost of the packs of one UTC day, raw; null restored the default.',
  ),
}

const ofMatches = {
  matchSlug: means(optional(text()), 'Slug of the match.'),
  fixtureId: means(optional(integer(1)), 'Id of the match at the source of its scores.'),
  marketSlugs: means(
    optional(list(text())),
    'Slugs of the markets of the match, or of the legs of the pack.',
  ),
}

/** One act, as shown in a reply. */
export const auditEntry = object({
  ...act,
  ...ofProfiles,
  ...ofMarkets,
  ...ofSeries,
  ...ofPages,
  ...ofMatches,
  ...ofPacks,
  reason: means(optional(text()), 'Why the operator did it.'),
  name: means(optional(text()), 'Name of the operator who was added or removed.'),
  role: means(optional(oneOf(...ROLES)), 'Role of the new operator.'),
})

/** The audit entry of a row. The schema must name each field that the row names. */
export function auditEntryOf(row: AuditRow): Infer<typeof auditEntry> {
  const { seq, atMs, operator, kind, about } = row
  const { noDelayedCancel, ...named }: { readonly noDelayedCancel?: boolean } = JSON.parse(about)
  // The journal records what is forbidden, calls what is allowed.
  const delay = noDelayedCancel === undefined ? {} : { delayedCancel: !noDelayedCancel }
  return { seq, at: isoText(atMs), operator, kind, ...named, ...delay }
}

// The audit log of operators: the commands that they issued, from the tables that the follower
// writes.

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
