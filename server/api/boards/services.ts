import type { MarketPages } from '../pages/market-pages.ts'
import type { SharedServices } from '../shared-services.ts'
import type { Boards } from './boards.ts'

/** What the routes of this folder need. */
export interface BoardServices extends SharedServices {
  readonly boards: Boards
  readonly marketPages: MarketPages
}
