// Turns what an operator says of a property into the change of its options. An option is named by
// its value, so the same call can be sent again.

import { randomUUID } from 'node:crypto'
import type { KeyChange } from '../../../engine/core/decide/pages.ts'
import type {
  PlacedKey,
  PropertyKey,
  PropertyOption,
} from '../../../engine/domain/markets/market-page.ts'

export interface OptionWish {
  readonly value: string
  readonly label?: string
  readonly sortOrder?: number
  /** Value of the option above; null for none. */
  readonly parent?: string | null
  readonly metadataJson?: string
}

/** An absent field stays as it is, or is empty on a new property. */
export interface PropertyWish extends Partial<Omit<PropertyKey, 'keyId'>> {
  readonly options?: readonly OptionWish[]
  /** Values of options to remove. */
  readonly removeOptions?: readonly string[]
}

/** Null when an option names a parent, or the call removes an option, that is not there. */
export function keyChangeOf(
  keyId: string,
  wish: PropertyWish,
  before: PlacedKey | undefined,
): KeyChange | null {
  const known = new Map<string, PropertyOption>(before?.options.map((each) => [each.value, each]))
  const removed = (wish.removeOptions ?? []).map((value) => known.get(value)?.optionId)
  const removedOptionIds = removed.filter((id) => id !== undefined)
  if (removedOptionIds.length < removed.length) return null
  const wished = wish.options ?? []
  const ids = new Map([...known].map(([value, { optionId }]) => [value, optionId]))
  for (const { value } of wished) if (!ids.has(value)) ids.set(value, randomUUID())
  const options: PropertyOption[] = []
  for (const each of wished) {
    const option = optionOf(each, known.get(each.value), ids)
    if (option === null) return null
    options.push(option)
  }
  return { key: keyOf(keyId, wish, before), options, removedOptionIds }
}

function keyOf(keyId: string, wish: PropertyWish, before: PlacedKey | undefined): PropertyKey {
  return {
    keyId,
    name: wish.name ?? before?.name ?? '',
    slug: wish.slug ?? before?.slug ?? '',
    type: wish.type ?? before?.type ?? 'select',
    isSystem: wish.isSystem ?? before?.isSystem ?? false,
    metadataJson: wish.metadataJson ?? before?.metadataJson ?? '{}',
  }
}

function optionOf(
  wish: OptionWish,
  before: PropertyOption | undefined,
  ids: ReadonlyMap<string, string>,
): PropertyOption | null {
  const { value, parent } = wish
  const optionId = ids.get(value)
  const named =
    parent === undefined ? before?.parentOptionId : parent === null ? null : ids.get(parent)
  if (optionId === undefined || (typeof parent === 'string' && named === undefined)) return null
  return {
    optionId,
    value,
    label: wish.label ?? before?.label ?? value,
    sortOrder: wish.sortOrder ?? before?.sortOrder ?? 0,
    parentOptionId: named ?? null,
    metadataJson: wish.metadataJson ?? before?.metadataJson ?? '{}',
  }
}
