// Bought packs as published, and the markets that packs can be made of (rules §8).

import type { MarketId } from '../../../engine/domain/ids.ts'
import { PACK_STATUSES } from '../../../persistence/follower/packs/packs.ts'
import { searchMarkets as search } from '../../../persistence/query/read/markets/search.ts'
import { curatedById } from '../../../persistence/query/read/packs/curated-packs.ts'
import { newestPacks, packById, packsOf } from '../../../persistence/query/read/packs/packs.ts'
import { open } from '../../auth/auth-scheme.ts'
import { parseAddress } from '../../crypto/address.ts'
import { cached, lasting, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { account, marketName, slug } from '../../edge/http/schema/fields.ts'
import { WRONG_CHECKSUM } from '../../edge/http/schema/issue-text.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  nullable,
  number,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object, optional } from '../../edge/http/schema/schema.ts'
import type { Call } from '../../messages/call.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { ACCOUNT, MARKET_EXAMPLE } from '../examples.ts'
import { searcherOf } from '../markets/archived-markets.ts'
import { publicRequester, type Requester } from '../reads/private-reads.ts'
import { PACK_EXAMPLE, pack, packViews } from './pack-requests.ts'
import { CURATED_EXAMPLE, packUuid, priceOf, propType, seqOfPackId } from './pack-views.ts'
import { curatedPack, curatedView, type PackServices } from './services.ts'

const LIMIT_MAX = 50
const LIMIT_DEFAULT = 20
const OFFSET_MAX = 10_000
const SEARCHED_MARKETS = 20
const SIMILARITY_MIN = 0.5
const PAGE_MAX = 1000

const limit = () =>
  means(defaulted(integer(1, LIMIT_MAX), LIMIT_DEFAULT), 'Maximum entries per page.')
const before = () =>
  means(
    optional(pattern('^[1-9][0-9]{0,15}$', 'Id of a pack.')),
    'nextCursor of the previous page, for older packs; absent for the newest.',
  )
const page = () =>
  object({
    data: means(list(pack()), 'The packs of this page, newest first.'),
    nextCursor: means(nullable(text()), 'Value of cursor for older packs; null on the last page.'),
  })

async function listed(
  marketIds: readonly MarketId[] | null,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  services: PackServices,
  call: Call,
) {
  const requester = publicRequester(call)
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const rows = await services.reads.read(newestPacks, { marketIds, before, limit }, requester)
  if (rows === undefined) return refuse('READ_TIMEOUT')
  const data = await packViews(rows, services, requester)
  if (data instanceof Refusal) return data
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { data, nextCursor: last === undefined ? null : String(last.packId) }
}

const PAGE_EXAMPLE = { data: [PACK_EXAMPLE], nextCursor: null }

export const packs = route({
  method: 'GET',
  path: '/parlay/positions',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists all bought packs, newest first.',
  query: { limit: limit(), cursor: before() },
  reply: page(),
  means: 'A page of packs.',
  rejects: ['READ_TIMEOUT'],
  example: { query: { limit: 20 }, reply: PAGE_EXAMPLE },
  handle: ({ query, call }, services: PackServices) => listed(null, query, services, call),
})

export const searchPacks = route({
  method: 'GET',
  path: '/parlay/positions/search',
  auth: open(),
  rateClass: 'public',
  bulkhead: 'searches',
  cache: cached(lasting(1)),
  about: 'Searches bought packs with a leg in an active market about a text, newest first.',
  query: {
    query: means(text(200, 1), 'Topic of the market, in free form.'),
    limit: limit(),
    cursor: before(),
  },
  reply: page(),
  means: `A page of packs of the ${SEARCHED_MARKETS} best-matching active markets.`,
  rejects: ['READ_TIMEOUT'],
  example: { query: { query: 'weather', limit: 20 }, reply: PAGE_EXAMPLE },
  handle: async ({ query, call }, services: PackServices) => {
    const request = { text: query.query, similarityMin: SIMILARITY_MIN, skip: 0 }
    const found = await services.reads.read(
      search,
      { ...request, limit: SEARCHED_MARKETS },
      searcherOf(call),
    )
    if (found === undefined) return refuse('READ_TIMEOUT')
    return listed(found.marketIds, query, services, call)
  },
})

