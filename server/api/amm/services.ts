import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Buckets } from '../../edge/http/access/rate-limit.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { PoolTrades } from './pool-trades.ts'

/** What the routes of this folder need. */
export interface PoolServices
  extends SharedServices,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'> {
  readonly pools: PoolTrades
  /** Rate limit of each profile's pool calls; null for no limit. */
  readonly poolCalls: Buckets<ProfileId> | null
}
