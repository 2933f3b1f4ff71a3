// Public reads of market pages and properties (rules §12.5). All are answered on main, from bytes
// that are encoded once per change.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { PROPERTY_TYPES } from '../../../engine/domain/markets/market-page.ts'
import { open } from '../../auth/auth-scheme.ts'
import { cached, REVALIDATE } from '../../edge/http/caching/cache.ts'
import { bytes, JSON_TYPE } from '../../edge/http/reply.ts'
import { route } from '../../edge/http/route.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  defaulted,
  integer,
  means,
  named,
  nullable,
  oneOf,
  pattern,
  shownWith,
  text,
} from '../../edge/http/schema/scalars.ts'
import { type Json, list, object, optional, schemaOf } from '../../edge/http/schema/schema.ts'
import { FIELD_SORT_NAMES } from '../../exchange/read-model/lists/market-lists.ts'
import { Joined } from '../../messages/payload.ts'
import { invalid, refuse } from '../../messages/refusal.ts'
import { MARKET_EXAMPLE } from '../examples.ts'
import { publicRequester, workFor } from '../reads/private-reads.ts'
import { market } from '../shapes.ts'
import { FILTER_KEY, filterGroup, filterValues, metadata } from './page-changes.ts'
import type { PageServices } from './services.ts'

// Schemas of market pages, shared by several calls (rules §12.5).

export function pageId() {
  return means(text(64, 1), "Id of the page: of an operator's page, of a category, or __home__.")
}

/** A segment of a path. */
export function pageSlug() {
  const most = LIMITS.pageSlugCharactersMax
  const form = `1 to ${most} lower-case letters, digits and dashes, a dash not first.`
  return means(
    pattern(`^[a-z0-9][a-z0-9-]{0,${most - 1}}$`, form),
    'Last segment of the path of the page.',
  )
}

export function sortOrder() {
  return means(integer(-1_000_000, 1_000_000), 'Sort position among siblings, lowest first.')
}

export const crumb = () =>
  object({
    name: means(text(), 'Name of an ancestor page, or of this page.'),
    slug: means(text(), 'Last segment of its path; empty for the home page.'),
    path: means(text(), 'Its full path from the top.'),
  })

/** The page fields in the replies to the public call and to the operator's calls. */
function contentShape() {
  return {
    baseFilter: means(
      filterValues(LIMITS.filterKeysMax, LIMITS.filterValuesMax),
      'Base filter: markets of the page have one of the values of each key.',
    ),
    filterGroups: means(list(filterGroup()), 'Filter groups for its markets.'),
    metadata: means(metadata(), 'Custom data of the page, set by the operator.'),
  }
}

export function marketPage() {
  return object({
    id: pageId(),
    name: means(text(), 'Display name of the page.'),
    slug: means(text(), 'Last segment of the path; empty for the home page.'),
    fullPath: means(text(), 'The full path from the top, with a leading slash.'),
    description: means(nullable(text()), 'Description of the page; null for none.'),
    ...contentShape(),
    breadcrumb: means(list(crumb()), 'Path of pages from the top down to this one.'),
  })
}

/** A page in replies to operators. */
export function adminPage() {
  return object({
    id: pageId(),
    name: means(text(), 'Display name of the page.'),
    slug: means(text(), 'Last segment of the path.'),
    fullPath: means(text(), 'The full path from the top, with a leading slash.'),
    parentId: means(nullable(text()), 'Id of the parent page; null at the top.'),
    description: means(nullable(text()), 'Description of the page; null for none.'),
    icon: means(text(), 'Picture or symbol of the page; empty for none.'),
    sortOrder: sortOrder(),
    inNavigation: means(boolean(), 'Whether the page is listed in navigation.'),
    ...contentShape(),
    createdAt: means(isoTime(), 'When the page was created.'),
    updatedAt: means(isoTime(), 'When the page was last changed or moved.'),
  })
}

// Schemas of properties, shared by several calls (rules §12.5).

export function keyId() {
  return means(text(64, 1), 'Id of the property.')
}

/** The slug of a property, which is a filter key. */
export function keySlug() {
  const form = '1 to 64 letters, digits, dashes and _, a letter first.'
  return means(pattern(FILTER_KEY.source, form), 'Name of the property in markets and filters.')
}

export function propertyOption() {
  return object({
    id: means(text(), 'Id of the option.'),
    propertyKeyId: keyId(),
    value: means(text(), 'Value used by markets and filters.'),
    label: means(text(), 'Display label of the value.'),
    sortOrder: sortOrder(),
    parentOptionId: means(nullable(text()), 'Id of the parent option; null at the top.'),
    metadata: means(metadata(), 'Custom data of the option, set by the operator.'),
    createdAt: means(isoTime(), 'When the option was created.'),
    updatedAt: means(isoTime(), 'When the option was last changed.'),
  })
}

