// The content of a page, and the filter that selects its markets. It is stored as JSON text in
// commands, and is parsed here once per version of a page.

import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type { PlacedPage } from '../../../engine/domain/markets/market-page.ts'
import { boolean, line, means, text } from '../../edge/http/schema/scalars.ts'
import {
  compile,
  type Infer,
  type Json,
  list,
  object,
  optional,
  schemaOf,
} from '../../edge/http/schema/schema.ts'

/** A filter key. It never begins with an underscore, so it matches no inherited field. */
export const FILTER_KEY = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

export type Metadata = Readonly<Record<string, Json>>
export type FilterValues = Readonly<Record<string, readonly string[]>>

/** Values by key: a market passes if it has, for each key, one of the values. */
export function filterValues(keysMax: number, valuesMax: number) {
  const items = line(LIMITS.filterValueCharactersMax, 1)
  return schemaOf<FilterValues>({
    type: 'object',
    propertyNames: { pattern: FILTER_KEY.source },
    additionalProperties: { type: 'array', items, maxItems: valuesMax },
    maxProperties: keysMax,
  })
}

/** Any object: the exchange stores it for its readers. */
export function metadata() {
  return schemaOf<Metadata>({ type: 'object' })
}

const filterOption = () =>
  object({
    label: means(line(LIMITS.pageNameCharactersMax), 'Display label of the value.'),
    value: means(line(LIMITS.filterValueCharactersMax, 1), 'Value to send in the filter.'),
    metadata: means(optional(metadata()), 'Additional custom data; absent for none.'),
  })

/** A filter group next to the list of a page. Its slug is the filter key. */
export function filterGroup() {
  return object({
    name: means(optional(line(LIMITS.pageNameCharactersMax)), 'Heading of the group.'),
    slug: means(
      optional(text(LIMITS.pageSlugCharactersMax, 1)),
      'Filter key of the group: the slug of a property, or a key that every market has.',
    ),
    allowMultiple: means(optional(boolean()), 'Whether several values may be selected at once.'),
    presentation: means(optional(line(64)), 'How a page should display the group.'),
    options: means(
      optional(list(filterOption(), 0, LIMITS.filterCountsMax)),
      'Selectable values; when absent, the options of the property of this slug.',
    ),
    source: means(optional(metadata()), 'Source of the values, as noted by the operator.'),
  })
}

export type FilterGroup = Infer<ReturnType<typeof filterGroup>>

export interface PageContent {
  readonly baseFilter: FilterValues
  readonly filterGroups: readonly FilterGroup[]
  readonly metadata: Metadata
}

export const NO_CONTENT: PageContent = { baseFilter: {}, filterGroups: [], metadata: {} }

const contents = compile(
  object({
    baseFilter: filterValues(LIMITS.filterKeysMax, LIMITS.filterValuesMax),
    filterGroups: list(filterGroup()),
    metadata: metadata(),
  }),
)
const objects = compile(metadata())
const read = new WeakMap<PlacedPage, PageContent>()

export function contentOf(page: PlacedPage): PageContent {
  const known = read.get(page)
  if (known !== undefined) return known
  const content: unknown = JSON.parse(page.contentJson)
  assert(contents.holds(content), 'the content of a page was checked when it was put')
  read.set(page, content)
  return content
}

/** Metadata of a property or an option. */
export function metadataOf(json: string): Metadata {
  const value: unknown = JSON.parse(json)
  assert(objects.holds(value), 'metadata was checked when it was put')
  return value
}
