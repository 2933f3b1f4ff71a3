import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Buckets } from '../../edge/http/access/rate-limit.ts'
import type { AccountChanges } from '../accounts/accounts.ts'
import type { OperatorChanges } from '../accounts/operators.ts'
import type { MarketChanges } from '../markets/market-changes.ts'
import type { SeriesChanges } from '../markets/series-changes.ts'
import type { Curation } from '../packs/curation.ts'
import type { OpenOffers } from '../packs/open-offers.ts'
import type { PackDesk } from '../packs/packs.ts'
import type { MarketPages } from '../pages/market-pages.ts'
import type { Moves } from '../portfolio/moves-service.ts'
import type { Portfolio } from '../portfolio/portfolio.ts'
import type { RewardViews } from '../portfolio/rewards.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportMatches } from '../sports/matches.ts'
import type { TradingModeChanges } from '../system/trading-modes.ts'

/** What the routes of this folder need. */
export interface AdminServices extends SharedServices {
  readonly accounts: AccountChanges
  readonly curation: Curation
  readonly marketPages: MarketPages
  readonly markets: MarketChanges
  readonly matches: SportMatches
  readonly modes: TradingModeChanges
  readonly moves: Moves
  readonly offerCalls: Buckets<ProfileId> | null
  readonly offerNetworks: readonly Buckets<string>[] | null
  readonly openOffers: OpenOffers
  readonly operators: OperatorChanges
  readonly packs: PackDesk
  readonly portfolio: Portfolio
  readonly rewards: RewardViews
  readonly series: SeriesChanges
}
