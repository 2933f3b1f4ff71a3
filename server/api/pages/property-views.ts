// Properties and their options as sent, encoded once per change.

import { LIMITS } from '../../../engine/domain/limits.ts'
import type { PlacedKey, PlacedOption } from '../../../engine/domain/markets/market-page.ts'
import { isoText } from '../../messages/iso-text.ts'
import type { PageChanges } from './page-changes.ts'
import { metadataOf } from './page-views.ts'

/** Lowest order first, then by label. */
function sorted(options: readonly PlacedOption[]): PlacedOption[] {
  return [...options].sort((one, other) => {
    if (one.sortOrder !== other.sortOrder) return one.sortOrder - other.sortOrder
    return one.label < other.label ? -1 : one.label > other.label ? 1 : 0
  })
}

/** The options of a property in a filter group. */
export function optionsShown({ options }: PlacedKey) {
  const shown = sorted(options).slice(0, LIMITS.filterCountsMax)
  return shown.map(({ label, value, metadataJson }) => {
    return { label, value, metadata: metadataOf(metadataJson) }
  })
}

export function keyView({ keyId: id, name, slug, type, isSystem, ...key }: PlacedKey) {
  return {
    id,
    name,
    slug,
    type,
    isSystem,
    metadata: metadataOf(key.metadataJson),
    createdAt: isoText(key.createdMs),
    updatedAt: isoText(key.updatedMs),
  }
}

function optionView(keyId: string, option: PlacedOption) {
  const { optionId: id, value, label, sortOrder, parentOptionId } = option
  return {
    id,
    propertyKeyId: keyId,
    value,
    label,
    sortOrder,
    parentOptionId,
    metadata: metadataOf(option.metadataJson),
    createdAt: isoText(option.createdMs),
    updatedAt: isoText(option.updatedMs),
  }
}

/** A property with its options. */
export function wholeKeyView(key: PlacedKey) {
  const options = sorted(key.options).map((option) => optionView(key.keyId, option))
  return { ...keyView(key), options }
}

export class PropertyReads {
  readonly #changes: PageChanges
  #version = -1
  /** Keyed by the path of the call. */
  #encoded = new Map<string, Buffer>()

  constructor(changes: PageChanges) {
    this.#changes = changes
  }

  /** All properties by slug, without their options. */
  list(): Buffer {
    return this.#once('', () => {
      const keys = [...this.#changes.keys.values()]
      return keys.sort((one, other) => (one.slug < other.slug ? -1 : 1)).map(keyView)
    })
  }

  /** One property with its options; null for an unknown property. */
  key(keyId: string): Buffer | null {
    const key = this.#changes.keys.get(keyId)
    return key === undefined ? null : this.#once(keyId, () => wholeKeyView(key))
  }

  /** The options of a property, or the children of one option; null for an unknown property. */
  options(keyId: string, parentId?: string): Buffer | null {
    const key = this.#changes.keys.get(keyId)
    if (key === undefined) return null
    // Unknown parents are not cached, because a caller may name any.
    const isKnown = key.options.some(({ optionId }) => optionId === parentId)
    if (parentId !== undefined && !isKnown) return Buffer.from('[]')
    return this.#once(`${keyId}/${parentId ?? ''}`, () => {
      const found = key.options.filter((option) => {
        return parentId === undefined || option.parentOptionId === parentId
      })
      return sorted(found).map((option) => optionView(keyId, option))
    })
  }

  #once(name: string, view: () => unknown): Buffer {
    const { keysVersion } = this.#changes
    if (this.#version !== keysVersion) this.#encoded = new Map()
    this.#version = keysVersion
    const bytes = this.#encoded.get(name) ?? Buffer.from(JSON.stringify(view()))
    this.#encoded.set(name, bytes)
    return bytes
  }
}
