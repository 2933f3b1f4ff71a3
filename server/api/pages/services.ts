import type { SharedServices } from '../shared-services.ts'
import type { MarketPages } from './market-pages.ts'

/** What the routes of this folder need. */
export interface PageServices extends SharedServices {
  readonly marketPages: MarketPages
}
