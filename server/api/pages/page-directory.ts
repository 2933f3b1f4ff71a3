// The published pages: by path, by id, and as a tree. An exchange without pages has one page per
// category of its active markets. Everything is encoded once per change.

import type { PlacedPage } from '../../../engine/domain/markets/market-page.ts'
import type { Facets, Filter } from '../../exchange/read-model/lists/facets.ts'
import type { PageChanges } from './page-changes.ts'
import { contentOf, type FilterGroup, NO_CONTENT, type PageContent } from './page-views.ts'
import { optionsShown } from './property-views.ts'

/** Id of the home page, which operators do not create. */
export const HOME_ID = '__home__'

export interface ShownPage {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly fullPath: string
  readonly parentId: string | null
  readonly description: string | null
  readonly icon: string
  readonly isInNavigation: boolean
  readonly content: PageContent
}

interface Node {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly path: string
  readonly children: readonly Node[]
  readonly icon: string
  readonly count: number
}

const HOME: ShownPage = {
  id: HOME_ID,
  name: 'Home',
  slug: '',
  fullPath: '/',
  parentId: null,
  description: null,
  icon: '',
  isInNavigation: false,
  content: NO_CONTENT,
}

type ShownOptions = ReturnType<typeof optionsShown>

interface Shown {
  readonly pagesVersion: number
  /** The version of the categories that the pages are built from; -1 when they are not. */
  readonly facetsVersion: number
  /** In their order. */
  readonly all: readonly ShownPage[]
  readonly byId: ReadonlyMap<string, ShownPage>
  readonly byPath: ReadonlyMap<string, ShownPage>
}

export function filterOf(values: PageContent['baseFilter']): Filter {
  return new Map(Object.entries(values))
}

export class PageDirectory {
  readonly #changes: PageChanges
  readonly #facets: Facets
  #shown: Shown | null = null
  #navigation: { readonly key: string; readonly bytes: Buffer } | null = null
  /** Encoded pages; cleared when a page or a property changes. */
  #encoded = new Map<string, Buffer>()
  #encodedKey = ''
  #options: { readonly version: number; readonly bySlug: Map<string, ShownOptions> } | null = null

  constructor(changes: PageChanges, facets: Facets) {
    this.#changes = changes
    this.#facets = facets
  }

  /** Every page in order; a new list after each change. */
  all(): readonly ShownPage[] {
    return this.#pages().all
  }

  byId(id: string): ShownPage | undefined {
    return id === HOME_ID ? HOME : this.#pages().byId.get(id)
  }

  /** The page at the path, or the page that moved away from it. */
  byPath(path: string): { readonly page: ShownPage; readonly isMoved: boolean } | undefined {
    const trimmed = path.replace(/^\/?/, '/').replace(/(?<=.)\/$/, '')
    if (trimmed === '/') return { page: HOME, isMoved: false }
    const page = this.#pages().byPath.get(trimmed)
    if (page !== undefined) return { page, isMoved: false }
    const moved = this.#changes.tree.moved.get(trimmed)
    const now = moved === undefined ? undefined : this.#pages().byId.get(moved)
    return now === undefined ? undefined : { page: now, isMoved: true }
  }

  /** The JSON of a page. */
  encoded(page: ShownPage): Buffer {
    const { pagesVersion, facetsVersion } = this.#pages()
    const key = `${pagesVersion} ${facetsVersion} ${this.#changes.keysVersion}`
    if (this.#encodedKey !== key) this.#encoded = new Map()
    this.#encodedKey = key
    const bytes = this.#encoded.get(page.id) ?? Buffer.from(JSON.stringify(this.#viewOf(page)))
    this.#encoded.set(page.id, bytes)
    return bytes
  }

  #viewOf(page: ShownPage) {
    const { id, name, slug, fullPath, description, content } = page
    const { baseFilter, filterGroups, metadata } = content
    return {
      id,
      name,
      slug,
      fullPath,
      description,
      baseFilter,
      filterGroups: filterGroups.map((group) => this.#withOptions(group)),
      metadata,
      breadcrumb: this.breadcrumb(page),
    }
  }

  /** A group that lists no options has those of the property with its slug. */
  #withOptions(group: FilterGroup): FilterGroup {
    if (group.options !== undefined || group.slug === undefined) return group
    const options = this.optionsOf(group.slug)
    return options === undefined ? group : { ...group, options: [...options] }
  }

