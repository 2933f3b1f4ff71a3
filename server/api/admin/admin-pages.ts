// The operator's calls on market pages and properties (rules §12.5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { type PlacedPage, PROPERTY_TYPES } from '../../../engine/domain/markets/market-page.ts'
import { admin } from '../../auth/auth-scheme.ts'
import { route } from '../../edge/http/route.ts'
import {
  boolean,
  line,
  lines,
  means,
  nullable,
  oneOf,
  text,
} from '../../edge/http/schema/scalars.ts'
import { type Infer, list, object, optional } from '../../edge/http/schema/schema.ts'
import { OWN_FACETS } from '../../exchange/read-model/lists/facets.ts'
import { isoText } from '../../messages/iso-text.ts'
import { invalid, refuse, refusedOr } from '../../messages/refusal.ts'
import type { PropertyRequest } from '../pages/page-changes.ts'
import {
  contentOf,
  filterGroup,
  filterValues,
  keyView,
  type Metadata,
  metadata,
  wholeKeyView,
} from '../pages/page-changes.ts'
import {
  ADMIN_PAGE_EXAMPLE,
  adminPage,
  KEY_EXAMPLE,
  keyId,
  keySlug,
  LISTED_KEY_EXAMPLE,
  pageId,
  pageSlug,
  propertyFields,
  propertyKey,
  sortOrder,
} from '../pages/pages.ts'
import type { AdminServices } from './services.ts'

const METADATA_BOUND = `at most ${LIMITS.propertyMetadataBytesMax} bytes of JSON`
const PAGE_REJECTS = [
  ...(['OVERLOADED', 'VALIDATION', 'PAGE_LIMIT', 'PAGE_PARENT_INVALID', 'PAGE_TOO_DEEP'] as const),
  ...(['PAGE_PATH_TAKEN', 'PAGE_TOO_LARGE'] as const),
]
const KEY_REJECTS = [
  ...(['OVERLOADED', 'VALIDATION', 'PROPERTY_LIMIT', 'PROPERTY_SLUG_TAKEN'] as const),
  'PROPERTY_OPTION_INVALID' as const,
  'COMMAND_TOO_LARGE' as const,
]

const pageName = () => line(LIMITS.pageNameCharactersMax, 1)
function pageFields() {
  return {
    parentId: means(
      optional(nullable(text(64, 1))),
      'Id of the parent page; null for the top, absent leaves it.',
    ),
    description: means(
      optional(nullable(lines(LIMITS.descriptionCharactersMax))),
      'Description of the page; null for none, absent leaves it.',
    ),
    icon: means(optional(line(512)), 'Picture or symbol of the page; absent leaves it.'),
    sortOrder: optional(sortOrder()),
    inNavigation: means(
      optional(boolean()),
      'Whether the page is listed in navigation; absent leaves it, true for a new page.',
    ),
    baseFilter: means(
      optional(filterValues(LIMITS.filterKeysMax, LIMITS.filterValuesMax)),
      'Base filter of the page: markets have one of the values of each key; absent leaves it.',
    ),
    filterGroups: means(
      optional(list(filterGroup(), 0, LIMITS.filterGroupsMax)),
      'Filter groups for its markets; absent leaves them.',
    ),
    metadata: means(optional(metadata()), 'Custom data of the page; absent leaves it.'),
  }
}

const newPage = object({
  name: means(pageName(), 'Display name of the page.'),
  slug: pageSlug(),
  ...pageFields(),
})
const editedPage = object({
  name: means(optional(pageName()), 'New name of the page; absent leaves it.'),
  slug: optional(pageSlug()),
  ...pageFields(),
})

function pageRequest({ inNavigation, ...fields }: Infer<typeof editedPage>) {
  return inNavigation === undefined ? fields : { ...fields, isInNavigation: inNavigation }
}

function pageView(page: PlacedPage) {
  const { pageId: id, name, slug, fullPath, parentId, description, icon } = page
  return {
    id,
    name,
    slug,
    fullPath,
    parentId,
    description,
    icon,
    sortOrder: page.sortOrder,
    inNavigation: page.isInNavigation,
    ...contentOf(page),
    createdAt: isoText(page.createdMs),
    updatedAt: isoText(page.updatedMs),
  }
}

export const createPage = route({
  method: 'POST',
  path: '/admin/market-pages',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a market page.',
  body: newPage,
  status: 201,
  reply: adminPage(),
  means: 'The page is created and visible.',
  links: {
    remove: {
      to: 'DELETE /admin/market-pages/:id',
      about: 'Removes the page.',
      params: { id: '/id' },
    },
    markets: {
      to: 'GET /market-pages/:id/markets',
      about: 'Lists the markets of the page.',
      params: { id: '/id' },
    },
  },
  rejects: PAGE_REJECTS,
  example: {
    body: { name: 'Bitcoin', slug: 'bitcoin', baseFilter: { ticker: ['BTC'] } },
    reply: ADMIN_PAGE_EXAMPLE,
  },
  handle: async ({ body, caller }, { marketPages }: AdminServices) => {
    const put = await marketPages.changes.putPage(pageRequest(body), caller.operator.name)
    return refusedOr(put, pageView)
  },
})

