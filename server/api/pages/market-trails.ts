// The path to a market through the pages: from the top down to the deepest listed page that
// contains it. Of equally deep pages it is the first in their order. A market of a group is found
// where its group is.

import type { Facets } from '../../exchange/read-model/lists/facets.ts'
import type { PublishedMarket } from '../../exchange/read-model/published.ts'
import type { PageDirectory, ShownPage } from './page-directory.ts'

type Trail = ReturnType<PageDirectory['breadcrumb']>

const depthOf = ({ fullPath }: ShownPage) => fullPath.split('/').length

export class MarketTrails {
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