  /** The options of a property by its slug; undefined for an unknown property. */
  optionsOf(slug: string): ShownOptions | undefined {
    const { keys, keysVersion } = this.#changes
    if (this.#options?.version !== keysVersion) {
      this.#options = { version: keysVersion, bySlug: new Map() }
      for (const key of keys.values()) this.#options.bySlug.set(key.slug, optionsShown(key))
    }
    return this.#options.bySlug.get(slug)
  }

  /** The path of pages from the top down to this one. */
  breadcrumb(page: ShownPage) {
    const trail: { name: string; slug: string; path: string }[] = []
    let next: ShownPage | undefined = page
    while (next !== undefined) {
      trail.unshift({ name: next.name, slug: next.slug, path: next.fullPath })
      next = this.#parentOf(next)
    }
    return trail
  }

  #parentOf({ parentId }: ShownPage): ShownPage | undefined {
    return parentId === null ? undefined : this.#pages().byId.get(parentId)
  }

  /** The JSON of the page tree. */
  navigation(): Buffer {
    this.#facets.catchUp()
    const key = `${this.#changes.version} ${this.#facets.version}`
    if (this.#navigation?.key === key) return this.#navigation.bytes
    const below = new Map<string | null, ShownPage[]>()
    for (const page of this.#pages().byId.values()) {
      if (!page.isInNavigation) continue
      const beside = below.get(page.parentId)
      if (beside === undefined) below.set(page.parentId, [page])
      else beside.push(page)
    }
    const bytes = Buffer.from(JSON.stringify(this.#nodes(below, null)))
    this.#navigation = { key, bytes }
    return bytes
  }

  #nodes(below: ReadonlyMap<string | null, ShownPage[]>, parentId: string | null): Node[] {
    return (below.get(parentId) ?? []).map(({ id, name, slug, fullPath: path, icon, content }) => {
      const count = this.#facets.countOf(filterOf(content.baseFilter))
      return { id, name, slug, path, children: this.#nodes(below, id), icon, count }
    })
  }

  #pages(): Shown {
    const { version: pagesVersion, tree } = this.#changes
    const isOwn = tree.pages.size > 0
    if (!isOwn) this.#facets.catchUp()
    const facetsVersion = isOwn ? -1 : this.#facets.valuesVersionOf('category')
    const known = this.#shown
    if (known?.pagesVersion === pagesVersion && known.facetsVersion === facetsVersion) return known
    const all = isOwn ? sorted([...tree.pages.values()]).map(shownOf) : this.#categoryPages()
    const byId = new Map(all.map((page) => [page.id, page]))
    const byPath = new Map(all.map((page) => [page.fullPath, page]))
    this.#shown = { pagesVersion, facetsVersion, all, byId, byPath }
    return this.#shown
  }

  #categoryPages(): ShownPage[] {
    const taken = new Set<string>()
    const ids = this.#facets.categories()
    return ids.map(({ id, name }) => {
      const plain = slugOf(name)
      const slug = plain === '' || taken.has(plain) ? `${plain}${plain && '-'}${id}` : plain
      taken.add(slug)
      const baseFilter = { categoryId: [id] }
      const content = { ...NO_CONTENT, baseFilter }
      return { ...HOME, id, name, slug, fullPath: `/${slug}`, isInNavigation: true, content }
    })
  }
}

function slugOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return words.replaceAll(/^-|-$/g, '').slice(0, 64)
}

/** Lowest order first, then by name. */
function sorted(pages: PlacedPage[]): PlacedPage[] {
  return pages.sort((one, other) => {
    if (one.sortOrder !== other.sortOrder) return one.sortOrder - other.sortOrder
    return one.name < other.name ? -1 : one.name > other.name ? 1 : 0
  })
}

function shownOf(page: PlacedPage): ShownPage {
  const { pageId: id, name, slug, fullPath, parentId, description, icon, isInNavigation } = page
  const content = contentOf(page)
  return { id, name, slug, fullPath, parentId, description, icon, isInNavigation, content }
}
