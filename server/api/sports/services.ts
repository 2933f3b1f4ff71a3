import type { CancelEverywhere } from '../orders/cancel-everywhere.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportMatches } from './matches.ts'

/** What the routes of this folder need. */
export interface SportServices extends SharedServices {
  readonly matches: SportMatches
  readonly everywhere: CancelEverywhere
}
