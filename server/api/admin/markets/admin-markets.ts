// The operator's calls on existing markets and groups, and the creation of groups.

import { LIMITS } from '../../../../engine/domain/limits.ts'
import { Reject } from '../../../../engine/domain/reject-precedence.ts'
import { admin } from '../../../auth/auth-scheme.ts'
import { route } from '../../../edge/http/route.ts'
import { address, slug } from '../../../edge/http/schema/fields.ts'
import { boolean, integer, means } from '../../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../../edge/http/schema/schema.ts'
import { marketView } from '../../../exchange/read-model/market-view.ts'
import type { PublishedMarket } from '../../../exchange/read-model/published.ts'
import { invalid, refuse } from '../../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../../examples.ts'
import { ANYBODY } from '../../markets/archived-markets.ts'
import { adapterOf, childIds, negRiskIdOf, questionIdOf } from '../../markets/market-ids.ts'
import { groupMarket, market } from '../../shapes.ts'
import type { AdminServices } from '../services.ts'
import {
  aboutFields,
  aboutOf,
  commonOf,
  deadline,
  deadlineOf,
  rebateIssue,
  specIssue,
  spelled,
  title,
  venueFields,
} from './market-specs.ts'

type Changed = Promise<PublishedMarket | Reject>

/** Changes the market of a slug and returns it. */
async function changed(
  marketSlug: string,
  services: AdminServices,
  change: (published: PublishedMarket) => Changed,
) {
  const found = await services.archive.bySlug(marketSlug, ANYBODY)
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found === null) return refuse('MARKET_NOT_FOUND')
  return shown(await change(found), services)
}

function shown(made: PublishedMarket | Reject, { settings, clock }: AdminServices) {
  if (made instanceof Reject) return refuse(made)
  return marketView(made, settings.collateral, clock())
}

const EXAMPLE = { params: { slug: 'rain-tomorrow' }, reply: MARKET_EXAMPLE }

export const editMarket = route({
  method: 'PATCH',
  path: '/admin/markets/:slug',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Edits the description of a market. Absent fields stay.',
  params: { slug: slug() },
  body: object({
    title: means(optional(title()), 'The question of the market.'),
    ...aboutFields,
  }),
  reply: market(),
  means: 'The market is changed.',
  rejects: [
    ...(['OVERLOADED', 'VALIDATION', 'CATEGORY_LIMIT', 'MARKET_NOT_FOUND'] as const),
    ...(['MARKET_RESOLVED', 'READ_TIMEOUT'] as const),
  ],
  example: { ...EXAMPLE, body: { tags: ['daily'] } },
  handle: async ({ params, body, caller }, services: AdminServices) => {
    const issue = rebateIssue(body, services)
    if (issue !== null) return invalid(issue)
    return changed(params.slug, services, (found) => {
      return services.markets.edit(found, aboutOf(body), caller.operator.name)
    })
  },
})