export const editPage = route({
  method: 'PUT',
  path: '/admin/market-pages/:id',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Edits or moves a market page; its old paths redirect to the new ones.',
  params: { id: pageId() },
  body: editedPage,
  reply: adminPage(),
  means: 'The page is updated and visible.',
  rejects: ['PAGE_NOT_FOUND', ...PAGE_REJECTS],
  example: {
    params: { id: ADMIN_PAGE_EXAMPLE.id },
    body: { slug: 'bitcoin' },
    reply: ADMIN_PAGE_EXAMPLE,
  },
  handle: async ({ params, body, caller }, { marketPages }: AdminServices) => {
    const by = caller.operator.name
    const put = await marketPages.changes.putPage(pageRequest(body), by, params.id)
    return refusedOr(put, pageView)
  },
})

export const removePage = route({
  method: 'DELETE',
  path: '/admin/market-pages/:id',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes a market page that has no child pages.',
  params: { id: pageId() },
  reply: object({ id: pageId() }),
  means: 'The page is removed; its markets stay.',
  rejects: ['OVERLOADED', 'PAGE_NOT_FOUND', 'PAGE_NOT_EMPTY'],
  example: { params: { id: ADMIN_PAGE_EXAMPLE.id }, reply: { id: ADMIN_PAGE_EXAMPLE.id } },
  handle: async ({ params, caller }, { marketPages }: AdminServices) => {
    const refused = await marketPages.changes.removePage(params.id, caller.operator.name)
    return refused === null ? { id: params.id } : refuse(refused)
  },
})

export const listPages = route({
  method: 'GET',
  path: '/admin/market-pages',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists all market pages, oldest first.',
  reply: object({ pages: means(list(adminPage()), 'Every page, including hidden ones.') }),
  means: 'All pages, oldest first.',
  example: { reply: { pages: [ADMIN_PAGE_EXAMPLE] } },
  handle: (_input, { marketPages }: AdminServices) => ({
    pages: [...marketPages.changes.tree.pages.values()].map(pageView),
  }),
})

const optionBody = object({
  value: means(
    line(LIMITS.filterValueCharactersMax, 1),
    'Value that markets and filters use; it identifies the option in this call.',
  ),
  label: means(
    optional(line(LIMITS.pageNameCharactersMax, 1)),
    'Display label; absent leaves it, the value for a new option.',
  ),
  sortOrder: optional(sortOrder()),
  parent: means(
    optional(nullable(line(LIMITS.filterValueCharactersMax, 1))),
    'Value of the parent option; null for none, absent leaves it.',
  ),
  metadata: means(
    optional(metadata()),
    `Custom data of the option, ${METADATA_BOUND}; absent leaves it.`,
  ),
})

function keyFields() {
  return {
    type: means(
      optional(oneOf(...PROPERTY_TYPES)),
      'Whether a market has one value of it or several; select for a new one.',
    ),
    isSystem: means(
      optional(boolean()),
      'Whether the exchange itself uses the property; absent leaves it.',
    ),
    metadata: means(
      optional(metadata()),
      `Custom data of the property, ${METADATA_BOUND}; absent leaves it.`,
    ),
    options: means(
      optional(list(optionBody, 0, LIMITS.optionsPerCallMax)),
      'Options to add or change, identified by their value; other options stay.',
    ),
    removeOptions: means(
      optional(list(line(LIMITS.filterValueCharactersMax, 1), 0, LIMITS.optionsPerCallMax)),
      'Values of the options to remove; none by default.',
    ),
  }
}

const newKey = object({
  name: means(pageName(), 'Display name of the property.'),
  slug: keySlug(),
  ...keyFields(),
})
const editedKey = object({
  name: means(optional(pageName()), 'New name of the property; absent leaves it.'),
  slug: optional(keySlug()),
  ...keyFields(),
})

/** The name of the first field whose metadata is too long, or the request. */
function keyRequest({ metadata: kept, options, ...fields }: Infer<typeof editedKey>) {
  const json = jsonOf(kept)
  const requested = options?.map(({ metadata: own, ...option }) => ({ option, json: jsonOf(own) }))
  const isLong = [json, ...(requested ?? []).map((each) => each.json)].some(
    (each) => Buffer.byteLength(each ?? '') > LIMITS.propertyMetadataBytesMax,
  )
  if (isLong) return null
  const wanted: PropertyRequest = {
    ...fields,
    ...(json === undefined ? {} : { metadataJson: json }),
    ...(requested === undefined
      ? {}
      : {
          options: requested.map(({ option, json: own }) =>
            own === undefined ? option : { ...option, metadataJson: own },
          ),
        }),
  }
  return wanted
}

