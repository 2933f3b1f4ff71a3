// The operator's changes to market pages and properties, and the published state: only what is
// durable (invariant 1).

import { randomUUID } from 'node:crypto'
import {
  decideKeyRemoval,
  decideMarketPage,
  decidePageRemoval,
  decidePropertyKey,
  type KeyChange,
} from '../../../engine/core/decide/pages.ts'
import type { PageTree } from '../../../engine/core/markets/market-pages.ts'
import { assert } from '../../../engine/domain/assert.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import type {
  MarketPage,
  PlacedKey,
  PlacedPage,
  PropertyKey,
  PropertyOption,
} from '../../../engine/domain/markets/market-page.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import { contentOf, NO_CONTENT, type PageContent } from './page-views.ts'

/** The fields that a call sets. An absent field stays unchanged, or is empty on a new page. */
type PageRequest = Partial<Omit<MarketPage, 'pageId' | 'contentJson'> & PageContent>

type Keys = ReadonlyMap<string, PlacedKey>

export class PageChanges {
  readonly #pipeline: Pipeline
  #tree: PageTree
  #keys: Keys
  /** Increases with each change of a page. */
  version = 0
  /** Increases with each change of a property. */
  keysVersion = 0
  #above: {
    readonly of: Keys
    readonly values: Map<string, ReadonlyMap<string, string[]>>
  } | null = null

  /** Call it at the start, when everything is durable. */
  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline
    this.#tree = pipeline.clearing.pages.tree
    this.#keys = pipeline.clearing.properties.keys
  }

  /** The durable pages, and the paths from which they moved. */
  get tree(): PageTree {
    return this.#tree
  }

  /** The durable properties by id. */
  get keys(): Keys {
    return this.#keys
  }

  /** Creates a page, or edits the one with this id. */
  async putPage(wanted: PageRequest, by: string, editedId?: string): Promise<PlacedPage | Reject> {
    const { clearing } = this.#pipeline
    const pageId = editedId ?? randomUUID()
    const refused = await this.#change(() => {
      const before = clearing.pages.tree.pages.get(pageId)
      if (editedId !== undefined && before === undefined) return REJECT.PAGE_NOT_FOUND
      const page = pageOf(pageId, wanted, before)
      if (Buffer.byteLength(page.contentJson) > LIMITS.pageContentBytesMax) {
        return REJECT.PAGE_TOO_LARGE
      }
      return decideMarketPage(clearing, page) ?? { kind: 'putMarketPage', page }
    }, by)
    if (refused instanceof Reject) return refused
    const page = refused.tree.pages.get(pageId)
    assert(page !== undefined, 'a page that was put is in its tree')
    return page
  }

  async removePage(pageId: string, by: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    const done = await this.#change(
      () => decidePageRemoval(clearing, pageId) ?? { kind: 'removeMarketPage', pageId },
      by,
    )
    return done instanceof Reject ? done : null
  }

  /** Creates a property, or edits the one with this id. */
  async putKey(
    wanted: PropertyRequest,
    by: string,
    editedId?: string,
  ): Promise<PlacedKey | Reject> {
    const { clearing } = this.#pipeline
    const keyId = editedId ?? randomUUID()
    const done = await this.#change(() => {
      const before = clearing.properties.keys.get(keyId)
      if (editedId !== undefined && before === undefined) return REJECT.PROPERTY_NOT_FOUND
      const change = keyChangeOf(keyId, wanted, before)
      if (change === null) return REJECT.PROPERTY_OPTION_INVALID
      return decidePropertyKey(clearing, change) ?? { kind: 'putPropertyKey', ...change }
    }, by)
    if (done instanceof Reject) return done
    const key = done.keys.get(keyId)
    assert(key !== undefined, 'a property that was put exists')
    return key
  }

  async removeKey(keyId: string, by: string): Promise<Reject | null> {
    const { clearing } = this.#pipeline
    const done = await this.#change(
      () => decideKeyRemoval(clearing, keyId) ?? { kind: 'removePropertyKey', keyId },
      by,
    )
    return done instanceof Reject ? done : null
  }

  /** Publishes the result of the change as soon as it is durable, and returns it. */
  async #change(
    decide: () => ControlBody | Reject,
    by: string,
  ): Promise<{ readonly tree: PageTree; readonly keys: Keys } | Reject> {
    const changing = this.#pipeline.change(decide, by)
    // The state after this command. It may change again before it is durable.
    const { tree } = this.#pipeline.clearing.pages
    const { keys } = this.#pipeline.clearing.properties
    const refused = await changing
    if (refused !== null) return refused
    if (this.#tree !== tree) this.version++
    if (this.#keys !== keys) this.keysVersion++
    this.#tree = tree
    this.#keys = keys
    return { tree, keys }
  }

  /** The ancestors of a value of a property, nearest first. */
  above(slug: string, value: string): readonly string[] {
    if (this.#above?.of !== this.#keys) this.#above = { of: this.#keys, values: new Map() }
    const { values } = this.#above
    const known = values.get(slug) ?? this.#parentsOf(slug)
    values.set(slug, known)
    return known.get(value) ?? []
  }

  #parentsOf(slug: string): ReadonlyMap<string, string[]> {
    const key = [...this.#keys.values()].find((each) => each.slug === slug)
    const options = new Map(key?.options.map((option) => [option.optionId, option]))
    const above = new Map<string, string[]>()
    for (const option of options.values()) {
      const chain: string[] = []
      let next = options.get(option.parentOptionId ?? '')
      while (next !== undefined) {
        chain.push(next.value)
        next = options.get(next.parentOptionId ?? '')
      }
      if (chain.length > 0) above.set(option.value, chain)
    }
    return above
  }
}

function pageOf(pageId: string, wanted: PageRequest, before: PlacedPage | undefined): MarketPage {
  const content = before === undefined ? NO_CONTENT : contentOf(before)
  const { baseFilter, filterGroups, metadata } = { ...content, ...wanted }
  const old = before ?? EMPTY
  return {
    pageId,
    name: wanted.name ?? old.name,
    slug: wanted.slug ?? old.slug,
    parentId: wanted.parentId === undefined ? old.parentId : wanted.parentId,
    description: wanted.description === undefined ? old.description : wanted.description,
    icon: wanted.icon ?? old.icon,
    sortOrder: wanted.sortOrder ?? old.sortOrder,
    isInNavigation: wanted.isInNavigation ?? old.isInNavigation,
    contentJson: JSON.stringify({ baseFilter, filterGroups, metadata }),
  }
}

const EMPTY: Omit<MarketPage, 'pageId' | 'contentJson'> = {
  name: '',
  slug: '',
  parentId: null,
  description: null,
  icon: '',
  sortOrder: 0,
  isInNavigation: true,
}

// Converts an operator's request for a property into the change of its options. An option is
// identified by its value, so the same call can be sent again.

interface OptionRequest {
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
function keyChangeOf(
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
