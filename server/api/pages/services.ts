import type { Facets } from '../../exchange/read-model/lists/facets.ts'
import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { SharedServices } from '../shared-services.ts'
import type { PageChanges } from './page-changes.ts'
import { PropertyReads } from './page-changes.ts'
import { PageDirectory, PageMarkets, type ShownPage } from './page-directory.ts'

// The path to a market through the pages: from the top down to the deepest listed page that
// contains it. Of equally deep pages it is the first in their order. A market of a group is found
// where its group is.

type Trail = ReturnType<PageDirectory['breadcrumb']>

const depthOf = ({ fullPath }: ShownPage) => fullPath.split('/').length

class MarketTrails {
  readonly #directory: PageDirectory
  readonly #facets: Facets
  /** The pages that contain some markets but not all, deepest first. */
  #pages: readonly ShownPage[] = []
  #madeOf: readonly ShownPage[] | null = null

  constructor(directory: PageDirectory, facets: Facets) {
    this.#directory = directory
    this.#facets = facets
  }

  /** Empty when no page contains the market. */
  of(published: PublishedMarket): Trail {
    const has = new Map<string, Set<string>>()
    for (const [key, value] of this.#facets.pairsOf(published.group ?? published)) {
      const values = has.get(key)
      if (values === undefined) has.set(key, new Set([value]))
      else values.add(value)
    }
    const page = this.#deepestFirst().find(({ content: { baseFilter } }) =>
      Object.entries(baseFilter).every(([key, wanted]) => {
        const values = has.get(key)
        return values !== undefined && wanted.some((value) => values.has(value))
      }),
    )
    return page === undefined ? [] : this.#directory.breadcrumb(page)
  }

  #deepestFirst(): readonly ShownPage[] {
    const all = this.#directory.all()
    if (this.#madeOf === all) return this.#pages
    const pages = [...all].filter(({ isInNavigation, content: { baseFilter } }) => {
      return isInNavigation && Object.keys(baseFilter).length > 0
    })
    // The sort is stable, so equally deep pages keep their order.
    this.#pages = pages.sort((one, other) => depthOf(other) - depthOf(one))
    this.#madeOf = all
    return this.#pages
  }
}

// Market pages and properties: the operator's changes and the public reads.

export class MarketPages {
  readonly changes: PageChanges
  readonly directory: PageDirectory
  readonly markets: PageMarkets
  readonly trails: MarketTrails
  readonly properties: PropertyReads

  constructor(changes: PageChanges, lists: MarketLists) {
    this.changes = changes
    this.directory = new PageDirectory(changes, lists.facets)
    this.markets = new PageMarkets({ changes, directory: this.directory, lists })
    this.trails = new MarketTrails(this.directory, lists.facets)
    this.properties = new PropertyReads(changes)
  }
}

/** What the routes of this folder need. */
export interface PageServices extends SharedServices {
  readonly marketPages: MarketPages
}
