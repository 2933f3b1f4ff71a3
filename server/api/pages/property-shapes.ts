// The shapes of properties that several calls share (rules §12.5).

import { PROPERTY_TYPES } from '../../../engine/domain/markets/market-page.ts'
import { isoTime } from '../../edge/http/schema/fields.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { boolean, nullable, oneOf, pattern, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { sortOrder } from './page-shapes.ts'
import { FILTER_KEY, metadata } from './page-views.ts'

export function keyId() {
  return means(text(64, 1), 'Id that the exchange gave the property.')
}

/** The name of a property, which is a filter key. */
export function keySlug() {
  const form = '1 to 64 letters, digits, dashes and _, a letter first.'
  return means(pattern(FILTER_KEY.source, form), 'Name of the property in markets and filters.')
}

export function propertyOption() {
  return object({
    id: means(text(), 'Id that the exchange gave the option.'),
    propertyKeyId: keyId(),
    value: means(text(), 'What markets and filters name.'),
    label: means(text(), 'Words to show for the value.'),
    sortOrder: sortOrder(),
    parentOptionId: means(nullable(text()), 'Id of the option above; null at the top.'),
    metadata: means(metadata(), 'Whatever the operator keeps with the option.'),
    createdAt: means(isoTime(), 'When the option was made.'),
    updatedAt: means(isoTime(), 'When the option was changed last.'),
  })
}

/** The fields of a property without its options. */
export function propertyFields() {
  return {
    id: keyId(),
    name: means(text(), 'Name of the property to show.'),
    slug: means(text(), 'Name of the property in markets and filters.'),
    type: means(oneOf(...PROPERTY_TYPES), 'Whether a market has one value of it or several.'),
    isSystem: means(boolean(), 'Whether the exchange itself needs the property.'),
    metadata: means(metadata(), 'Whatever the operator keeps with the property.'),
    createdAt: means(isoTime(), 'When the property was made.'),
    updatedAt: means(isoTime(), 'When the property or an option of it was changed last.'),
  }
}

export function propertyKey() {
  const options = means(list(propertyOption()), 'Its options, lowest sort order first.')
  return object({ ...propertyFields(), options })
}