export const packOfId = route({
  method: 'GET',
  path: '/parlay/positions/:id',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one bought pack.',
  params: { id: means(pattern('^[1-9][0-9]{0,14}$', 'Id of a pack.'), 'The id of the pack.') },
  reply: pack(),
  means: 'The current pack.',
  rejects: ['PACK_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { id: '4711' }, reply: PACK_EXAMPLE },
  handle: async ({ params, call }, services: PackServices) => {
    const requester = publicRequester(call)
    const row = await services.reads.read(packById, Number(params.id), requester)
    if (row === undefined) return refuse('READ_TIMEOUT')
    if (row === null) return refuse('PACK_NOT_FOUND')
    const views = await packViews([row], services, requester)
    return views instanceof Refusal ? views : views[0]
  },
})

/** The markets of a market or group or, if there is none, of a match with that slug. */
async function marketsNamed(
  name: string,
  { archive, matches }: PackServices,
  requester: Requester,
): Promise<MarketId[] | Refusal> {
  const found = await archive.bySlug(name, requester)
  if (found === undefined) return refuse('READ_TIMEOUT')
  if (found !== null && found.status !== 'DRAFT') {
    return [found, ...found.children].map(({ market }) => market.marketId)
  }
  const match = await matches.named(name, requester)
  if (match === undefined) return refuse('READ_TIMEOUT')
  // The slug of a market of a match resolves to that market, which is hidden.
  if (match === null || match.slug !== name) return refuse('MARKET_NOT_FOUND')
  return match.markets.map(({ marketId }) => marketId)
}

export const packsOfMarket = route({
  method: 'GET',
  path: '/markets/:slug/packs',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists bought packs with a leg in a market, group or match; newest first.',
  params: {
    slug: means(marketName(), 'Slug of a market or group, or of a match that is neither.'),
  },
  query: { limit: limit(), cursor: before() },
  reply: page(),
  means: 'A page of packs with a leg in the market.',
  rejects: ['MARKET_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { slug: MARKET_EXAMPLE.slug }, query: { limit: 20 }, reply: PAGE_EXAMPLE },
  handle: async ({ params, query, call }, services: PackServices) => {
    const ids = await marketsNamed(params.slug, services, publicRequester(call))
    return ids instanceof Refusal ? ids : listed(ids, query, services, call)
  },
})

export const packPositions = route({
  method: 'GET',
  path: '/parlay/:account/positions',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists the packs of an account, newest first.',
  params: { account: account() },
  query: {
    status: means(optional(oneOf(...PACK_STATUSES)), 'Only packs of this status; absent for all.'),
    limit: limit(),
    offset: means(defaulted(integer(0), 0), `Number of packs to skip; at most ${OFFSET_MAX}.`),
  },
  reply: object({
    data: means(list(pack()), 'The packs of this page.'),
    limit: means(integer(1), 'Maximum packs per page.'),
    offset: means(integer(0), 'Number of packs skipped.'),
    totalRows: means(integer(0), 'Number of packs on all pages.'),
    totalPages: means(integer(0), 'Number of pages.'),
  }),
  means: 'A page of packs; empty for an account without packs.',
  rejects: ['VALIDATION', 'READ_TIMEOUT'],
  example: {
    params: { account: ACCOUNT },
    query: { limit: 20, offset: 0 },
    reply: { data: [PACK_EXAMPLE], limit: 20, offset: 0, totalRows: 1, totalPages: 1 },
  },
  handle: async ({ params, query, call }, services: PackServices) => {
    if (parseAddress(params.account) === undefined) {
      return invalid({ field: 'account', message: WRONG_CHECKSUM })
    }
    const { limit, status = null } = query
    const offset = Math.min(query.offset, OFFSET_MAX)
    const owner = services.pipeline.clearing.accounts.byAddress(params.account)?.profileId
    const none = { rows: [], total: 0 }
    const requester = publicRequester(call)
    const request = { owner: owner ?? 0, status, limit, offset }
    const found =
      owner === undefined ? none : await services.reads.read(packsOf, request, requester)
    if (found === undefined) return refuse('READ_TIMEOUT')
    const data = await packViews(found.rows, services, requester)
    if (data instanceof Refusal) return data
    const { total: totalRows } = found
    return { data, limit, offset, totalRows, totalPages: Math.ceil(totalRows / limit) }
  },
})

export const packMarkets = route({
  method: 'GET',
  path: '/parlay/markets',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists the markets that packs can be made of, newest first, with their outcome prices.',
  query: {
    limit: limit(),
    page: means(defaulted(integer(1, PAGE_MAX), 1), 'Page to list, counted from 1.'),
  },
  reply: object({
    data: means(
      list(
        object({
          marketId: means(integer(1), 'Id of the market.'),
          marketSlug: slug(),
          title: means(text(), 'Question of the market.'),
          groupSlug: means(nullable(slug()), 'Slug of its group; null for a single market.'),
          esportsPropType: propType(),
          outcomes: means(
            list(
              object({
                outcomeIndex: means(integer(0, 1), 'Outcome: 0 for YES, 1 for NO.'),
                title: means(oneOf('Yes', 'No'), 'Name of the outcome.'),
                bookPrice: means(nullable(number(0, 1)), 'Best usable ask; null without one.'),
                isMatch: means(boolean(), 'True if the market is about who wins a match.'),
              }),
            ),
            'Both outcomes, YES first.',
          ),
        }),
      ),
      'Markets of this page.',
    ),
    totalRows: means(integer(0), 'Number of markets on all pages.'),
    page: means(integer(1), 'Number of this page.'),
    limit: means(integer(1), 'Maximum markets per page.'),
  }),
  means: 'A page of markets; an outcome without bookPrice cannot be a leg now.',
  example: {
    query: { limit: 20, page: 1 },
    reply: {
      data: [
        {
          marketId: 1,
          marketSlug: MARKET_EXAMPLE.slug,
          title: MARKET_EXAMPLE.title,
          groupSlug: null,
          esportsPropType: null,
          outcomes: [
            { outcomeIndex: 0, title: 'Yes' as const, bookPrice: 0.55, isMatch: false },
            { outcomeIndex: 1, title: 'No' as const, bookPrice: 0.52, isMatch: false },
          ],
        },
      ],
      totalRows: 1,
      page: 1,
      limit: 20,
    },
  },
  handle: ({ query }, { packs }: PackServices) => {
    const { limit, page } = query
    const { markets, total } = packs.markets((page - 1) * limit, limit)
    const data = markets.map((shown) => {
      const requested = packs.requestsOfMatch(shown)
      const isMatch = requested !== null && requested.propType === null
      return {
        marketId: shown.market.marketId,
        marketSlug: shown.market.slug,
        title: shown.market.title,
        groupSlug: shown.group?.market.slug ?? null,
        esportsPropType: requested?.propType ?? null,
        outcomes: (['Yes', 'No'] as const).map((title, outcomeIndex) => {
          const ticks = packs.bookTicks(shown, outcomeIndex)
          const bookPrice = ticks === null ? null : priceOf(ticks)
          return { outcomeIndex, title, bookPrice, isMatch }
        }),
      }
    })
    return { data, totalRows: total, page, limit }
  },
})

// The packs that operators curate and everyone can buy (rules §8.6).

export const curatedPacks = route({
  method: 'GET',
  path: '/parlay/packs',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Lists the curated packs, which everyone can buy; newest first.',
  reply: list(curatedPack()),
  means: 'The complete list; prices are at most one second old.',
  example: { reply: [CURATED_EXAMPLE] },
  handle: async (_input, { curation }: PackServices) => bytes(await curation.encoded()),
})

export const searchCuratedPacks = route({
  method: 'GET',
  path: '/parlay/packs/search',
  auth: open(),
  rateClass: 'public',
  cache: cached(lasting(1)),
  about: 'Searches curated packs whose name or markets contain all words of a text; newest first.',
  query: { query: means(text(200, 1), 'Words in the name or the markets, in any order.') },
  reply: list(curatedPack()),
  means: 'The matching packs; an empty list for none.',
  example: { query: { query: 'rain' }, reply: [CURATED_EXAMPLE] },
  handle: ({ query }, { curation }: PackServices) => curation.found(query.query),
})

export const curatedPackOfId = route({
  method: 'GET',
  path: '/parlay/packs/:id',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one curated pack, even after it left the list.',
  params: { id: packUuid('Id of a curated pack.') },
  reply: curatedPack(),
  means: 'The current pack.',
  rejects: ['PACK_NOT_FOUND', 'READ_TIMEOUT'],
  example: { params: { id: CURATED_EXAMPLE.id }, reply: CURATED_EXAMPLE },
  handle: async ({ params, call }, services: PackServices) => {
    const { curation, pipeline, reads, archive, packs } = services
    const packId = seqOfPackId('curated', params.id)
    const known = pipeline.clearing.packs.curated.byId(packId)
    if (known !== undefined) {
      const view = curation.view(known)
      // The pack may not be durable yet (invariant 1).
      await pipeline.durable()
      return view
    }
    const requester = publicRequester(call)
    const past = await reads.read(curatedById, packId, requester)
    if (past === undefined) return refuse('READ_TIMEOUT')
    if (past === null) return refuse('PACK_NOT_FOUND')
    const ids = new Set(past.legs.map(({ marketId }) => marketId))
    const markets = await archive.byIds(ids, requester)
    if (markets === undefined) return refuse('READ_TIMEOUT')
    const standing = { isListed: false, isOpen: false }
    return curatedView(past, standing, (id) => markets.get(id), packs)
  },
})
