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
  PlacedOption,
  PlacedPage,
  PropertyKey,
  PropertyOption,
} from '../../../engine/domain/markets/market-page.ts'
import { REJECT, Reject } from '../../../engine/domain/reject-precedence.ts'
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
import type { Pipeline } from '../../exchange/pipeline.ts'
import type { ControlBody } from '../../exchange/sequencer/sequencer.ts'
import { isoText } from '../../messages/iso-text.ts'

// The content of a page, and the filter that selects its markets. It is stored as JSON text in
// commands, and is parsed here once per version of a page.

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

// Properties and their options as sent, encoded once per change.

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
    pipeline.listenToReplicated(() => {
      this.#publish(pipeline.clearing.pages.tree, pipeline.clearing.properties.keys)
    })
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
    this.#publish(tree, keys)
    return { tree, keys }
  }

  #publish(tree: PageTree, keys: Keys): void {
    if (this.#tree !== tree) this.version++
    if (this.#keys !== keys) this.keysVersion++
    this.#tree = tree
    this.#keys = keys
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