function jsonOf(kept: Metadata | undefined): string | undefined {
  return kept === undefined ? undefined : JSON.stringify(kept)
}

/** Reserved slugs: existing filter keys, and the other parameters of a list of markets. */
const TAKEN_SLUGS: ReadonlySet<string> = new Set([
  ...OWN_FACETS,
  'page',
  'cursor',
  'limit',
  'sort',
  'sortBy',
  'filters',
])

function wrongIn({ slug }: { readonly slug?: string }, wanted: PropertyRequest | null) {
  if (slug !== undefined && TAKEN_SLUGS.has(slug)) {
    return { field: 'slug', message: 'is reserved by this API; choose another' }
  }
  return wanted === null ? METADATA_LONG : null
}

const METADATA_LONG = {
  field: 'metadata',
  message: `must have ${METADATA_BOUND}`,
}

export const createPropertyKey = route({
  method: 'POST',
  path: '/admin/property-keys',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Creates a market property with its options.',
  body: newKey,
  status: 201,
  reply: propertyKey(),
  means: 'The property is created; markets can be filtered by it.',
  links: {
    read: {
      to: 'GET /property-keys/:id',
      about: 'Reads the property.',
      params: { id: '/id' },
    },
    remove: {
      to: 'DELETE /admin/property-keys/:id',
      about: 'Removes the property.',
      params: { id: '/id' },
    },
  },
  rejects: KEY_REJECTS,
  example: {
    body: { name: 'Ticker', slug: 'ticker', options: [{ value: 'BTC', label: 'Bitcoin' }] },
    reply: KEY_EXAMPLE,
  },
  handle: async ({ body, caller }, { marketPages }: AdminServices) => {
    const wanted = keyRequest(body)
    const wrong = wrongIn(body, wanted)
    if (wrong !== null || wanted === null) return invalid(wrong ?? METADATA_LONG)
    const put = await marketPages.changes.putKey(wanted, caller.operator.name)
    return refusedOr(put, wholeKeyView)
  },
})

export const editPropertyKey = route({
  method: 'PUT',
  path: '/admin/property-keys/:id',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Edits a property; adds, changes or removes its options.',
  params: { id: keyId() },
  body: editedKey,
  reply: propertyKey(),
  means: 'The property is updated; markets keep their values.',
  rejects: ['PROPERTY_NOT_FOUND', ...KEY_REJECTS],
  example: {
    params: { id: KEY_EXAMPLE.id },
    body: { options: [{ value: 'BTC', label: 'Bitcoin' }] },
    reply: KEY_EXAMPLE,
  },
  handle: async ({ params, body, caller }, { marketPages }: AdminServices) => {
    const wanted = keyRequest(body)
    const wrong = wrongIn(body, wanted)
    if (wrong !== null || wanted === null) return invalid(wrong ?? METADATA_LONG)
    const put = await marketPages.changes.putKey(wanted, caller.operator.name, params.id)
    return refusedOr(put, wholeKeyView)
  },
})

export const listPropertyKeys = route({
  method: 'GET',
  path: '/admin/property-keys',
  auth: admin('read'),
  rateClass: 'admin',
  about: 'Lists all market properties, oldest first, without their options.',
  reply: object({ keys: means(list(object(propertyFields())), 'All properties, oldest first.') }),
  means: 'The properties as published.',
  example: { reply: { keys: [LISTED_KEY_EXAMPLE] } },
  handle: (_input, { marketPages }: AdminServices) => ({
    keys: [...marketPages.changes.keys.values()].map(keyView),
  }),
})

export const removePropertyKey = route({
  method: 'DELETE',
  path: '/admin/property-keys/:id',
  auth: admin('root'),
  rateClass: 'admin',
  about: 'Removes a property with its options; markets keep their values.',
  params: { id: keyId() },
  reply: object({ id: keyId() }),
  means: 'The property is removed; markets can no longer be filtered by it.',
  rejects: ['OVERLOADED', 'PROPERTY_NOT_FOUND'],
  example: { params: { id: KEY_EXAMPLE.id }, reply: { id: KEY_EXAMPLE.id } },
  handle: async ({ params, caller }, { marketPages }: AdminServices) => {
    const refused = await marketPages.changes.removeKey(params.id, caller.operator.name)
    return refused === null ? { id: params.id } : refuse(refused)
  },
})
