// Converts an operator's request for a property into the change of its options. An option is
// identified by its value, so the same call can be sent again.

import { randomUUID } from 'node:crypto'
import type { KeyChange } from '../../../engine/core/decide/pages.ts'
import type {
  PlacedKey,
  PropertyKey,
  PropertyOption,
} from '../../../engine/domain/markets/market-page.ts'

export interface OptionRequest {
  readonly value: string
  readonly label?: string
  readonly sortOrder?: number
  /** Value of the parent option; null for none. */
  readonly parent?: string | null
  readonly metadataJson?: string
}

/** An absent field stays unchanged, or is empty on a new property. */
export interface PropertyRequest extends Partial<Omit<PropertyKey, 'keyId'>> {
  readonly options?: readonly OptionRequest[]
  /** Values of options to remove. */
  readonly removeOptions?: readonly string[]
}

/** Null when an option has an unknown parent, or the call removes an unknown option. */
export function keyChangeOf(
  keyId: string,
  wanted: PropertyRequest,
  before: PlacedKey | undefined,
): KeyChange | null {
  const known = new Map<string, PropertyOption>(before?.options.map((each) => [each.value, each]))
  const removed = (wanted.removeOptions ?? []).map((value) => known.get(value)?.optionId)
  const removedOptionIds = removed.filter((id) => id !== undefined)
  if (removedOptionIds.length < removed.length) return null
  const requested = wanted.options ?? []
  const ids = new Map([...known].map(([value, { optionId }]) => [value, optionId]))
  for (const { value } of requested) if (!ids.has(value)) ids.set(value, randomUUID())
  const options: PropertyOption[] = []
  for (const each of requested) {
    const option = optionOf(each, known.get(each.value), ids)
    if (option === null) return null
    options.push(option)
  }
  return { key: keyOf(keyId, wanted, before), options, removedOptionIds }
}

function keyOf(keyId: string, wanted: PropertyRequest, before: PlacedKey | undefined): PropertyKey {
  return {
    keyId,
    name: wanted.name ?? before?.name ?? '',
    slug: wanted.slug ?? before?.slug ?? '',
    type: wanted.type ?? before?.type ?? 'select',
    isSystem: wanted.isSystem ?? before?.isSystem ?? false,
    metadataJson: wanted.metadataJson ?? before?.metadataJson ?? '{}',
  }
}

function optionOf(
  wanted: OptionRequest,
  before: PropertyOption | undefined,
  ids: ReadonlyMap<string, string>,
): PropertyOption | null {
  const { value, parent } = wanted
  const optionId = ids.get(value)
  const named =
    parent === undefined ? before?.parentOptionId : parent === null ? null : ids.get(parent)
  if (optionId === undefined || (typeof parent === 'string' && named === undefined)) return null
  return {
    optionId,
    value,
    label: wanted.label ?? before?.label ?? value,
    sortOrder: wanted.sortOrder ?? before?.sortOrder ?? 0,
    parentOptionId: named ?? null,
    metadataJson: wanted.metadataJson ?? before?.metadataJson ?? '{}',
  }
}