/** The fields of a property without its options. */
export function propertyFields() {
  return {
    id: keyId(),
    name: means(text(), 'Display name of the property.'),
    slug: means(text(), 'Name of the property in markets and filters.'),
    type: means(oneOf(...PROPERTY_TYPES), 'Whether a market has one value of it or several.'),
    isSystem: means(boolean(), 'Whether the exchange itself uses the property.'),
    metadata: means(metadata(), 'Custom data of the property, set by the operator.'),
    createdAt: means(isoTime(), 'When the property was created.'),
    updatedAt: means(isoTime(), 'When the property or one of its options was last changed.'),
  }
}

export function propertyKey() {
  const options = means(list(propertyOption()), 'Its options, lowest sort order first.')
  return object({ ...propertyFields(), options })
}

// One page and one property, shared by the examples of several calls.

const PAGE_ID = '3b241101-e2bb-4255-8caf-4136c566a962'
const KEY_ID = '9f8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'
const AT = '2026-01-01T00:00:00.000Z'

export const PAGE_EXAMPLE = {
  id: PAGE_ID,
  name: 'Bitcoin',
  slug: 'bitcoin',
  fullPath: '/crypto/bitcoin',
  description: null,
  baseFilter: { ticker: ['BTC'] },
  filterGroups: [{ name: 'Length', slug: 'length', options: [{ label: 'A day', value: 'day' }] }],
  metadata: {},
  breadcrumb: [
    { name: 'Crypto', slug: 'crypto', path: '/crypto' },
    { name: 'Bitcoin', slug: 'bitcoin', path: '/crypto/bitcoin' },
  ],
}

const { breadcrumb: _breadcrumb, ...PAGE_FIELDS } = PAGE_EXAMPLE
export const ADMIN_PAGE_EXAMPLE = {
  ...PAGE_FIELDS,
  parentId: null,
  icon: '',
  sortOrder: 0,
  inNavigation: true,
  createdAt: AT,
  updatedAt: AT,
}

const KEY_FIELDS_EXAMPLE = {
  id: KEY_ID,
  name: 'Ticker',
  slug: 'ticker',
  type: 'select' as const,
  isSystem: false,
  metadata: {},
  createdAt: AT,
  updatedAt: AT,
}

export const OPTION_EXAMPLE = {
  id: PAGE_ID,
  propertyKeyId: KEY_ID,
  value: 'BTC',
  label: 'Bitcoin',
  sortOrder: 0,
  parentOptionId: null,
  metadata: {},
  createdAt: AT,
  updatedAt: AT,
}

export const KEY_EXAMPLE = { ...KEY_FIELDS_EXAMPLE, options: [OPTION_EXAMPLE] }
export const LISTED_KEY_EXAMPLE = KEY_FIELDS_EXAMPLE

const PATH_CHARACTERS_MAX = 512
const CURSOR_CHARACTERS_MAX = 256
const DEFAULT_LIMIT = 25

interface NodeShape {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly path: string
  readonly children: readonly Json[]
  readonly icon: string
  readonly count: number
}

/** Documents refer to the node itself; checks accept any objects. */
const children = () =>
  shownWith(schemaOf<NodeShape['children']>({ type: 'array', items: { type: 'object' } }), {
    items: { $ref: '#/components/schemas/NavigationNode' },
  })

const node = () =>
  named(
    'NavigationNode',
    object({
      id: pageId(),
      name: means(text(), 'Display name of the page.'),
      slug: means(text(), 'Last segment of its path.'),
      path: means(text(), 'Its full path from the top.'),
      children: means(children(), 'Nodes of the child pages, with the same schema.'),
      icon: means(text(), 'Picture or symbol of the page; empty for none.'),
      count: means(integer(0), 'Number of active markets of the page.'),
    }),
  )

const NODE_EXAMPLE = {
  id: PAGE_EXAMPLE.id,
  name: 'Crypto',
  slug: 'crypto',
  path: '/crypto',
  children: [],
  icon: '',
  count: 12,
}

export const navigation = route({
  method: 'GET',
  path: '/navigation',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the tree of market pages; without pages, one node per category.',
  reply: list(node()),
  means: 'The top-level nodes, each with its children.',
  example: { reply: [NODE_EXAMPLE] },
  handle: (_input, { marketPages }: PageServices) => bytes(marketPages.directory.navigation()),
})

export const pageByPath = route({
  method: 'GET',
  path: '/market-pages/by-path',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns the market page at a path; a page that moved replies 301 with its new path.',
  query: {
    path: means(text(PATH_CHARACTERS_MAX), 'Path of the page; empty or / for the home page.'),
  },
  reply: marketPage(),
  means: 'The page at this path.',
  others: { 301: 'The page moved: Location has the call for its new path.' },
  rejects: ['PAGE_NOT_FOUND'],
  example: { query: { path: '/crypto/bitcoin' }, reply: PAGE_EXAMPLE },
  handle: ({ query }, { marketPages: { directory } }: PageServices) => {
    const found = directory.byPath(query.path)
    if (found === undefined) return refuse('PAGE_NOT_FOUND')
    const { page, isMoved } = found
    const payload = directory.encoded(page)
    if (!isMoved) return bytes(payload)
    const location = `/market-pages/by-path?path=${encodeURIComponent(page.fullPath)}`
    return bytes(payload, JSON_TYPE, 301, [['location', location]])
  },
})

