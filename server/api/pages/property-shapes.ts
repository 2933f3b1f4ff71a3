// Schemas of properties, shared by several calls (rules §12.5).

import { PROPERTY_TYPES } from '../../../engine/domain/markets/market-page.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { sortOrder } from './page-shapes.ts'
import { FILTER_KEY, metadata } from './page-views.ts'

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
