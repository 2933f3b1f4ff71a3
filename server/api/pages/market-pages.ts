// Market pages and properties: the operator's changes and the public reads.

import type { MarketLists } from '../../exchange/read-model/lists/market-lists.ts'
import { MarketTrails } from './market-trails.ts'
import type { PageChanges } from './page-changes.ts'
import { PageDirectory } from './page-directory.ts'
import { PageMarkets } from './page-markets.ts'
import { PropertyReads } from './property-views.ts'

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