const pagination = () =>
  object({
    page: means(integer(1), 'Number of this page, counted from 1.'),
    limit: means(integer(1), 'Maximum markets per page.'),
    total: means(integer(0), 'Number of markets that match the filters.'),
    totalPages: means(integer(0), 'Number of pages.'),
  })

const nextCursor = () =>
  object({
    nextCursor: means(
      nullable(text()),
      'Cursor of the next page, for the same filters and sort; null on the last page.',
    ),
  })

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>
const countShape = () =>
  schemaOf<Counts>({
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 0 },
    },
  })

export const pageMarkets = route({
  method: 'GET',
  path: '/market-pages/:id/markets',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists active markets of a page, filtered and sorted, by page or by cursor.',
  params: { id: pageId() },
  query: {
    page: means(optional(integer(1, 1_000_000)), 'Page to list; 1 without a cursor.'),
    cursor: means(
      optional(text(CURSOR_CHARACTERS_MAX)),
      'nextCursor of the previous page; empty for the first page. Cannot be combined with page.',
    ),
    limit: means(
      defaulted(integer(1, LIMITS.pageMarketsLimitMax), DEFAULT_LIMIT),
      'Maximum markets per page of the list.',
    ),
    sort: means(
      optional(oneOf(...FIELD_SORT_NAMES)),
      'Field to sort by, with a leading dash for descending order; -createdAt by default.',
    ),
    filters: means(
      optional(filterValues(LIMITS.filterKeysMax, LIMITS.filterValuesMax)),
      'Any filter key as a separate parameter, which may be repeated: a property, category, ' +
        'categoryId, tag, tradeType or automationType.',
    ),
  },
  reply: object({
    data: means(list(market()), 'Markets of this page of the list.'),
    pagination: means(optional(pagination()), 'Page position; absent with a cursor.'),
    cursor: means(optional(nextCursor()), 'Cursor of the next page; absent with a page.'),
    counts: means(
      optional(countShape()),
      'While a filter is active: the number of markets by filter key and value.',
    ),
  }),
  means: 'One page of the list; empty after the last page.',
  rejects: ['VALIDATION', 'PAGE_NOT_FOUND'],
  example: {
    params: { id: PAGE_EXAMPLE.id },
    query: { page: 1, limit: DEFAULT_LIMIT, filters: { length: ['day'] } },
    reply: {
      data: [MARKET_EXAMPLE],
      pagination: { page: 1, limit: DEFAULT_LIMIT, total: 1, totalPages: 1 },
      counts: { length: { day: 1 } },
    },
  },
  handle: async ({ params, query, call }, { marketPages, slices, pipeline }: PageServices) => {
    const { directory, markets } = marketPages
    const page = directory.byId(params.id)
    if (page === undefined) return refuse('PAGE_NOT_FOUND')
    const { sort = '-createdAt', filters = {}, ...rest } = query
    // Filters that are not cached are counted for this caller alone.
    const by = workFor(publicRequester(call), pipeline)
    const read = await slices.once(by, () => markets.read(page, { ...rest, sort, filters }))
    if (read === null) return refuse('OVERLOADED')
    return read instanceof Joined ? bytes(read) : invalid(read)
  },
})

export const propertyKeys = route({
  method: 'GET',
  path: '/property-keys',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists all market properties by slug, without their options.',
  reply: list(object(propertyFields())),
  means: 'Every property, in one list.',
  example: { reply: [LISTED_KEY_EXAMPLE] },
  handle: (_input, { marketPages }: PageServices) => bytes(marketPages.properties.list()),
})

export const onePropertyKey = route({
  method: 'GET',
  path: '/property-keys/:id',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Returns one market property with its options.',
  params: { id: keyId() },
  reply: propertyKey(),
  means: 'The current property.',
  rejects: ['PROPERTY_NOT_FOUND'],
  example: { params: { id: KEY_EXAMPLE.id }, reply: KEY_EXAMPLE },
  handle: ({ params }, { marketPages }: PageServices) => {
    const found = marketPages.properties.key(params.id)
    return found === null ? refuse('PROPERTY_NOT_FOUND') : bytes(found)
  },
})

export const propertyOptions = route({
  method: 'GET',
  path: '/property-keys/:id/options',
  auth: open(),
  rateClass: 'public',
  cache: cached(REVALIDATE),
  about: 'Lists the options of a property, or the children of one option.',
  params: { id: keyId() },
  query: {
    parentId: means(optional(text(64)), 'Id of the option whose children to list.'),
  },
  reply: list(propertyOption()),
  means: 'The options, lowest sort order first.',
  rejects: ['PROPERTY_NOT_FOUND'],
  example: { params: { id: KEY_EXAMPLE.id }, reply: [OPTION_EXAMPLE] },
  handle: ({ params, query }, { marketPages }: PageServices) => {
    const found = marketPages.properties.options(params.id, query.parentId)
    return found === null ? refuse('PROPERTY_NOT_FOUND') : bytes(found)
  },
})
