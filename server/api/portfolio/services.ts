import type { SharedServices } from '../shared-services.ts'
import type { Moves } from './moves-service.ts'
import type { Portfolio } from './portfolio.ts'
import type { RewardViews } from './rewards.ts'

/** What the routes of this folder need. */
export interface PortfolioServices extends SharedServices {
  readonly moves: Moves
  readonly portfolio: Portfolio
  readonly rewards: RewardViews
}
