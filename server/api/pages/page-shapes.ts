// The shapes of market pages that several calls share (rules §12.5).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, integer, nullable, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { filterGroup, filterValues, metadata } from './page-views.ts'

export function pageId() {
  return means(text(64, 1), 'Id of the page: that of an operator, a category, or __home__.')
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
  return means(integer(-1_000_000, 1_000_000), 'Where it stands beside others, lowest first.')
}

export const crumb = () =>
  object({
    name: means(text(), 'Name of the page above, or of this page.'),
    slug: means(text(), 'Last segment of its path; empty for the home page.'),
    path: means(text(), 'Its whole path from the top.'),
  })

/** What both the public call and the operator's calls show of a page. */
function contentShape() {
  return {
    baseFilter: means(
      filterValues(LIMITS.filterKeysMax, LIMITS.filterValuesMax),
      'What markets of the page have: for each key one of the values.',
    ),
    filterGroups: means(list(filterGroup()), 'Choices to filter its markets by.'),
    metadata: means(metadata(), 'Whatever the operator keeps with the page.'),
  }
}

export function marketPage() {
  return object({
    id: pageId(),
    name: means(text(), 'Name of the page to show.'),
    slug: means(text(), 'Last segment of the path; empty for the home page.'),
    fullPath: means(text(), 'The whole path from the top, beginning with a slash.'),
    description: means(nullable(text()), 'Words about the page; null for none.'),
    ...contentShape(),
    breadcrumb: means(list(crumb()), 'Pages from the top down to this one.'),
  })
}

/** A page as operators see it. */
export function adminPage() {
  return object({
    id: pageId(),
    name: means(text(), 'Name of the page to show.'),
    slug: means(text(), 'Last segment of the path.'),
    fullPath: means(text(), 'The whole path from the top, beginning with a slash.'),
    parentId: means(nullable(text()), 'Id of the page above; null at the top.'),
    description: means(nullable(text()), 'Words about the page; null for none.'),
    icon: means(text(), 'Picture or sign of the page; empty for none.'),
    sortOrder: sortOrder(),
    inNavigation: means(boolean(), 'Whether the tree of pages shows it.'),
    ...contentShape(),
    createdAt: means(isoTime(), 'When the page was made.'),
    updatedAt: means(isoTime(), 'When the page was changed or moved last.'),
  })
}
