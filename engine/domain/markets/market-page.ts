import type { TimeMs } from '../units.ts'

// Pages that group markets, and the properties by which markets are filtered (rules §12.5). What
// only readers need of them is JSON text: no rule reads it, and text is the same on every thread.

/** A page as an operator puts it. */
export interface MarketPage {
  /** UUIDv4 text. */
  readonly pageId: string
  readonly name: string
  /** Last segment of its path. */
  readonly slug: string
  /** null at the top. */
  readonly parentId: string | null
  readonly description: string | null
  /** '' for none. */
  readonly icon: string
  /** Lowest first among the pages of one parent. */
  readonly sortOrder: number
  readonly isInNavigation: boolean
  /** Base filter, filter groups and metadata. */
  readonly contentJson: string
}

/** A page with what follows from its place and from its commands. */
export interface PlacedPage extends MarketPage {
  /** The slugs from the top, each behind a slash. */
  readonly fullPath: string
  readonly createdMs: TimeMs
  readonly updatedMs: TimeMs
}

export const PROPERTY_TYPES = ['select', 'multi-select'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

export interface PropertyKey {
  /** UUIDv4 text. */
  readonly keyId: string
  readonly name: string
  /** The name of the property in markets and filters. */
  readonly slug: string
  readonly type: PropertyType
  readonly isSystem: boolean
  readonly metadataJson: string
}

export interface PropertyOption {
  /** UUIDv4 text. */
  readonly optionId: string
  /** What markets and filters name. */
  readonly value: string
  readonly label: string
  readonly sortOrder: number
  /** null at the top. */
  readonly parentOptionId: string | null
  readonly metadataJson: string
}

export interface PlacedOption extends PropertyOption {
  readonly createdMs: TimeMs
  readonly updatedMs: TimeMs
}

export interface PlacedKey extends PropertyKey {
  readonly createdMs: TimeMs
  readonly updatedMs: TimeMs
  readonly options: readonly PlacedOption[]
}
