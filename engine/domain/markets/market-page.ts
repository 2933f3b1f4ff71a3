import type { TimeMs } from '../units.ts'

// Pages that group markets, and the properties that filter markets (rules §12.5). Data that no rule
// reads is JSON text, which is identical on every thread.

/** A page as an operator defines it. */
export interface MarketPage {
  /** UUIDv4 text. */
  readonly pageId: string
  readonly name: string
  /** Last segment of the path. */
  readonly slug: string
  /** null at the top level. */
  readonly parentId: string | null
  readonly description: string | null
  /** '' = none. */
  readonly icon: string
  /** Pages of one parent are sorted by it, lowest first. */
  readonly sortOrder: number
  readonly isInNavigation: boolean
  /** Base filter, filter groups and metadata. */
  readonly contentJson: string
}

/** A page with its derived path and times. */
export interface PlacedPage extends MarketPage {
  /** All slugs from the top level, each after a slash. */
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
  /** The property's name in markets and filters. */
  readonly slug: string
  readonly type: PropertyType
  readonly isSystem: boolean
  readonly metadataJson: string
}

export interface PropertyOption {
  /** UUIDv4 text. */
  readonly optionId: string
  /** The name used by markets and filters. */
  readonly value: string
  readonly label: string
  readonly sortOrder: number
  /** null at the top level. */
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