export const lockMarket = route({
  method: 'POST',
  path: '/admin/markets/:slug/lock',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Stops trading in a market; its open orders are canceled.',
  params: { slug: slug() },
  reply: market(),
  means: 'The market is locked.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: { ...EXAMPLE, reply: { ...MARKET_EXAMPLE, status: 'LOCKED' } },
  handle: ({ params, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => services.markets.lock(found, caller.operator.name)),
})

export const unlockMarket = route({
  method: 'POST',
  path: '/admin/markets/:slug/unlock',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Reopens a locked market before its deadline.',
  params: { slug: slug() },
  reply: market(),
  means: 'The market accepts orders again.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: EXAMPLE,
  handle: ({ params, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => services.markets.unlock(found, caller.operator.name)),
})

export const flagMarket = route({
  method: 'PUT',
  path: '/admin/markets/:slug/flag',
  auth: admin('money'),
  rateClass: 'admin',
  about: 'Flags or unflags a market: a flagged market trades but shows no book.',
  params: { slug: slug() },
  body: object({ isFlagged: means(boolean(), 'Whether the market is flagged.') }),
  reply: market(),
  means: 'The flag is set.',
  rejects: ['OVERLOADED', 'MARKET_NOT_FOUND', 'MARKET_RESOLVED', 'MARKET_STATUS', 'READ_TIMEOUT'],
  example: {
    ...EXAMPLE,
    body: { isFlagged: true },
    reply: { ...MARKET_EXAMPLE, status: 'FUNDED_FLAGGED' },
  },
  handle: ({ params, body, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => {
      return services.markets.flag(found, body.isFlagged, caller.operator.name)
    }),
})

export const createGroup = route({
  method: 'POST',
  path: '/admin/groups',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a group and its markets, exactly one of which wins.',
  body: object({
    slug: slug(),
    title: means(title(), 'The question of the group.'),
    ...aboutFields,
    ...venueFields,
    deadline: deadline(),
    adapterAddress: means(
      optional(address()),
      'Adapter contract of the group; derived from its exchange when absent.',
    ),
    convertFeeBps: means(
      optional(integer(0, 10_000)),
      'Fee of a conversion in basis points; 0 by default.',
    ),
    markets: means(
      list(
        object({
          slug: slug(),
          title: means(title(), 'The question of this market.'),
          ...aboutFields,
        }),
        2,
        LIMITS.groupChildrenMax,
      ),
      'The markets of the group, in order.',
    ),
  }),
  status: 201,
  reply: groupMarket(),
  means: 'The group is created, and its markets accept orders.',
  links: {
    read: {
      to: 'GET /markets/:addressOrSlug',
      about: 'Reads the group.',
      params: { addressOrSlug: '/slug' },
    },
    resolve: {
      to: 'POST /admin/groups/:slug/resolve',
      about: 'Resolves the group.',
      params: { slug: '/slug' },
    },
  },
  rejects: [
    'OVERLOADED',
    'VALIDATION',
    'SLUG_TAKEN',
    'MARKET_LIMIT',
    'VENUE_LIMIT',
    'CATEGORY_LIMIT',
    'MARKET_NOT_FOUND',
    'READ_TIMEOUT',
  ],
  example: {
    body: {
      slug: 'cup-winner',
      title: 'Who wins the cup?',
      markets: [
        { slug: 'reds-win', title: 'Do the Reds win?', proxyTitle: 'Reds' },
        { slug: 'blues-win', title: 'Do the Blues win?', proxyTitle: 'Blues' },
      ],
    },
    reply: { ...MARKET_EXAMPLE, slug: 'cup-winner', tradeType: 'group', marketType: 'group' },
  },
  handle: async ({ body, caller }, services: AdminServices) => {
    const { markets: children, adapterAddress, convertFeeBps = 0, ...own } = body
    const deadlineMs = deadlineOf(body.deadline)
    for (const each of [body, ...children]) {
      const issue = specIssue(each, deadlineMs, services)
      if (issue !== null) return invalid(issue)
    }
    const common = commonOf(own, services)
    const adapter = adapterAddress ? spelled(adapterAddress) : adapterOf(common.exchangeAddress)
    const negRiskId = negRiskIdOf(adapter, convertFeeBps, body.slug)
    const shared = { deadlineMs, adapterAddress: adapter }
    const noIds = { conditionId: '', yesTokenId: '', noTokenId: '' }
    const group = {
      ...common,
      ...shared,
      ...noIds,
      negRiskId,
      kind: 'group' as const,
      ...(convertFeeBps > 0 ? { convertFeeBps } : {}),
    }
    const { fee, takerDelayMs, exchangeAddress, minSizeRaw, categories, tags } = body
    const inherited = { categories, tags, delayedCancel: body.delayedCancel }
    const venue = { fee, takerDelayMs, exchangeAddress, minSizeRaw }
    const { collateral } = services.settings
    const specs = children.map((child, orderInGroup) => {
      const questionId = questionIdOf(negRiskId, orderInGroup)
      const ids = childIds(adapter, collateral.address, questionId)
      const ofChild = commonOf({ ...inherited, ...child, ...venue }, services)
      return { ...ofChild, ...shared, ...ids, orderInGroup, negRiskId: questionId }
    })
    return shown(await services.markets.createGroup(group, specs, caller.operator.name), services)
  },
})

export const resolveGroup = route({
  method: 'POST',
  path: '/admin/groups/:slug/resolve',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Resolves a group: one market wins, the others lose. Open orders are canceled.',
  params: { slug: slug() },
  body: object({ winner: means(slug(), 'Slug of the market that wins.') }),
  reply: groupMarket(),
  means: 'The group and all its markets are resolved.',
  rejects: [
    'OVERLOADED',
    'MARKET_NOT_FOUND',
    'MARKET_NOT_GROUP',
    'MARKET_RESOLVED',
    'WINNER_NOT_IN_GROUP',
    'READ_TIMEOUT',
  ],
  example: {
    params: { slug: 'cup-winner' },
    body: { winner: 'reds-win' },
    reply: { ...MARKET_EXAMPLE, slug: 'cup-winner', status: 'RESOLVED' },
  },
  handle: ({ params, body, caller }, services: AdminServices) =>
    changed(params.slug, services, (found) => {
      return services.markets.resolveGroup(found, body.winner, caller.operator.name)
    }),
})
