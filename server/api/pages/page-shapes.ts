// Schemas of market pages, shared by several calls (rules §12.5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, integer, nullable, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { filterGroup, filterValues, metadata } from './page-views.ts'

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
