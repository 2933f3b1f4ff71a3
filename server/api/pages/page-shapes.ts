// Schemas of market pages, shared by several calls (rules §12.5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { PROPERTY_TYPES } from '../../../engine/domain/markets/market-page.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import {
  boolean,
  integer,
  means,
  nullable,
  oneOf,
  pattern,
  text,
} from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { FILTER_KEY, filterGroup, filterValues, metadata } from './page-views.ts'

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
