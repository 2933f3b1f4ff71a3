// Every route there is. The gateway, the document and the contract tests read this list.

import type { Route } from './http/route.ts'
import * as admin from './routes/admin.ts'
import * as adminProfiles from './routes/admin-profiles.ts'
import * as adminSettlement from './routes/admin-settlement.ts'
import * as cancelReplace from './routes/cancel-replace.ts'
import * as heartbeats from './routes/heartbeats.ts'
import * as maintenance from './routes/maintenance.ts'
import * as markets from './routes/markets.ts'
import * as orderGroups from './routes/order-groups.ts'
import * as orderStatus from './routes/order-status.ts'
import * as orders from './routes/orders.ts'
import * as partners from './routes/partners.ts'
import * as profiles from './routes/profiles.ts'
import type { Services } from './routes/services.ts'
import * as session from './routes/session.ts'
import * as system from './routes/system.ts'
import * as tokens from './routes/tokens.ts'
import * as wallets from './routes/wallets.ts'

export const api: readonly Route<Services>[] = [
  ...Object.values(system),
  ...Object.values(session),
  ...Object.values(tokens),
  ...Object.values(profiles),
  ...Object.values(partners),
  ...Object.values(wallets),
  ...Object.values(markets),
  ...Object.values(orders),
  ...Object.values(orderStatus),
  ...Object.values(orderGroups),
  ...Object.values(heartbeats),
  ...Object.values(maintenance),
  ...Object.values(cancelReplace),
  ...Object.values(admin),
  ...Object.values(adminSettlement),
  ...Object.values(adminProfiles),
]
