import type { OrderServices } from '../orders/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportMatches } from './matches.ts'

/** What the routes of this folder need. */
export interface SportServices extends SharedServices, Pick<OrderServices, 'everywhere'> {
  readonly matches: SportMatches
}
