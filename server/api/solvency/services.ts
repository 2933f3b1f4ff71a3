import type { SharedServices } from '../shared-services.ts'
import type { SolvencyCounts } from './solvency-counts.ts'

/** What the routes of this folder need. */
export interface SolvencyServices extends SharedServices {
  readonly solvency: SolvencyCounts
}
