import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Buckets } from '../../edge/http/access/rate-limit.ts'
import type { PortfolioServices } from '../portfolio/services.ts'
import type { SharedServices } from '../shared-services.ts'
import type { SportServices } from '../sports/services.ts'
import type { Curation } from './curation.ts'
import type { OpenOffers } from './open-offers.ts'
import type { PackDesk } from './packs.ts'

/** What the routes of this folder need. */
export interface PackServices
  extends SharedServices,
    Pick<PortfolioServices, 'moves' | 'portfolio' | 'rewards'>,
    Pick<SportServices, 'matches'> {
  readonly packs: PackDesk
  readonly curation: Curation
  /** Rate limit of each profile's offers, which all listeners receive. Null for no limit. */
  readonly offerCalls: Buckets<ProfileId> | null
  /** The same per address, and per wider network of IPv6. Null for no limit. */
  readonly offerNetworks: readonly Buckets<string>[] | null
  readonly openOffers: OpenOffers
}
