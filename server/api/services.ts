import type { AccountServices } from './accounts/services.ts'
import type { AdminServices } from './admin/services.ts'
import type { PoolServices } from './amm/services.ts'
import type { BoardServices } from './boards/services.ts'
import type { FeedServices } from './feeds/feeds.ts'
import type { MarketServices } from './markets/services.ts'
import type { McpServices } from './mcp/services.ts'
import type { OrderServices } from './orders/services.ts'
import type { PackServices } from './packs/services.ts'
import type { PageServices } from './pages/services.ts'
import type { PortfolioServices } from './portfolio/services.ts'
import type { ReferralServices } from './referrals/referrals.ts'
import type { SocialServices } from './social/services.ts'
import type { SolvencyServices } from './solvency/services.ts'
import type { SportServices } from './sports/services.ts'
import type { SystemServices } from './system/services.ts'

/** What all routes need; the start wires it once. Each topic declares its part. */
export interface Services
  extends AccountServices,
    AdminServices,
    PoolServices,
    BoardServices,
    FeedServices,
    MarketServices,
    McpServices,
    OrderServices,
    PackServices,
    PageServices,
    PortfolioServices,
    ReferralServices,
    SocialServices,
    SolvencyServices,
    SportServices,
    SystemServices {}
