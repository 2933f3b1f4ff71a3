import type { AccountServices } from '../accounts/services.ts'
import type { MarketServices } from '../markets/services.ts'
import type { PackServices } from '../packs/services.ts'
import type { PageServices } from '../pages/services.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportServices } from '../sports/services.ts'
import type { SystemServices } from '../system/services.ts'

/** What the routes of this folder need. */
export interface AdminServices
  extends SharedServices,
    Pick<AccountServices, 'accounts' | 'operators'>,
    Pick<MarketServices, 'markets' | 'series'>,
    Pick<PackServices, 'curation' | 'offerCalls' | 'offerNetworks' | 'openOffers' | 'packs'>,
    Pick<PageServices, 'marketPages'>,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'>,
    Pick<SportServices, 'matches'>,
    Pick<SystemServices, 'modes'> {}
